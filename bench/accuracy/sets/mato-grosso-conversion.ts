import { isPresent, readRecords } from '../data-set.ts';
import {
  followBy,
  scoreDetections,
  standingDetections,
  TOGETHER,
  type Detection,
  type PixelTruth,
} from '../detections/detection.ts';
import { NRT_ABSENT, isNrtPresent, referenceRows } from '../detections/reference-rows.ts';
import { scoreFigure } from '../detections/score-figures.ts';
import { share, plainFigure, targetFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readMatoGrosso } from '../sources/mato-grosso.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const SET = 'matogrosso-modis-conversion';
const DRY_SEASON = '-06-09'; // day 160 of the year, on which the dry season begins: README. Lags are counted from it.
const WITHIN_MS = 120 * DAY_MS; // our target: time from the first anomaly to the confirmation
const LEAST_FIELD = 3; // a smaller group of converted pixels is the corner of another field, and is not judged

interface Place {
  readonly row: number;
  readonly col: number;
}

/** Whether each place is in a field: a group of at least three places that touch each other. */
function inField(places: readonly Place[]): boolean[] {
  const touches = (a: Place, b: Place): boolean =>
    Math.abs(a.row - b.row) <= 1 && Math.abs(a.col - b.col) <= 1;
  return places.map((place) => {
    const group = new Set([place]);
    for (const member of group) for (const other of places) if (touches(member, other)) group.add(other);
    return group.size >= LEAST_FIELD;
  });
}

/** Truth of each pixel: a converted one changed in the year of its first bare dry season. */
export function readTruths(width: number): PixelTruth[] {
  const rows = readRecords(SET, 'pixels.csv');
  const converted = rows.filter((row) => row['class'] === 'converted');
  const isField = inField(converted.map(({ row, column }) => ({ row: Number(row), col: Number(column) })));
  const truths: PixelTruth[] = [];
  for (const row of rows) {
    const year = Number(row['first_bare_dry_season']);
    const place = Number(row['row']) * width + Number(row['column']);
    const fromMs = Date.UTC(year, 0, 1);
    truths[place] =
      row['class'] === 'stable_forest'
        ? 'stable'
        : isField[converted.indexOf(row)] === true
          ? {
              changedMs: Date.parse(`${year}${DRY_SEASON}`),
              fromMs,
              toMs: Date.UTC(year + 1, 0, 1) - 1,
              knownMs: fromMs,
            }
          : 'unknown';
  }
  return truths;
}

function figuresOf(metric: string, truths: readonly PixelTruth[], standing: readonly Detection[]): Figure[] {
  const score = scoreDetections(truths, standing);
  const inTime = scoreDetections(
    truths,
    standing.filter(({ onsetMs, toldMs }) => toldMs - onsetMs <= WITHIN_MS),
  ).found;
  const line = (what: string, found: string, target: string, holds: boolean): Figure =>
    metric === 'ndvi' || metric === TOGETHER
      ? targetFigure(what, found, target, holds)
      : plainFigure(what, found);
  const all = score.changed;
  return [
    line(
      `field standing, from its year, ${metric}`,
      share(score.found, all),
      `all ${all}`,
      score.found === all,
    ),
    line(`confirmed within 120 days, ${metric}`, share(inTime, all), `all ${all}`, inTime === all),
    line(
      `stable forest standing as changed, ${metric}`,
      share(score.wrong, score.stable),
      '0',
      score.wrong === 0,
    ),
    plainFigure(
      `field standing, and confirmed within 120 days of its first anomaly of any year, ${metric}`,
      share(
        new Set(
          standing
            .filter(
              ({ pixel, onsetMs, toldMs }) =>
                typeof truths[pixel] !== 'string' && toldMs - onsetMs <= WITHIN_MS,
            )
            .map(({ pixel }) => pixel),
        ).size,
        all,
      ),
    ),
    scoreFigure(`monitor, ${metric}`, score),
  ];
}

async function measure(): Promise<Figure[]> {
  const stack = await readMatoGrosso(SET);
  const truths = readTruths(stack.width);
  const figures = [TOGETHER, ...Object.keys(stack.metrics)].flatMap((metric) =>
    figuresOf(metric, truths, standingDetections(followBy(stack, metric))),
  );
  // The reference methods get all time before the year of the change as their history.
  const monitorMs = Math.min(...truths.flatMap((truth) => (typeof truth === 'string' ? [] : [truth.fromMs])));
  const job = { stack, metric: 'ndvi', historyMs: stack.timesMs[0]!, monitorMs };
  for (const { method, detections } of referenceRows([job]))
    figures.push(scoreFigure(`${method}, ndvi`, scoreDetections(truths, detections[0]!)));
  if (!isNrtPresent()) figures.push(plainFigure('nrt', NRT_ABSENT));
  return figures;
}

/** A forest in Mato Grosso that became a field in 2010, with stable forest around it. */
export const MATO_GROSSO_CONVERSION: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
