// Reads the modules of the project and the imports of each, including types, with the parser of the console's build
// tool (vite).
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'vite';

/** One source file. Paths are relative to the root of the repository, with slashes. */
export interface Module {
  readonly path: string;
  readonly lines: readonly string[];
  /** Files of the project that this file imports or starts as threads. */
  readonly imports: readonly string[];
  readonly functions: readonly FunctionSpan[];
}

/** First and last line of a function; lines count from 1. */
export interface FunctionSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Reads every TypeScript file below the given folders that git tracks or would add. */
export function readModules(folders: readonly string[]): readonly Module[] {
  return listFiles(folders)
    .filter((path) => /\.(ts|tsx)$/.test(path) && !path.endsWith('.d.ts'))
    .map(readModule);
}

/** Existing files that git tracks or would add, below the given folders; without folders, all such files. */
export function listFiles(folders: readonly string[] = []): readonly string[] {
  // Git otherwise refuses a checkout that belongs to another user.
  const args = [
    '-c',
    `safe.directory=${process.cwd()}`,
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
  ];
  const listed = execFileSync('git', [...args, ...folders], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return [...new Set(listed)].filter((path) => existsSync(path));
}

function readModule(path: string): Module {
  const text = readFileSync(path, 'utf8');
  const { module, program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map((entry) => entry.moduleRequest?.value ?? ''),
    ),
    ...stringsOf(program, 'ImportExpression', 'source'),
    ...stringsOf(program, 'TSImportType', 'source'),
    // Threads and modules that are loaded by their URL.
    ...[...text.matchAll(/threadFile\('([^']+)', import\.meta\.url\)/g)].map((found) => `./${found[1]}.ts`),
    ...[...text.matchAll(/new URL\(\s*'([^']+\.ts)', import\.meta\.url/g)].map((found) =>
      found[1]!.startsWith('.') ? found[1]! : `./${found[1]}`,
    ),
  ];
  const imports = names
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(path), name)));
  return {
    path,
    lines: text.split('\n'),
    imports: [...new Set(imports)],
    functions: functionsOf(program, text),
  };
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function* descend(node: Node, parent?: Node): Generator<{ node: Node; parent: Node | undefined }> {
  yield { node, parent };
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* descend(child, node);
}

function stringsOf(program: unknown, type: string, field: string): string[] {
  return [...descend(program as Node)].flatMap(({ node }) => {
    const value = node.type === type ? (node[field] as Node | undefined)?.['value'] : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

function functionsOf(program: unknown, text: string): FunctionSpan[] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number): number => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  return [...descend(program as Node)]
    .filter(({ node }) =>
      /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type),
    )
    .map(({ node, parent }) => ({
      name: nameOf(node) ?? nameOf(parent) ?? 'a function without a name',
      from: lineAt(node.start),
      to: lineAt(node.end),
    }));
}

function nameOf(node: Node | undefined): string | undefined {
  const named = (node?.['id'] ?? node?.['key']) as { name?: unknown } | null | undefined;
  return typeof named?.name === 'string' ? named.name : undefined;
}
