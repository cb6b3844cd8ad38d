import { isPresent, readRecords } from '../data-set.ts';
import { claimText, follow, followAll } from '../engine.ts';
import { targetFigure, share, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { normalisedDifference, seriesStack } from '../series-stack.ts';
import { readNdviStack } from '../sources/ndvi-stack.ts';
import { JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const SAMPLES = 'matogrosso-modis-samples';
const STACK = 'matogrosso-modis-stack';
const PIXEL_AREA_M2 = 231.656 ** 2; // MOD13Q1, nominally 250 m
const FROM_MS = Date.parse('2003-11-01'); // earliest date of the clearing: README
const TO_MS = Date.parse('2004-08-31');

const TOGETHER = 'all indices together';

function measurePoint(): Figure[] {
  const rows = readRecords(SAMPLES, 'point_2000_2018_6bands.csv');
  const metrics = {
    ndvi: rows.map(({ ndvi }) => Number(ndvi)),
    evi: rows.map(({ evi }) => Number(evi)),
    nbr: rows.map(({ nir, mir }) => normalisedDifference(Number(nir), Number(mir))),
  };
  const timesMs = rows.map(({ date }) => Date.parse(date!));
  const stack = seriesStack([{ timesMs, metrics }], PIXEL_AREA_M2);
  return [TOGETHER, ...Object.keys(metrics)].flatMap((metric) => {
    const { claims } = metric === TOGETHER ? followAll(stack) : follow(stack, metric);
    const losses = claims.filter(({ confirmedMs, direction }) => confirmedMs !== null && direction < 0);
    const hit = losses.some(({ firstAnomalyMs }) => firstAnomalyMs >= FROM_MS && firstAnomalyMs <= TO_MS);
    const early = losses.filter(({ firstAnomalyMs }) => firstAnomalyMs < FROM_MS);
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
  const samples = readRecords(SAMPLES, 'samples.csv');
  const rowsOf = Map.groupBy(readRecords(SAMPLES, 'series.csv'), (row) => row['id']!);
  const called = new Map<string, [number, number]>();
  // Samples of different years have different dates, so the samples of each year are one stack.
  for (const group of Map.groupBy(samples, ({ start_date }) => start_date!).values()) {
    const points = group.map(({ id }) => {
      const rows = rowsOf.get(id!)!;
      const ndvi = rows.map((row) => Number(row['ndvi']));
      return { timesMs: rows.map(({ date }) => Date.parse(date!)), metrics: { ndvi } };
    });
    const { claims } = follow(seriesStack(points, PIXEL_AREA_M2));
    const hit = new Set(claims.filter(({ confirmedMs }) => confirmedMs !== null).map(({ pixel }) => pixel));
    for (const [p, { label }] of group.entries()) {
      const count = called.get(label!) ?? [0, 0];
      called.set(label!, [count[0] + (hit.has(p) ? 1 : 0), count[1] + 1]);
    }
  }
  return [...called].map(([label, [part, whole]]) =>
    plainFigure(`one year of ${label}: confirmed change`, share(part, whole)),
  );
}

async function measureStack(): Promise<Figure[]> {
  const stack = await readNdviStack(STACK, 'ndvi.tif', PIXEL_AREA_M2);
  const { claims } = follow(stack);
  const losses = claims.filter(({ confirmedMs, direction }) => confirmedMs !== null && direction < 0);
  const standing = losses.filter(({ recoveredMs }) => recoveredMs === null);
  const pixels = stack.width * stack.height;
  const years = (stack.timesMs[stack.timesMs.length - 1]! - stack.timesMs[0]!) / JULIAN_YEAR_MS;
  const rate = (count: number): string => `${count}, ${(count / (pixels * years)).toFixed(4)} a pixel-year`;
  return [
    plainFigure(
      `confirmed losses on ${pixels} cropped pixels in ${years.toFixed(1)} years`,
      rate(losses.length),
    ),
    plainFigure('of them never taken back', rate(standing.length)),
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

/** MODIS stack with six years of double cropping. */
export const MATO_GROSSO_STACK: AccuracySet = {
  name: STACK,
  isPresent: () => isPresent(STACK),
  measure: measureStack,
};
