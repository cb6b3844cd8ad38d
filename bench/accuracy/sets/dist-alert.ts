import { COLOURS } from '../../../src/app/changes/backtest/svg-panels.ts';
import { scoreParts } from '../../../src/numerics/accuracy/score-decomposition.ts';
import { drawCurve } from '../dist-alert/curve-plot.ts';
import {
  accuracyDifference,
  alertAccuracy,
  alertsAt,
  statusAlerts,
  THRESHOLDS,
  type AlertAccuracy,
  type Alerts,
} from '../dist-alert/alerts.ts';
import { brierOf, labelsOf, pairedDifference, type Forecasts } from '../dist-alert/evaluation.ts';
import { FROZEN } from '../dist-alert/frozen-models.ts';
import { halvesOf } from '../dist-alert/halves.ts';
import { frozenForecasts, refittedForecasts } from '../dist-alert/models.ts';
import { followed } from '../dist-alert/states.ts';
import { isInFolder, readPixels, readStrata, SET, type DistPixel } from '../dist-alert/sample.ts';
import { targetFigure, plainFigure, share, type AccuracySet, type Figure } from '../figure.ts';

const ONGOING = [1, 2, 3, 4, 5, 6]; // statuses of DIST-ALERT: any ongoing alert
const CONFIRMED = [3, 6];
const SPLITS = 20; // number of further splits, on which all models are fitted again
const DIGITS = 4;

const accuracyText = ({ users, producers, lagDays, detected, losses }: AlertAccuracy): string =>
  `UA ${users.toFixed(3)} PA ${producers.toFixed(3)} lag ${lagDays.toFixed(1)} d (${detected} of ${losses})`;

const asForecasts = (alerts: Alerts): Forecasts => alerts.map((flags) => Float64Array.from(flags, Number));

/** Brier score of each model, and the difference of the shipped moving average to it. */
function brierFigures(pixels: readonly DistPixel[]): Figure[] {
  const { average, learnt, status } = frozenForecasts(pixels);
  const { miscalibration, discrimination, uncertainty } = scoreParts(
    average.flatMap((values) => [...values]),
    pixels.flatMap((pixel) => [...labelsOf(pixel)]),
  );
  const rows: readonly (readonly [name: string, forecasts: Forecasts, isRival: boolean])[] = [
    [`learnt model (EWMA and ${FROZEN.learnt.name})`, learnt, false],
    ['status look-up', status, true],
    ['status, any', asForecasts(statusAlerts(pixels, ONGOING)), true],
    ['status, confirmed', asForecasts(statusAlerts(pixels, CONFIRMED)), true],
  ];
  return [
    plainFigure('EWMA: Brier', brierOf(pixels, average).toFixed(DIGITS)),
    plainFigure(
      'EWMA: miscalibration, discrimination, uncertainty',
      [miscalibration, discrimination, uncertainty].map((x) => x.toFixed(DIGITS)).join(', '),
    ),
    ...rows.map(([name, forecasts, isRival]) => {
      const { low, high } = pairedDifference(pixels, average, forecasts);
      const what = `${name}: Brier, and EWMA minus it`;
      const difference = brierOf(pixels, average) - brierOf(pixels, forecasts);
      const found = `${brierOf(pixels, forecasts).toFixed(DIGITS)}, ${difference.toFixed(DIGITS)} (${low.toFixed(DIGITS)} to ${high.toFixed(DIGITS)})`;
      return isRival ? targetFigure(what, found, 'below 0', difference < 0) : plainFigure(what, found);
    }),
  ];
}

/** Accuracy of alerts, with 95 % intervals of the differences. */
function alertFigures(pixels: readonly DistPixel[], plots: boolean): Figure[] {
  const areas = readStrata();
  const { average, learnt } = frozenForecasts(pixels);
  const ongoing = statusAlerts(pixels, ONGOING);
  const confirmed = statusAlerts(pixels, CONFIRMED);
  const { suspected: ours, confirmed: sure } = followed(pixels);
  const rows: readonly (readonly [name: string, alerts: Alerts, other: string, others: Alerts])[] = [
    ['EWMA, suspected or confirmed', ours, 'any', ongoing],
    ['EWMA, confirmed', sure, 'confirmed', confirmed],
    [`learnt model from ${FROZEN.learnt.threshold}`, alertsAt(learnt, FROZEN.learnt.threshold), 'EWMA', ours],
  ];
  if (plots) {
    const curve = THRESHOLDS.map((threshold) => ({
      found: alertAccuracy(pixels, areas, alertsAt(average, threshold)),
    }));
    drawCurve('Moving average', curve, [
      ['DIST-ALERT, ongoing', alertAccuracy(pixels, areas, ongoing), COLOURS.orange],
      ['DIST-ALERT, confirmed', alertAccuracy(pixels, areas, confirmed), COLOURS.green],
    ]);
  }
  return [
    plainFigure('status, any', accuracyText(alertAccuracy(pixels, areas, ongoing))),
    plainFigure('status, confirmed', accuracyText(alertAccuracy(pixels, areas, confirmed))),
    ...rows.flatMap(([name, alerts, other, others]) => [
      plainFigure(name, accuracyText(alertAccuracy(pixels, areas, alerts))),
      plainFigure(`${name}, minus ${other}`, accuracyDifference(pixels, areas, alerts, others)),
    ]),
  ];
}

/** The departures that the service confirms, and whether the interpreters label a loss in them. */
function departureFigure(pixels: readonly DistPixel[]): Figure {
  const { events } = followed(pixels);
  const found = pixels.flatMap(({ labels, judgedFrom }, p) =>
    events[p]!.filter(({ confirmed }) => confirmed >= judgedFrom).map(
      ({ confirmed, recovered, posterior }) => ({
        stated: posterior,
        isLoss: labels.subarray(confirmed, recovered < 0 ? labels.length : recovered).includes(1),
      }),
    ),
  );
  const stated = found.reduce((sum, each) => sum + each.stated, 0) / found.length;
  const right = found.filter(({ isLoss }) => isLoss).length;
  return plainFigure(
    'confirmed departures with a labelled loss; mean probability stated',
    `${share(right, found.length)}; ${stated.toFixed(3)}`,
  );
}

/** Differences in Brier score on further splits: how much the result depends on the split. */
function splitFigures(pixels: readonly DistPixel[]): Figure[] {
  const runs = Array.from({ length: SPLITS }, (_, split) => {
    const halves = halvesOf(pixels, split + 2);
    const { average, learnt, status } = refittedForecasts(halves);
    const of = (theirs: Forecasts) => ({
      difference: brierOf(halves.report, average) - brierOf(halves.report, theirs),
      interval: pairedDifference(halves.report, average, theirs),
    });
    return { learnt: of(learnt), status: of(status) };
  });
  return (['learnt', 'status'] as const).map((name) => {
    const differences = runs.map((run) => run[name].difference).toSorted((a, b) => a - b);
    const mean = differences.reduce((sum, each) => sum + each, 0) / SPLITS;
    const lower = differences.filter((each) => each < 0).length;
    const better = runs.filter((run) => run[name].interval.high < 0).length;
    const worse = runs.filter((run) => run[name].interval.low > 0).length;
    return plainFigure(
      `${SPLITS} other splits, all fitted again: EWMA minus ${name === 'learnt' ? 'learnt model' : 'status look-up'}`,
      `${mean.toFixed(DIGITS)} (${differences[0]!.toFixed(DIGITS)} to ${differences.at(-1)!.toFixed(DIGITS)}); below 0 in ${lower}, interval below 0 in ${better}, above in ${worse}`,
    );
  });
}

function measure(plots: boolean): Figure[] {
  const pixels = readPixels();
  const fittedTo = new Set<number>(FROZEN.fittedPixels);
  const report = pixels.filter(({ id }) => !fittedTo.has(id));
  const cases = report.reduce((sum, pixel) => sum + labelsOf(pixel).length, 0);
  return [
    plainFigure(
      'judged, on pixels that nothing was fitted to',
      `${cases} observations of ${report.length} pixels`,
    ),
    ...brierFigures(report),
    ...alertFigures(report, plots),
    departureFigure(report),
    ...splitFigures(pixels),
  ];
}

/** Pixels around the world with daily labels: alerts of the service beside DIST-ALERT's own statuses. */
export const DIST_ALERT: AccuracySet = {
  name: SET,
  isPresent: isInFolder,
  measure: async ({ plots }) => measure(plots),
};
