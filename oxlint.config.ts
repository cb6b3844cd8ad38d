// The lint rules, and the architecture test: who may import whom stands in scripts/house/import-table.ts.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineConfig } from 'oxlint';
import { APP_SUBJECTS, IMPORT_RULES, type ImportRule, WEB_MAY } from './scripts/house/import-table.ts';

/** Deepest nesting of folders below a folder of src/ or a subject of src/app. */
const DEEPEST = 5;

interface Pattern {
  readonly regex: string;
  readonly message: string;
  readonly allowTypeImports?: boolean;
}

/** Overrides for the files of a folder, one for each depth, since a relative path says by its depth where it leads. */
function overrides(
  folder: string,
  patternsAt: (up: string) => readonly Pattern[],
  except: readonly string[] = [],
) {
  return Array.from({ length: DEEPEST + 1 }, (_, depth) => ({
    files: [`${folder}/${'*/'.repeat(depth)}*.{ts,tsx}`],
    excludeFiles: ['**/*.test.ts', ...except],
    rules: { 'eslint/no-restricted-imports': ['error', { patterns: patternsAt('\\.\\./'.repeat(depth)) }] },
  })) as never[];
}

/** Everything directly below src/, and what lies in a folder of which only single files may be imported. */
function reachable(single: readonly string[]): readonly string[] {
  const opened = new Set(single.map((path) => dirname(path)));
  return readdirSync('src').flatMap((name) =>
    opened.has(name) ? readdirSync(`src/${name}`).map((file) => `${name}/${file}`) : name,
  );
}

/** What a folder may not import, for a file that reaches src/ by `up`. The linter's expressions know no look-ahead. */
function forbidden(own: string, { may, types = [] }: ImportRule, up: string): readonly Pattern[] {
  const said = [...may, ...types.map((name) => `types of ${name}`)].join(', ') || 'nothing of ours';
  const message = `${own} may import only: ${said} (docs/architecture.md)`;
  const allowed = new Set([own, ...may, ...types]);
  const others = reachable(may.filter((name) => name.endsWith('.ts'))).filter((name) => !allowed.has(name));
  return [
    { regex: `^${up}(${others.join('|')})(/|$)`, message },
    ...types.map((name) => ({ regex: `^${up}${name}/`, allowTypeImports: true, message })),
  ];
}

function subjectOverrides(subject: string, level: number) {
  const below = APP_SUBJECTS.slice(level + 1).flat();
  const others = APP_SUBJECTS.flat().filter((name) => name !== subject && !below.includes(name));
  const message = `${subject} may import only these subjects of app: ${below.join(', ') || 'none'} (docs/architecture.md)`;
  return overrides(`src/app/${subject}`, (up) => [
    ...forbidden('app', IMPORT_RULES['app']!, `${up}\\.\\./\\.\\./`),
    { regex: `^${up}\\.\\./(${others.join('|')})/`, message },
  ]);
}

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'import/no-cycle': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': [
      'error',
      {
        allowForKnownSafeCalls: [
          {
            from: 'package',
            name: ['test', 'describe', 'it', 'before', 'after', 'beforeEach', 'afterEach'],
            package: 'node:test',
          },
        ],
      },
    ],
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-non-null-assertion': 'off',
    'import/no-unassigned-import': 'off',
    'eslint/no-await-in-loop': 'off',
    'eslint/no-shadow': 'off',
    'eslint/no-underscore-dangle': 'off',
    'unicorn/no-array-sort': 'off',
    'oxc/no-map-spread': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/require-post-message-target-origin': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/prefer-add-event-listener': 'off',
    'node/no-process-env': 'error',
  },
  ignorePatterns: ['dist', 'web/dist', 'node_modules', 'assembly'],
  overrides: [
    ...Object.entries(IMPORT_RULES)
      .filter(([folder]) => folder !== 'main' && folder !== 'app')
      .flatMap(([folder, rule]) =>
        overrides(`src/${folder}`, (up) => forbidden(folder, rule, `${up}\\.\\./`)),
      ),
    ...overrides('src/app', (up) => forbidden('app', IMPORT_RULES['app']!, `${up}\\.\\./`), ['src/app/*/**']),
    ...APP_SUBJECTS.flatMap((subjects, level) =>
      subjects.flatMap((subject) => subjectOverrides(subject, level)),
    ),
    ...overrides('web', (up) => forbidden('web', { may: WEB_MAY }, `${up}\\.\\./src/`)),
    {
      files: ['src/config.ts', 'test/**', 'bench/**', 'scripts/**', '**/*.test.ts', 'bin/**'],
      rules: { 'node/no-process-env': 'off' },
    },
  ],
});
