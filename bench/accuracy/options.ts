import { statSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Run } from './figure.ts';

/** Settings of one run of the accuracy benchmark. */
export interface Options extends Run {
  /** Names of the sets to measure; all if empty. */
  readonly names: readonly string[];
  /** Folder of the data sets; null for the one next to the repository. */
  readonly data: string | null;
  /** Whether to print one JSON document instead of a table. */
  readonly json: boolean;
}

const SEEDS = 2 ** 31; // number of seeds

/**
 * Reads the command line of the benchmark.
 * @param known names of all sets
 * @throws RangeError that names what is wrong: an unknown flag or set, a folder that is absent, a seed that is no seed
 */
export function readOptions(words: readonly string[], known: readonly string[]): Options {
  const { values, positionals } = parseWords(words);
  const { data = null, seed, json = false, plot = false } = values;
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new RangeError(`There is no set ${unknown.join(', ')}: ${known.join(', ')}`);
  if (data !== null && statSync(data, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new RangeError(`--data: expected a folder of data sets, but there is no folder ${data}`);
  if (seed !== undefined && !(/^\d+$/.test(seed) && Number(seed) < SEEDS))
    throw new RangeError(`--seed: expected a whole number from 0 to ${SEEDS - 1}, got ${seed}`);
  return {
    names: positionals,
    data,
    json,
    plots: plot,
    seed: seed === undefined ? randomInt(SEEDS) : Number(seed),
  };
}

interface Words {
  readonly values: {
    readonly data?: string | undefined;
    readonly seed?: string | undefined;
    readonly json?: boolean | undefined;
    readonly plot?: boolean | undefined;
  };
  readonly positionals: string[];
}

function parseWords(words: readonly string[]): Words {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean' },
        plot: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new RangeError(
      `${(error as Error).message}. The flags are --data FOLDER, --seed NUMBER, --json and --plot`,
      { cause: error },
    );
  }
}
