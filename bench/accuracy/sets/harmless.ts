import { isPresent } from '../data-set.ts';
import { followBy, standingDetections, TOGETHER } from '../detections/detection.ts';
import { isNrtPresent, NRT_ABSENT, referenceRows } from '../detections/reference-rows.ts';
import type { SampleStack } from '../engine.ts';
import { plainFigure, targetFigure, type AccuracySet, type Figure, type Run } from '../figure.ts';
import { SOURCES } from './conversions.ts';
import { clearings, drySeasons, readMatoGrosso } from '../sources/mato-grosso.ts';
import { readSlovenia, SLOVENIA_SET, sloveniaEvents } from '../sources/slovenia.ts';
import { readSomalia, SOMALIA_SET } from '../sources/somalia.ts';
import { readTowers, TOWERS_SET } from '../sources/towers.ts';
import { MATO_GROSSO_SETS, matoGrossoGrounds } from '../spliced/mato-grosso-ground.ts';
import { disturbedStack } from '../spliced/passing.ts';
import { SAMPLES_SET } from '../sources/samples.ts';
import { sampleGrounds } from '../spliced/sample-ground.ts';
import { Random } from '../../calibration/simulated-case.ts';
import { stackOf } from '../spliced/splice.ts';
import { JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const SETS = [...MATO_GROSSO_SETS, SAMPLES_SET, SLOVENIA_SET, SOMALIA_SET, TOWERS_SET];
const MOST_CONFIRMED = 0.01; // our target: confirmed claims per pixel-year
const HISTORY_YEARS = 2; // history of the reference methods, from the start of each record

/** Stacks without a lasting change. */
export interface HarmlessStacks {
  readonly what: string;
  /** Source of the series, as in `conversions`. */
  readonly source: string;
  readonly stacks: readonly SampleStack[];
  /** Pixels of the stacks that really changed, which are not judged. */
  readonly changed: ReadonlySet<number>;
  /** Pixels with a planted disturbance that passes; empty where nothing is planted. */
  readonly disturbed?: ReadonlySet<number>;
}

/** Reads the stacks, and lays floods and coppice into some by the seed. */
export async function harmlessStacks(seed: number): Promise<HarmlessStacks[]> {
  const none: ReadonlySet<number> = new Set();
  const fields = await readMatoGrosso(MATO_GROSSO_SETS[0]!);
  const slovenia = await readSlovenia();
  const [forest, crops] = await matoGrossoGrounds();
  const flood = disturbedStack(crops!, 'flood', seed);
  const coppice = disturbedStack(forest!, 'coppice', seed);
  const samples = sampleGrounds().map((ground) => {
    const { width, height, series } = ground.land(new Random(seed));
    return stackOf(width, height, ground.pixelAreaM2, ground.timesMs, series);
  });
  return [
    {
      what: 'harvests and double crops',
      source: SOURCES.matoGrosso,
      stacks: [fields],
      changed: new Set(clearings(drySeasons(fields)).keys()),
    },
    {
      what: 'pasture, savanna, crops and forest, monthly',
      source: SOURCES.samples,
      stacks: samples,
      changed: none,
    },
    {
      what: 'mown and dry meadows beside forest',
      source: SOURCES.slovenia,
      stacks: [slovenia],
      changed: new Set(sloveniaEvents(slovenia.width).keys()),
    },
    {
      what: 'flux towers with their dry years',
      source: 'towers',
      stacks: [...readTowers().values()],
      changed: none,
    },
    { what: 'drought of Somalia', source: 'Somalia', stacks: [...readSomalia().values()], changed: none },
    {
      what: 'floods that drain, on fields and in forest',
      source: SOURCES.matoGrosso,
      stacks: [flood.stack],
      changed: none,
      disturbed: flood.disturbed,
    },
    {
      what: 'coppice that grows again',
      source: SOURCES.matoGrosso,
      stacks: [coppice.stack],
      changed: none,
      disturbed: coppice.disturbed,
    },
  ];
}

/** Claims of one method: those confirmed at any time, and those that stand at the end. */
export interface Count {
  readonly confirmed: number;
  readonly standing: number;
  /** Disturbed pixels that were confirmed at any time. */
  readonly disturbed?: number;
}

/** Length of a record [years]. */
export function yearsOf({ timesMs }: SampleStack): number {
  return (timesMs.at(-1)! - timesMs[0]!) / JULIAN_YEAR_MS;
}

/** Counts what the monitor claims in stacks without a lasting change. */
export function countMonitor({ stacks, changed, disturbed }: HarmlessStacks, metric: string): Count {
  const told = new Set<number>();
  let [confirmed, standing] = [0, 0];
  for (const stack of stacks) {
    const finding = followBy(stack, metric);
    confirmed += finding.claims.filter(
      ({ confirmedMs, pixel }) => confirmedMs !== null && !changed.has(pixel),
    ).length;
    for (const { confirmedMs, pixel } of finding.claims)
      if (confirmedMs !== null && disturbed?.has(pixel) === true) told.add(pixel);
    standing += standingDetections(finding).filter(({ pixel }) => !changed.has(pixel)).length;
  }
  return { confirmed, standing, disturbed: told.size };
}

async function measure({ seed }: Run): Promise<Figure[]> {
  const groups = await harmlessStacks(seed);
  const pixelYears = groups.map(({ stacks, changed }) =>
    stacks.reduce((sum, stack) => sum + (stack.width * stack.height - changed.size) * yearsOf(stack), 0),
  );
  const counts = new Map<string, Count[]>();
  for (const metric of [TOGETHER, 'ndvi'])
    counts.set(
      `monitor, ${metric}`,
      groups.map((group) => countMonitor(group, metric)),
    );
  const jobs = groups.flatMap(({ stacks, changed }, group) =>
    stacks.map((stack) => ({ stack, changed, group })),
  );
  const rows = referenceRows(
    jobs.map(({ stack }) => ({
      stack,
      metric: 'ndvi',
      historyMs: stack.timesMs[0]!,
      monitorMs: stack.timesMs[0]! + HISTORY_YEARS * JULIAN_YEAR_MS,
    })),
  );
  for (const { method, detections } of rows)
    counts.set(
      `${method}, ndvi`,
      groups.map((_, group) => {
        const standing = jobs.reduce(
          (sum, job, i) =>
            job.group === group
              ? sum + detections[i]!.filter(({ pixel }) => !job.changed.has(pixel)).length
              : sum,
          0,
        );
        return { confirmed: standing, standing };
      }),
    );
  const figures: Figure[] = [];
  for (const [method, byGroup] of counts) {
    const all = {
      confirmed: byGroup.reduce((sum, { confirmed }) => sum + confirmed, 0),
      standing: byGroup.reduce((sum, { standing }) => sum + standing, 0),
    };
    const isAimed = method.startsWith('monitor');
    figures.push(
      line(
        `all: ${method}`,
        all,
        pixelYears.reduce((sum, years) => sum + years, 0),
        isAimed,
      ),
    );
    for (const [i, count] of byGroup.entries())
      figures.push(
        line(`${groups[i]!.what}: ${method}`, count, pixelYears[i]!, isAimed),
        ...disturbedFigure(`${groups[i]!.what}: ${method}`, groups[i]!, count, pixelYears[i]!),
      );
  }
  if (!isNrtPresent()) figures.push(plainFigure('nrt', NRT_ABSENT));
  return figures;
}

/**
 * How much of the land was disturbed: a method that confirms each real felling or flood once, and nothing else, has this
 * rate.
 */
function disturbedFigure(what: string, { disturbed }: HarmlessStacks, count: Count, years: number): Figure[] {
  if (disturbed === undefined || count.disturbed === undefined) return [];
  const rate = disturbed.size / years;
  const found =
    `${(100 * rate).toFixed(2)} % of pixel-years disturbed (${disturbed.size} pixels), ` +
    `${count.disturbed} of these pixels confirmed at any time`;
  const numbers = { disturbed: disturbed.size, disturbedRate: rate, confirmed: count.disturbed };
  return [{ ...plainFigure(`${what}, disturbed`, found), numbers }];
}

function line(what: string, { confirmed, standing }: Count, years: number, isAimed: boolean): Figure {
  const rate = confirmed / years;
  const found =
    `${(100 * rate).toFixed(2)} % of ${years.toFixed(0)} pixel-years confirmed (${confirmed}), ` +
    `${((100 * standing) / years).toFixed(2)} % standing (${standing})`;
  const numbers = {
    pixelYears: years,
    confirmed,
    standing,
    confirmedRate: rate,
    standingRate: standing / years,
  };
  const figure = isAimed
    ? targetFigure(what, found, `at most ${100 * MOST_CONFIRMED} % confirmed`, rate <= MOST_CONFIRMED)
    : plainFigure(what, found);
  return { ...figure, numbers };
}

/**
 * Real series without a lasting change: harvests, mowing, droughts, and floods and coppice laid into them. Reference
 * methods never take a break back; they monitor from two years after the start of a record.
 */
export const HARMLESS: AccuracySet = {
  name: 'harmless',
  isPresent: () => SETS.every(isPresent),
  measure,
};
