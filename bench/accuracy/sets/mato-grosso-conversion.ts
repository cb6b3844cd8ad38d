import { isPresent, readRecords } from '../data-set.ts';
import {
  followBy,
  scoreDetections,
  standingDetections,
  TOGETHER,
  type PixelTruth,
} from '../detections/detection.ts';
import { NRT_ABSENT, isNrtPresent, referenceRows } from '../detections/reference-rows.ts';
import { scoreFigure } from '../detections/score-figures.ts';
import { share, plainFigure, targetFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readMatoGrosso } from '../sources/mato-grosso.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const SET = 'matogrosso-modis-conversion';
const FIELD = { rows: [1, 6], cols: [3, 7] } as const; // field of the 16 converted pixels: README
const FROM_MS = Date.parse('2010-01-01'); // range of the first anomaly: README, our target
const TO_MS = Date.parse('2010-12-31');
// First dry season without forest is that of 2010; it begins on day 160 (README). Lags are counted from there.
const CHANGED_MS = Date.parse('2010-06-09');
const WITHIN_MS = 120 * DAY_MS; // our target: time from the first anomaly to the confirmation
const HISTORY_MS = Date.parse('2007-09-14'); // start of the record
const MONITOR_MS = Date.parse('2010-01-01'); // reference methods: history is all time before the year of the change

async function measure(): Promise<Figure[]> {
  const stack = await readMatoGrosso(SET);
  const rows = readRecords(SET, 'pixels.csv');
  const within = (value: number, [low, high]: readonly [number, number]): boolean =>
    value >= low && value <= high;
  const isField = rows.map(
    (row) =>
      row['class'] === 'converted' &&
      within(Number(row['row']), FIELD.rows) &&
      within(Number(row['column']), FIELD.cols),
  );
  const truths = rows.map((row, p): PixelTruth => {
    if (isField[p]!) return { changedMs: CHANGED_MS, fromMs: FROM_MS, toMs: TO_MS, knownMs: FROM_MS };
    return row['class'] === 'stable_forest' ? 'stable' : 'unknown';
  });
  const field = [...truths.keys()].filter((p) => isField[p]!);
  const figures = [TOGETHER, ...Object.keys(stack.metrics)].flatMap((metric) => {
    const finding = followBy(stack, metric);
    const standing = standingDetections(finding);
    const aim = metric === 'ndvi' || metric === TOGETHER;
    const score = scoreDetections(truths, standing);
    const inTime = field.filter((p) =>
      standing.some(
        ({ pixel, onsetMs, toldMs }) =>
          pixel === p && onsetMs >= FROM_MS && onsetMs <= TO_MS && toldMs - onsetMs <= WITHIN_MS,
      ),
    ).length;
    const line = (what: string, found: string, target: string, holds: boolean): Figure =>
      aim ? targetFigure(what, found, target, holds) : plainFigure(what, found);
    return [
      line(
        `field standing, from 2010, ${metric}`,
        share(score.found, score.changed),
        `all ${score.changed}`,
        score.found === score.changed,
      ),
      line(
        `of it confirmed within 120 days, ${metric}`,
        share(inTime, score.changed),
        `all ${score.changed}`,
        inTime === score.changed,
      ),
      line(
        `stable forest standing as changed, ${metric}`,
        share(score.wrong, score.stable),
        '0',
        score.wrong === 0,
      ),
      scoreFigure(`monitor, ${metric}`, score),
    ];
  });
  const job = { stack, metric: 'ndvi', historyMs: HISTORY_MS, monitorMs: MONITOR_MS };
  for (const { method, detections } of referenceRows([job]))
    figures.push(scoreFigure(`${method}, ndvi`, scoreDetections(truths, detections[0]!)));
  if (!isNrtPresent()) figures.push(plainFigure('nrt', NRT_ABSENT));
  return figures;
}

/** A forest in Mato Grosso that became a field in 2010, with stable forest around it. */
export const MATO_GROSSO_CONVERSION: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
