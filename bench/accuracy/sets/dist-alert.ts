import { COLOURS } from '../../../src/app/changes/backtest/svg-panels.ts';
import { bootstrapInterval } from '../bootstrap.ts';
import { scoreParts } from '../../../src/numerics/accuracy/score-decomposition.ts';
import { Random } from '../../calibration/simulated-case.ts';
import { isPresent } from '../data-set.ts';
import { drawCurve } from '../dist-alert/curve-plot.ts';
import { alertAccuracy, type AlertAccuracy, type Alerts } from '../dist-alert/alerts.ts';
import {
  brierOf,
  DRAWS,
  labelsOf,
  looksAhead,
  modelForecasts,
  pairedDifference,
  SEED,
  statusForecasts,
  strataOf,
  type Forecasts,
} from '../dist-alert/evaluation.ts';
import { LOSS_MODELS, type LossModel } from '../dist-alert/loss-model.ts';
import { readPixels, readStrata, SET, type DistPixel } from '../dist-alert/sample.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure } from '../figure.ts';

const LATER_DAYS = 2; // our target: maximum excess of our mean lag over the lag of DIST-ALERT [days]
const TOLD_EACH = 4; // every fourth threshold is printed
const THRESHOLDS = Array.from({ length: 49 }, (_, i) => (i + 1) / 50);

const accuracyText = ({ users, producers, lagDays, detected, losses }: AlertAccuracy): string =>
  `UA ${users.toFixed(3)} PA ${producers.toFixed(3)} lag ${lagDays.toFixed(1)} d (${detected} of ${losses})`;

const statusAlerts = (pixels: readonly DistPixel[], statuses: readonly number[]): Alerts =>
  pixels.map((pixel) => pixel.statuses.slice(pixel.judgedFrom).map((status) => statuses.includes(status)));

const alertsAt = (forecasts: Forecasts, threshold: number): Alerts =>
  forecasts.map((values) => Array.from(values, (value) => value >= threshold));

/**
 * Alerts with a threshold that is learnt, for each pixel, from all other pixels. A threshold is a candidate if it
 * beats DIST-ALERT in user's and producer's accuracy with a mean lag at most 2 days longer. The middle candidate is
 * chosen, because the outermost ones would fail on another sample. If there is no candidate, the threshold with the
 * best F1 score is chosen.
 */
function alertsAtLearntThreshold(
  pixels: readonly DistPixel[],
  areas: ReadonlyMap<string, number>,
  forecasts: Forecasts,
  theirs: Alerts,
): Alerts {
  const candidates = THRESHOLDS.map((threshold) => alertsAt(forecasts, threshold));
  return pixels.map((_, p) => {
    const others = Uint32Array.from(pixels, (__, q) => (q === p ? 0 : 1));
    const beaten = alertAccuracy(pixels, areas, theirs, others);
    const found = candidates.map((alerts) => alertAccuracy(pixels, areas, alerts, others));
    const better = found.flatMap((each, i) => (isBetter(each, beaten) ? [i] : []));
    const scores = found.map(({ users, producers }) => (2 * users * producers) / (users + producers) || 0);
    const chosen = better[Math.floor(better.length / 2)] ?? scores.indexOf(Math.max(...scores));
    return candidates[chosen]![p]!;
  });
}

function isBetter(ours: AlertAccuracy, theirs: AlertAccuracy): boolean {
  return (
    ours.users > theirs.users &&
    ours.producers > theirs.producers &&
    ours.lagDays <= theirs.lagDays + LATER_DAYS
  );
}

/**
 * 95 % interval of the accuracy of our alerts minus the accuracy of DIST-ALERT's, by a bootstrap over pixels within
 * strata.
 */
function gain(
  pixels: readonly DistPixel[],
  areas: ReadonlyMap<string, number>,
  ours: Alerts,
  theirs: Alerts,
  which: 'users' | 'producers',
): string {
  const random = new Random(SEED);
  const { low, high } = bootstrapInterval(
    strataOf(pixels),
    (times) =>
      alertAccuracy(pixels, areas, ours, times)[which] - alertAccuracy(pixels, areas, theirs, times)[which],
    DRAWS,
    () => random.uniform(),
  );
  return `${low.toFixed(3)} to ${high.toFixed(3)}`;
}

/** Figures of a model's probabilities; only the model of the monitor has targets. */
function brierFigures(
  { name }: LossModel,
  pixels: readonly DistPixel[],
  ours: Forecasts,
  lookUp: Forecasts,
  isEngine: boolean,
): Figure[] {
  const { low, high } = pairedDifference(pixels, ours, lookUp);
  const what = `${name}: Brier, and its difference to the look-up`;
  const found = `${brierOf(pixels, ours).toFixed(5)}, ${low.toFixed(5)} to ${high.toFixed(5)} (95 %)`;
  const { miscalibration, discrimination, uncertainty } = scoreParts(
    ours.flatMap((values) => [...values]),
    pixels.flatMap((pixel) => [...labelsOf(pixel)]),
  );
  return [
    isEngine
      ? targetFigure(what, found, 'below 0 with its 95 % interval', high < 0)
      : plainFigure(what, found),
    plainFigure(
      `${name}: miscalibration, discrimination, uncertainty`,
      [miscalibration, discrimination, uncertainty].map((x) => x.toFixed(5)).join(', '),
    ),
  ];
}

/** Figures of alerts above a threshold. */
function alertFigures(
  { name }: LossModel,
  pixels: readonly DistPixel[],
  areas: ReadonlyMap<string, number>,
  ours: Forecasts,
  plots: boolean,
): Figure[] {
  const theirs = statusAlerts(pixels, [1, 2, 3, 4, 5, 6]);
  const ongoing = alertAccuracy(pixels, areas, theirs);
  const confirmed = alertAccuracy(pixels, areas, statusAlerts(pixels, [3, 6]));
  const alerts = alertsAtLearntThreshold(pixels, areas, ours, theirs);
  const learnt = alertAccuracy(pixels, areas, alerts);
  const curve = THRESHOLDS.map((threshold) => ({
    threshold,
    found: alertAccuracy(pixels, areas, alertsAt(ours, threshold)),
  }));
  if (plots)
    drawCurve(name, curve, [
      ['DIST-ALERT, ongoing', ongoing, COLOURS.orange],
      ['DIST-ALERT, confirmed', confirmed, COLOURS.green],
    ]);
  const good = curve.filter(({ found }) => isBetter(found, ongoing)).map(({ threshold }) => threshold);
  return [
    plainFigure('their "ongoing"', accuracyText(ongoing)),
    plainFigure('their "confirmed"', accuracyText(confirmed)),
    targetFigure(
      `${name}: alerts at the threshold learnt elsewhere`,
      accuracyText(learnt),
      `UA and PA above "ongoing", lag at most ${LATER_DAYS} days longer`,
      isBetter(learnt, ongoing),
    ),
    plainFigure(
      `${name}: UA and PA less those of "ongoing", 95 %`,
      `${gain(pixels, areas, alerts, theirs, 'users')}; ${gain(pixels, areas, alerts, theirs, 'producers')}`,
    ),
    plainFigure(`${name}: thresholds at which it is so`, good.join(', ') || 'none'),
    ...curve
      .filter((_, i) => i % TOLD_EACH === TOLD_EACH - 1)
      .map(({ threshold, found }) => plainFigure(`  at ${threshold.toFixed(2)}`, accuracyText(found))),
  ];
}

function measure(plots: boolean): Figure[] {
  const pixels = readPixels();
  const cases = pixels.reduce((sum, pixel) => sum + labelsOf(pixel).length, 0);
  const lookUp = statusForecasts(pixels);
  const figures = [
    plainFigure('judged', `${cases} observations of ${pixels.length} pixels`),
    plainFigure('Brier of the status look-up, leaving a pixel out', brierOf(pixels, lookUp).toFixed(5)),
  ];
  for (const model of LOSS_MODELS) {
    const isEngine = model === LOSS_MODELS[0];
    const ours = modelForecasts(model, pixels);
    figures.push(...brierFigures(model, pixels, ours, lookUp, isEngine));
    if (!isEngine) continue;
    const ahead = looksAhead(model, pixels);
    figures.push(targetFigure(`${model.name}: looks ahead`, ahead ? 'yes' : 'no', 'no', !ahead));
    figures.push(...alertFigures(model, pixels, readStrata(), ours, plots));
  }
  return figures;
}

/** Pixels around the world with daily labels, compared with DIST-ALERT's own statuses. */
export const DIST_ALERT: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async (plots) => measure(plots),
};
