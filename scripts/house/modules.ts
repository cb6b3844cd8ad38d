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
  /** Packages and built-in modules that it imports. */
  readonly packages: readonly string[];
  /** Whether it imports something whose path is computed at run time. */
  readonly hasComputedImport: boolean;
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
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const targets = [...descend(program as unknown as Node)].flatMap(({ node }) => targetsOf(node));
  const names = targets.filter((target) => target !== null);
  return {
    path,
    lines: text.split('\n'),
    imports: [
      ...new Set(
        names.filter((name) => name.startsWith('.')).map((name) => normalize(join(dirname(path), name))),
      ),
    ],
    packages: [...new Set(names.filter((name) => !name.startsWith('.')))],
    hasComputedImport: targets.includes(null),
    functions: functionsOf(program, text),
  };
}

/** The paths that a syntax node loads, as text; null for a path that is computed. */
function targetsOf(node: Node): readonly (string | null)[] {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'TSImportType':
      return isNode(node['source']) ? [literalOf(node['source'])] : [];
    case 'ImportExpression':
      return [literalOf(node['source'])];
    case 'CallExpression': {
      // A thread's file next to the module: threadFile('name', import.meta.url).
      const [name] = node['arguments'] as Node[];
      const called = (node['callee'] as { readonly name?: string }).name;
      const literal = called === 'threadFile' ? literalOf(name) : null;
      return literal === null ? [] : [`./${literal}.ts`];
    }
    case 'NewExpression': {
      // A module that is loaded by its URL: new URL('name.ts', import.meta.url).
      const [name] = node['arguments'] as Node[];
      const literal = (node['callee'] as { readonly name?: string }).name === 'URL' ? literalOf(name) : null;
      if (literal === null || !/\.tsx?$/.test(literal)) return [];
      return [literal.startsWith('.') ? literal : `./${literal}`];
    }
    default:
      return [];
  }
}

/** The text of a string literal, or of a template without expressions; null for anything else. */
function literalOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (typeof node['value'] === 'string') return node['value'];
  const quasis = node.type === 'TemplateLiteral' ? (node['quasis'] as { value: { cooked: string } }[]) : [];
  return quasis.length === 1 ? quasis[0]!.value.cooked : null;
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
