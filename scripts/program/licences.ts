import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files in which packages have their licence and the notices that must go with copies of them. */
const FILES = /^(?:licen[cs]e|copying|notice)/i;

interface Packed {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Heading of the part of a page with the licence, in packages that have no file of their own for it. */
const HEADING = /^#+ *licen[cs].*$/im;

/**
 * Text with the name, version, licence and notices of each package that has modules among some.
 * @param modules paths of modules
 * @throws Error for a package that does not have its licence: it cannot be part of another program's files
 */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => folderOfPackage(path) ?? []));
  const parts = Array.from(folders, (folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Packed;
    const text = licenceIn(folder);
    if (typeof license !== 'string' || text === undefined)
      throw new Error(`${name} ${version} has no text of its licence: leave it out of the bundle`);
    return `${name} ${version}\nLicence: ${license}\n\n${text}\n`;
  });
  return Array.from(new Set(parts))
    .toSorted()
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceIn(folder: string): string | undefined {
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? entry.name : [],
  );
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  const files = names.filter((name) => FILES.test(name));
  if (files.length > 0) return files.map(read).join('\n\n');
  const [page] = names.filter((name) => /^readme\.md$/i.test(name)).map(read);
  const at = page?.search(HEADING) ?? -1;
  return at < 0 ? undefined : page!.slice(at);
}

/** Folder of the package that a module is of; undefined for the sources here. */
function folderOfPackage(path: string): string | undefined {
  const [, folder] = /^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return folder !== undefined && existsSync(join(folder, 'package.json')) ? folder : undefined;
}
