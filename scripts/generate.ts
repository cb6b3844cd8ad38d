// Writes every file that is made from the code: openapi.json, docs/cli.md, and the marked tables in docs/operations.md,
// docs/layers.md and CHANGELOG.md. Running it again changes nothing; CI runs it and fails when a committed file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { commandHelp, overview } from '../src/cli/help.ts';
import { COMMANDS } from '../src/cli/run.ts';
import { SETTINGS } from '../src/config.ts';
import { openApiDocument } from '../src/contract/openapi.ts';
import { RELEASES } from '../src/contract/release-history.ts';
import { LAYER_KINDS } from '../src/risk/layer-kinds.ts';

const ROOT = join(import.meta.dirname, '..');

/** The settings, a row each. */
function settingsTable(): string {
  const rows = SETTINGS.map(
    ({ name, fallback, meaning }) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${meaning} |`,
  );
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The help of every command, as the command line prints it. */
function cliPage(): string {
  const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;
  return [
    '# The command line',
    'Made from the code by `npm run generate`: this is what `groundwatch COMMAND --help` prints. In a checkout it is `npx groundwatch`.',
    fenced(overview(COMMANDS)),
    ...COMMANDS.flatMap((command) => [`## groundwatch ${command.name}`, fenced(commandHelp(command))]),
  ].join('\n\n');
}

/** The layers that have a meaning, a row each. */
function layerTable(): string {
  const asked = { required: 'yes', none: 'no', either: 'may' } as const;
  const rows = Object.entries(LAYER_KINDS).map(
    ([name, { unit, returnPeriod, meaning, stepwise }]) =>
      `| \`${name}\` | ${unit} | ${asked[returnPeriod]} | ${meaning}${stepwise === true ? ' (nearest)' : ''} |`,
  );
  return ['| layer | unit | return period | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The history of the interface, newest first. */
function interfaceHistory(): string {
  return [
    '| Release | Changes |',
    '| --- | --- |',
    ...RELEASES.map(({ release, changes }) => `| ${release} | ${changes.join(' ')} |`),
  ].join('\n');
}

/** Replaces what stands between a file's two markers of that name. @throws RangeError when they are not there */
function between(file: string, name: string, content: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [begin, end] = [`<!-- begin ${name} -->\n`, `\n<!-- end ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new RangeError(`${file} lacks the markers of ${name}`);
  return text.slice(0, from + begin.length) + content + text.slice(to);
}

const files: Readonly<Record<string, string>> = {
  'openapi.json': `${JSON.stringify(openApiDocument({ version: packageJson.version }), null, 2)}\n`,
  'docs/cli.md': `${cliPage()}\n`,
  'docs/operations.md': between('docs/operations.md', 'settings', settingsTable()),
  'docs/layers.md': between('docs/layers.md', 'layer names', layerTable()),
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
