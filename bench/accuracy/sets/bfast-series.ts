import { isPresent, readJson, readRecords } from '../data-set.ts';
import { claimText, follow } from '../engine.ts';
import { targetFigure, share, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { seriesStack } from '../series-stack.ts';
import { readSomalia, SOMALIA_PIXEL_AREA_M2, SOMALIA_SET as SET } from '../sources/somalia.ts';
import { detectAnomalies } from '../../../test/fixtures/detect-anomalies.ts';

const FROM_MS = Date.parse('2010-09-01'); // earliest accepted start of the drought ("late 2010 or early 2011": README)
const TO_MS = Date.parse('2011-04-30');

/** Start and severity of each fall that the anomaly detector finds and that starts in the drought. */
function droughtAnomalies(timesMs: readonly number[], ndvi: readonly number[]): string[] {
  const [found] = detectAnomalies([{ timesMs: Float64Array.from(timesMs), values: Float64Array.from(ndvi) }]);
  return found!.episodes
    .filter(({ residual, startIndex }) => residual < 0 && isInDrought(timesMs[startIndex]!))
    .map(
      ({ startIndex, severity }) =>
        `${new Date(timesMs[startIndex]!).toISOString().slice(0, 10)} ${severity}`,
    );
}

function isInDrought(ms: number): boolean {
  return ms >= FROM_MS && ms <= TO_MS;
}

function measure(): Figure[] {
  const rows = readRecords(SET, 'somalia_a.csv');
  const metrics = { ndvi: rows.map(({ ndvi }) => Number(ndvi)) };
  const dates = rows.map(({ date }) => Date.parse(date!));
  const anomalies = droughtAnomalies(dates, metrics.ndvi);
  const single = follow(seriesStack([{ timesMs: dates, metrics }], SOMALIA_PIXEL_AREA_M2));
  const falls = single.claims.filter(({ direction, status }) => direction < 0 && status !== 'rejected');
  const hit = falls.some(({ firstAnomalyMs }) => isInDrought(firstAnomalyMs));
  const wide = readSomalia();
  const expected = readJson(SET, 'expected_mod13c1.json') as {
    mod13c1_pixels_monitor_from_2010: Record<string, { break_decimal_year: number; magnitude: number }>;
  };
  const pixels = Object.entries(expected.mod13c1_pixels_monitor_from_2010);
  let [fallen, falling, anomalous] = [0, 0, 0];
  for (const [name, { magnitude }] of pixels) {
    if (magnitude >= 0) continue;
    falling++;
    const stack = wide.get(name)!;
    const { claims } = follow(stack);
    if (droughtAnomalies([...stack.timesMs], [...stack.metrics['ndvi']!]).length > 0) anomalous++;
    const seen = claims.some(
      ({ direction, status, flaggedMs }) =>
        direction < 0 &&
        status !== 'rejected' &&
        flaggedMs >= FROM_MS &&
        flaggedMs <= Date.parse('2012-02-01'),
    );
    if (seen) fallen++;
  }
  return [
    targetFigure(
      'somalia_a: the drought of 2010-2011, as an anomaly or a fall',
      [...anomalies, ...falls.map(claimText)].join('; ') || 'nothing',
      'first seen 2010-09 to 2011-04',
      hit || anomalies.length > 0,
    ),
    plainFigure('somalia_a: flagged as a fall', falls.map(claimText).join('; ') || 'nothing'),
    plainFigure('0.05 degree pixels that bfastmonitor calls falling: flagged', share(fallen, falling)),
    plainFigure('the same pixels: anomalous', share(anomalous, falling)),
  ];
}

/** MODIS series of Somalia with a drought. The R package bfast (bfastmonitor) has determined its start. */
export const BFAST_SERIES: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
