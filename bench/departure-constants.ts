/**
 * Leave-one-set-out of the constants of the change monitor's departures. Moves a quarter of the constants at random
 * within the ranges that were tried for them, measures the monitor with each draw and with the release on all sources of
 * real series, and chooses the best of them without each source in turn, by one rule. Prints how the constants chosen
 * without a source do on it, beside those chosen with it and those of the release. `npm run bench -- departure-constants
 * NAME...`, where NAME is `--draws=NUMBER` (12), `--seed=NUMBER` or `--figures=FILE`, to which each draw is written and
 * from which a stopped run goes on. Needs the data sets beside the repository.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  drawConstants,
  shippedConstants,
  withConstants,
  type Constants,
} from './accuracy/left-out/drawn-constants.ts';
import {
  measureSources,
  merit,
  readSources,
  type SourceFigures,
} from './accuracy/left-out/judged-sources.ts';
import { CONVERSIONS } from './accuracy/sets/conversions.ts';
import { HARMLESS } from './accuracy/sets/harmless.ts';
import { TURA } from './accuracy/sets/tura.ts';
import { Random } from './calibration/simulated-case.ts';

/** What one choice of constants does on each source. */
interface Trial {
  readonly constants: Constants;
  readonly figures: readonly SourceFigures[];
}

/** Trials that a stopped run left, in the order of its draws; the first is the release. */
function readTrials(file: string | undefined): Trial[] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Trial);
}

async function runTrials(draws: number, seed: number, file: string | undefined): Promise<Trial[]> {
  const random = new Random(seed);
  const all = [shippedConstants(), ...Array.from({ length: draws }, () => drawConstants(random))];
  const trials = readTrials(file);
  for (const [i, { constants }] of trials.entries())
    if (i < all.length && JSON.stringify(constants) !== JSON.stringify(all[i]))
      throw new RangeError(`--figures: draw ${i} of the file is not of seed ${seed}, or of another release`);
  const missing = all.slice(trials.length);
  if (missing.length === 0) return trials.slice(0, all.length);
  const sources = await readSources(seed);
  for (const constants of missing) {
    const trial = { constants, figures: withConstants(constants, () => measureSources(sources)) };
    trials.push(trial);
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(trial)}\n`);
    console.error(`draw ${trials.length - 1} of ${draws}: ${meritOf(trial).toFixed(3)}`);
  }
  return trials;
}

/** Merit over all sources but one. */
function meritOf({ figures }: Trial, without = ''): number {
  return figures.reduce((sum, figure) => sum + (figure.source === without ? 0 : merit(figure)), 0);
}

function best(trials: readonly Trial[], without = ''): Trial {
  return trials.reduce((a, b) => (meritOf(b, without) > meritOf(a, without) ? b : a));
}

function figureText({ conversions, harmless, everConfirmed }: SourceFigures): string {
  return [
    ...conversions.map(
      ({ ground, pa, ua, lagDays }) => `${ground} ${pa.toFixed(3)}, ${ua.toFixed(3)}, ${lagDays.toFixed(0)}`,
    ),
    ...harmless.map(({ what, confirmed }) => `${what} ${confirmed.toFixed(2)} %`),
    ...(everConfirmed === null ? [] : [`ever confirmed ${everConfirmed.toFixed(1)} %`]),
  ].join('; ');
}

function print(trials: readonly Trial[]): void {
  const [release, ...drawn] = trials as [Trial, ...Trial[]];
  const withAll = best(drawn);
  const rank = drawn.filter((trial) => meritOf(trial) > meritOf(release)).length;
  console.log(
    `merit of the release ${meritOf(release).toFixed(3)}: ${rank} of ${drawn.length} draws are better`,
  );
  for (const { source } of release.figures) {
    const without = best(trials, source);
    const alone = trials.reduce((a, b) => (merit(of(b, source)) > merit(of(a, source)) ? b : a));
    console.log(`\n${source}`);
    for (const [what, trial] of [
      ['release', release],
      ['chosen with all sources', withAll],
      ['chosen without this source', without],
      ['best on this source alone', alone],
    ] as const)
      console.log(
        `  ${what.padEnd(27)} merit here ${merit(of(trial, source)).toFixed(3)}, draw ${trials.indexOf(trial)}: ` +
          figureText(of(trial, source)),
      );
  }
  console.log(`\nconstants of the best with all sources: ${JSON.stringify(withAll.constants)}`);
}

function of({ figures }: Trial, source: string): SourceFigures {
  return figures.find((figure) => figure.source === source)!;
}

const { values } = parseArgs({
  options: { draws: { type: 'string' }, seed: { type: 'string' }, figures: { type: 'string' } },
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
const draws = Number(values.draws ?? 12);
if (![CONVERSIONS, HARMLESS, TURA].every((set) => set.isPresent())) {
  console.error('The labelled data are not beside the repository');
  process.exitCode = 2;
} else if (!Number.isInteger(seed) || !Number.isInteger(draws) || draws < 1) {
  console.error('--seed and --draws: expected whole numbers, at least one draw');
  process.exitCode = 2;
} else {
  console.log(`seed ${seed}`);
  print(await runTrials(draws, seed, values.figures));
}
