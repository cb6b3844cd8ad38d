import { isPresent, readRecords } from '../data-set.ts';
import {
  followBy,
  scoreDetections,
  standingDetections,
  TOGETHER,
  type PixelTruth,
} from '../detections/detection.ts';
import { scoreFigure } from '../detections/score-figures.ts';
import { claimText, follow, type Claim, type SampleStack } from '../engine.ts';
import { targetFigure, share, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { normalisedDifference, seriesStack } from '../series-stack.ts';
import { clearings, drySeasons, MODIS_PIXEL_AREA_M2, readMatoGrosso } from '../sources/mato-grosso.ts';
import { readLabelledYears, readSampleYears, SAMPLES_SET as SAMPLES } from '../sources/samples.ts';
import { JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const STACK = 'matogrosso-modis-stack';
/** Accepted dates of the clearing of the point [ms since the Unix epoch]: README. */
export const POINT_CLEARED = { fromMs: Date.parse('2003-11-01'), toMs: Date.parse('2004-08-31') };

/** The long record of one pixel, which was cleared in 2003 or 2004. */
export function readPoint(): SampleStack {
  const rows = readRecords(SAMPLES, 'point_2000_2018_6bands.csv');
  const metrics = {
    ndvi: rows.map(({ ndvi }) => Number(ndvi)),
    evi: rows.map(({ evi }) => Number(evi)),
    nbr: rows.map(({ nir, mir }) => normalisedDifference(Number(nir), Number(mir))),
  };
  const timesMs = rows.map(({ date }) => Date.parse(date!));
  return seriesStack([{ timesMs, metrics }], MODIS_PIXEL_AREA_M2);
}

function measurePoint(): Figure[] {
  const stack = readPoint();
  return [TOGETHER, ...Object.keys(stack.metrics)].flatMap((metric) => {
    const { claims } = followBy(stack, metric);
    const losses = claims.filter(({ confirmedMs, direction }) => confirmedMs !== null && direction < 0);
    const hit = losses.some(
      ({ firstAnomalyMs }) => firstAnomalyMs >= POINT_CLEARED.fromMs && firstAnomalyMs <= POINT_CLEARED.toMs,
    );
    const early = losses.filter(({ firstAnomalyMs }) => firstAnomalyMs < POINT_CLEARED.fromMs);
    const aim =
      metric === 'ndvi' || metric === TOGETHER
        ? targetFigure
        : (what: string, found: string): Figure => plainFigure(what, found);
    return [
      aim(
        `forest cleared, ${metric}`,
        losses.map(claimText).join('; ') || 'nothing',
        'a loss first seen 2003-11 to 2004-08',
        hit,
      ),
      aim(`losses before it, ${metric} (two cloud dips)`, String(early.length), '0', early.length === 0),
    ];
  });
}

function measureYears(): Figure[] {
  const called = new Map<string, [number, number]>();
  const groups = [...Map.groupBy(readLabelledYears(), ({ start }) => start).values()];
  for (const [i, stack] of readSampleYears().entries()) {
    const { claims } = follow(stack);
    const hit = new Set(claims.filter(({ confirmedMs }) => confirmedMs !== null).map(({ pixel }) => pixel));
    for (const [p, { label }] of groups[i]!.entries()) {
      const count = called.get(label) ?? [0, 0];
      called.set(label, [count[0] + (hit.has(p) ? 1 : 0), count[1] + 1]);
    }
  }
  return [...called].map(([label, [part, whole]]) =>
    plainFigure(`one year of ${label}: confirmed change`, share(part, whole)),
  );
}

/** Truth of each pixel of the stack: farmland, but for the pixels whose dry seasons show that they were cleared. */
export function stackTruths(stack: SampleStack): PixelTruth[] {
  const cleared = clearings(drySeasons(stack));
  return Array.from({ length: stack.width * stack.height }, (_, p): PixelTruth => {
    const year = cleared.get(p);
    if (year === undefined) return 'stable';
    // Cleared after the dry season before, at the latest when the first bare dry season ended.
    const [fromMs, toMs] = [Date.UTC(year - 1, 8, 1), Date.UTC(year, 8, 1)];
    return { changedMs: (fromMs + toMs) / 2, fromMs, toMs, knownMs: fromMs };
  });
}

async function measureStack(): Promise<Figure[]> {
  const stack = await readMatoGrosso(STACK);
  const truths = stackTruths(stack);
  const cleared = truths.filter((truth) => truth !== 'stable');
  const pixels = stack.width * stack.height;
  const years = (stack.timesMs.at(-1)! - stack.timesMs[0]!) / JULIAN_YEAR_MS;
  const isTrue = ({ pixel, firstAnomalyMs }: Claim): boolean => {
    const truth = truths[pixel]!;
    return typeof truth === 'object' && firstAnomalyMs >= truth.fromMs && firstAnomalyMs <= truth.toMs;
  };
  const rate = (count: number): string => `${count}, ${(count / (pixels * years)).toFixed(4)} a pixel-year`;
  return [
    plainFigure(`pixels cleared, of ${pixels}, by their dry seasons`, String(cleared.length)),
    ...[TOGETHER, 'ndvi'].flatMap((metric) => {
      const finding = followBy(stack, metric);
      const losses = finding.claims.filter(
        ({ confirmedMs, direction }) => confirmedMs !== null && direction < 0,
      );
      const wrong = losses.filter((claim) => !isTrue(claim));
      const standing = wrong.filter(({ recoveredMs }) => recoveredMs === null);
      return [
        scoreFigure(`clearings standing, ${metric}`, scoreDetections(truths, standingDetections(finding))),
        plainFigure(`confirmed losses elsewhere in ${years.toFixed(1)} years, ${metric}`, rate(wrong.length)),
        plainFigure(`of them never taken back, ${metric}`, rate(standing.length)),
      ];
    }),
  ];
}

/**
 * One-year MODIS samples and one long record from Mato Grosso, with a clearing, dips caused by clouds, and harvests.
 */
export const MATO_GROSSO_SAMPLES: AccuracySet = {
  name: SAMPLES,
  isPresent: () => isPresent(SAMPLES),
  measure: async () => [...measurePoint(), ...measureYears()],
};

/** MODIS stack with six years of double cropping, and a few pixels that were cleared. */
export const MATO_GROSSO_STACK: AccuracySet = {
  name: STACK,
  isPresent: () => isPresent(STACK),
  measure: measureStack,
};
