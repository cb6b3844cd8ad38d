// Checks of the structural rules of the code: circular imports, crowded folders, long functions and files, unreachable
// files, forbidden imports, and folders without an import rule.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { APP_SUBJECTS, COMPUTED_IMPORTS, IMPORT_RULES, PURE_PACKAGES, WEB_MAY } from './import-table.ts';
import type { Module } from './modules.ts';

/** Maximum length of a function [lines] without a comment that gives the reason. */
const FUNCTION_LINES = 80;
/** Maximum length of a file [lines] without a comment that gives the reason. */
const FILE_LINES = 300;
/** Maximum number of files in a folder, without tests. */
export const FOLDER_FILES = 32;
/** Start of a comment that gives the reason for a length: at the head of a file, or above a function. */
const REASON = /^\s*(?:\/\/|\*|\/\*\*) Long (?:file|function): \S/;
const TEST = /\.test\.tsx?$/;

/** Groups of files that import each other, directly or through others. */
export function circles(modules: readonly Module[]): readonly (readonly string[])[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    stack.push(path);
    for (const next of byPath.get(path)!.imports) {
      if (!byPath.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path)!, low.get(next)!));
    }
    if (low.get(path) !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1 || byPath.get(path)!.imports.includes(path)) found.push(group);
  };
  for (const { path } of modules) if (!order.has(path)) visit(path);
  return found;
}

/** Number of files in each folder, without tests; the fullest folder first. */
export function folderSizes(
  modules: readonly Module[],
): readonly (readonly [folder: string, files: number])[] {
  const own = modules.filter(({ path }) => !TEST.test(path));
  return [...Map.groupBy(own, ({ path }) => dirname(path))]
    .map(([folder, its]) => [folder, its.length] as const)
    .toSorted(([, a], [, b]) => b - a);
}

/** Functions that exceed the maximum length without a reason; functions in tests are not counted. */
export function longFunctions(modules: readonly Module[]): readonly string[] {
  return modules
    .filter(({ path }) => !TEST.test(path))
    .flatMap(({ path, lines, functions }) =>
      functions
        .filter(({ from, to }) => to - from + 1 > FUNCTION_LINES && !reasonAbove(lines, from))
        .map(({ name, from, to }) => `${path}:${from} ${name}, ${to - from + 1} lines`),
    );
}

/** Whether the comment that ends in the line above a function gives a reason, in any of its lines. */
function reasonAbove(lines: readonly string[], from: number): boolean {
  for (let line = from - 2; line >= 0 && /^\s*(\/\/|\/?\*)/.test(lines[line]!); line--)
    if (REASON.test(lines[line]!)) return true;
  return false;
}

/** Files that exceed the maximum length without a reason in their first five lines. */
export function longFiles(modules: readonly Module[]): readonly string[] {
  return modules
    .filter(
      ({ lines }) => lines.length - 1 > FILE_LINES && !lines.slice(0, 5).some((line) => REASON.test(line)),
    )
    .map(({ path, lines }) => `${path}, ${lines.length - 1} lines`);
}

/** Files, without tests, that no entry point imports directly or through other files. */
export function unreached(modules: readonly Module[], entries: readonly string[]): readonly string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const reached = new Set<string>();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const module = byPath.get(path);
    if (module === undefined || reached.has(path)) continue;
    reached.add(path);
    open.push(...module.imports);
  }
  return modules.map(({ path }) => path).filter((path) => !reached.has(path) && !TEST.test(path));
}

/**
 * Imports that the table forbids, found from the file that each import resolves to. Lint checks the same rule by the
 * text of the import path. If one of the two checks stops working, the other still reports a violation.
 */
export function forbiddenImports(modules: readonly Module[]): readonly string[] {
  return modules
    .filter(({ path }) => !TEST.test(path))
    .flatMap(({ path, imports, packages, hasComputedImport }) => {
      const pure = path.startsWith('src/') ? PURE_PACKAGES[path.split('/')[1]!] : undefined;
      return [
        ...imports.filter((target) => isForbidden(path, target)),
        ...packages.filter((name) => name.startsWith('groundwatch') || pure?.includes(name) === false),
        ...(hasComputedImport && !COMPUTED_IMPORTS.includes(path) ? ['a path that is computed'] : []),
      ].map((target) => `${path} -> ${target}`);
    });
}

function isForbidden(path: string, target: string): boolean {
  const [from, to] = [path.split('/'), target.split('/')];
  // Files of src/ may not import files outside src/ (tests, benchmarks, scripts), except JSON.
  if (from[0] === 'src' && to[0] !== 'src') return !target.endsWith('.json');
  if (TEST.test(target)) return true;
  if (from[0] !== 'src' || to[0] !== 'src')
    return (
      from[0] === 'web' &&
      to[0] === 'src' &&
      !WEB_MAY.includes(to[1]!) &&
      !WEB_MAY.includes(to.slice(1).join('/'))
    );
  const own = from[1]!;
  if (!Object.hasOwn(IMPORT_RULES, own)) return false; // main.ts, config.ts
  if (own === to[1]) return own === 'app' && isForbiddenSubject(from, to);
  const { may, types = [] } = IMPORT_RULES[own]!;
  return ![...may, ...types].some((name) => name === to[1] || name === to.slice(1).join('/'));
}

function isForbiddenSubject(from: readonly string[], to: readonly string[]): boolean {
  const levelOf = (parts: readonly string[]) =>
    APP_SUBJECTS.findIndex((subjects) => subjects.includes(parts[2]!));
  const [a, b] = [levelOf(from), levelOf(to)];
  return from[2] !== to[2] && a >= 0 && b >= 0 && b <= a;
}

/** Folders of src/ without a rule in the import table, and rules without a folder. */
export function foldersWithoutRule(): readonly string[] {
  const folders = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const ruled = Object.keys(IMPORT_RULES);
  return [
    ...folders.filter((name) => !ruled.includes(name)),
    ...ruled.filter((name) => !folders.includes(name)),
  ];
}
