// Writes every file that is generated from the code: openapi.json, the Markdown of the reference page as HTML,
// docs/cli.md, and the marked sections of other Markdown files. Running it again changes nothing. CI runs it and fails
// when a committed file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandHelp, overview } from '../src/cli/help.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { SETTINGS } from '../src/config.ts';
import { openApiDocument } from '../src/contract/openapi/openapi.ts';
import { TAGS } from '../src/contract/openapi/tags.ts';
import { OPERATIONS } from '../src/contract/operations.ts';
import { RELEASES } from '../src/contract/release-history.ts';
import { RAMPED_METRICS, rampOf } from '../src/raster/colour-ramp.ts';
import { LAYER_KINDS } from '../src/risk/layer-kinds.ts';
import { APP_SUBJECTS, IMPORT_RULES } from './house/import-table.ts';
import { clientTypes } from './client-types.ts';
import { renderedMarkdown } from './reference-markdown.ts';

const ROOT = join(import.meta.dirname, '..');

/** Table of the settings. */
function settingsTable(): string {
  const rows = SETTINGS.map(
    ({ name, fallback, meaning }) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${meaning} |`,
  );
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Page with the help of every command, as `--help` prints it. */
function cliPage(): string {
  const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;
  return [
    '# The command line',
    'Made from the code by `npm run generate`: this is what `groundwatch COMMAND --help` prints. In a checkout it is `npx groundwatch`.',
    fenced(overview(COMMANDS)),
    ...COMMANDS.flatMap((command) => [`## groundwatch ${command.name}`, fenced(commandHelp(command))]),
  ].join('\n\n');
}

/** Table of the layer names that the models know. */
function layerTable(): string {
  const asked = { required: 'yes', none: 'no', either: 'may' } as const;
  const rows = Object.entries(LAYER_KINDS).map(
    ([name, { unit, returnPeriod, meaning, stepwise }]) =>
      `| \`${name}\` | ${unit} | ${asked[returnPeriod]} | ${meaning}${stepwise === true ? ' (nearest)' : ''} |`,
  );
  return ['| layer | unit | return period | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Table of the changes to the interface, newest release first. */
function interfaceHistory(): string {
  return [
    '| Release | Changes |',
    '| --- | --- |',
    ...RELEASES.map(({ release, changes }) => `| ${release} | ${changes.join(' ')} |`),
  ].join('\n');
}

/** Table of the client's methods, one row for each tag. A method has the name of its operation. */
function clientMethods(): string {
  const called = OPERATIONS.filter(({ path }) => path.startsWith('/v1/'));
  const rows = TAGS.flatMap(({ name }) => {
    const methods = called.filter(({ tag }) => tag === name).map(({ id }) => `\`${id}\``);
    return methods.length > 0 ? [`| ${name} | ${methods.join(', ')} |`] : [];
  });
  return ['| Of | Methods |', '| --- | --- |', ...rows].join('\n');
}

/** Table of the colour ramps of the metrics. */
function colourRamps(): string {
  const rows = RAMPED_METRICS.map((metric) => {
    const { name, colours, range } = rampOf(metric);
    const shown = range === null ? '' : `${range[0]} to ${range[1]}`;
    return `| \`${metric}\` | ${name} | ${shown} | ${colours.map((colour) => `\`${colour}\``).join(' ')} |`;
  });
  const { name, colours } = rampOf('');
  rows.push(`| any other | ${name} | | ${colours.map((colour) => `\`${colour}\``).join(' ')} |`);
  return ['| metric | ramp | range | colours |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Table of the allowed imports, one row for each folder. */
function importTable(): string {
  const rows = Object.entries(IMPORT_RULES).map(([folder, { may, types = [] }]) => {
    const allowed = [...may, ...types.map((name) => `types of ${name}`)].join(', ');
    return `| ${folder} | ${folder === 'main' ? 'everything' : allowed || 'nothing of ours'} |`;
  });
  return ['| Folder | May import |', '| --- | --- |', ...rows].join('\n');
}

/** Numbered list of the subjects of src/app, one item for each level. */
function appSubjects(): string {
  return APP_SUBJECTS.map((subjects, level) => `${level + 1}. ${subjects.join(', ')}`).join('\n');
}

/** Module with the table of country facts: the models read no file. */
function countryTable(): string {
  const csv = readFileSync(join(ROOT, 'data/tables/countries.csv'), 'utf8');
  return `/** Content of data/tables/countries.csv. Made by \`npm run generate\`. */\nexport const COUNTRY_TABLE = \`${csv}\`;\n`;
}

/**
 * Returns the text of a file with new content between two markers.
 * @param text text to change instead of the file's own, if the file has several marked sections
 * @throws RangeError when the markers are missing
 */
function between(
  file: string,
  name: string,
  content: string,
  text = readFileSync(join(ROOT, file), 'utf8'),
): string {
  const [begin, end] = [`<!-- begin ${name} -->\n`, `<!-- end ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new RangeError(`${file} lacks the markers of ${name}`);
  return `${text.slice(0, from + begin.length)}${content}\n${text.slice(to)}`;
}

const document = openApiDocument();

const files: Readonly<Record<string, string>> = {
  'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'src/http/reference/rendered-markdown.json': `${JSON.stringify(renderedMarkdown(document), null, 2)}\n`,
  'src/client/api-types.ts': await clientTypes(document),
  'src/risk/country-table.ts': countryTable(),
  'docs/cli.md': `${cliPage()}\n`,
  'docs/operations.md': between('docs/operations.md', 'settings', settingsTable()),
  'docs/layers.md': between('docs/layers.md', 'layer names', layerTable()),
  'docs/client.md': between('docs/client.md', 'methods', clientMethods()),
  'docs/architecture.md': between(
    'docs/architecture.md',
    'app subjects',
    appSubjects(),
    between('docs/architecture.md', 'import table', importTable()),
  ),
  'docs/pictures.md': between('docs/pictures.md', 'colour ramps', colourRamps()),
  'CHANGELOG.md': between('CHANGELOG.md', 'interface history', interfaceHistory()),
};

for (const [file, text] of Object.entries(files)) {
  const path = join(ROOT, file);
  let before: string | undefined;
  try {
    before = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (before === text) {
    console.log(`${file} is as it should be`);
    continue;
  }
  writeFileSync(path, text);
  console.log(`${file} written`);
}
