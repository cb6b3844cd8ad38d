// Checks the structural rules of the code and prints the violations. Exits with code 1 if there are any. CI runs it.
import { readFileSync } from 'node:fs';
import {
  circles,
  FOLDER_FILES,
  folderSizes,
  foldersWithoutRule,
  forbiddenImports,
  longFiles,
  longFunctions,
  unreached,
} from './house/counts.ts';
import { readModules } from './house/modules.ts';

const all = readModules(['src', 'web', 'test', 'bench', 'scripts']);
const shipped = all.filter(({ path }) => /^(src|web)\//.test(path));
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};
/** Entry points that a user runs or imports: the program, the console, and the exports of the package. */
const entries = [
  'src/main.ts',
  'web/main.tsx',
  'web/vite.config.ts',
  ...Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : target.default.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts'),
  ),
];

const [[fullest, most] = ['', 0]] = folderSizes(shipped);
let failed = false;
function report(what: string, found: readonly string[]): void {
  console.log(`${what}: ${found.length}`);
  for (const line of found) console.log(`  ${line}`);
  failed ||= found.length > 0;
}
report(
  'circles of imports',
  circles(all).map((group) => group.join(' ')),
);
console.log(`largest flat folder besides tests: ${fullest}, ${most} files (at most ${FOLDER_FILES})`);
failed ||= most > FOLDER_FILES;
report('functions over 80 lines without a reason', longFunctions(all));
report('files over 300 lines without a reason', longFiles(all));
report('files of src and web that no entry reaches', unreached(shipped, entries));
report('imports that the table forbids', forbiddenImports(shipped));
report('folders of src without an import rule, or rules without a folder', foldersWithoutRule());
process.exitCode = failed ? 1 : 0;
