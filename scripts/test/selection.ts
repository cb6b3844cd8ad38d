import { globSync } from 'node:fs';

/**
 * Ending of the names of test files that take long: kills again and again, backups, injected faults, browsers, clients in
 * Python, judged sets of data. A name is the only way in which a file says so.
 */
export const LONG = '.long.test.ts';

/** Option that runs the long files too. */
export const ALL = '--all';

/** Test files of a run. */
export interface Selection {
  /** Paths from the root of the checkout, sorted, so that given files run in the order of a run of all. */
  readonly files: readonly string[];
  /** Number of long files that are left out. */
  readonly leftOut: number;
}

/**
 * Chooses the test files of a run: without arguments all but the long ones, with `--all` all, and else the given ones,
 * long or not.
 * @param args files or patterns of files from the root, or `--all`. A file that is missing is kept: it becomes a failed
 *   test with its name
 * @param root of the checkout
 * @throws Error for another option, and for `--all` beside files
 */
export function selectTests(args: readonly string[], root: string): Selection {
  const option = args.find((arg) => arg.startsWith('-'));
  if (option !== undefined && (option !== ALL || args.length > 1))
    throw new Error(`expected no argument, ${ALL} alone, or test files; got ${args.join(' ')}`);
  if (option === undefined && args.length > 0) {
    const asked = args.flatMap((path) => {
      const found = globSync(path, { cwd: root });
      return found.length > 0 ? found : path;
    });
    return { files: asked.toSorted(), leftOut: 0 };
  }
  const all = allTests(root);
  const files = option === ALL ? all : all.filter((file) => !file.endsWith(LONG));
  return { files, leftOut: all.length - files.length };
}

/** All test files of a checkout, from its root, sorted. */
export function allTests(root: string): readonly string[] {
  return globSync('{src,bench,scripts,web,test}/**/*.test.ts', { cwd: root }).toSorted();
}

/** What the summary of a run says of the files that it left out; empty when there are none. */
export function tellLeftOut({ files, leftOut }: Selection): string {
  return leftOut === 0
    ? ''
    : `left out: ${leftOut} long test files of ${files.length + leftOut}; npm test -- ${ALL} runs them too`;
}
