import type { ScoreParts } from '../../../numerics/accuracy/score-decomposition.ts';
import type { BacktestReport } from './backtest-collection.ts';
import { comparisonWords, daysWords, methodRows, type MethodRow } from './method-comparison.ts';
import { COLOURS, panelsSvg, type Panel } from './svg-panels.ts';

const BINS = 20; // number of bars in the histogram of forecasts
const AXIS_STEP_DAYS = 250; // the axis ends at a multiple of this, so that its five ticks are round numbers

/**
 * Draws a CORP reliability diagram: observed frequency over stated probability, with a histogram of the stated
 * probabilities.
 */
export function reliabilityPanel(
  { levels, score, miscalibration, discrimination }: ScoreParts,
  forecasts: readonly number[],
  title: string,
): Panel {
  const counts = new Float64Array(BINS);
  for (const forecast of forecasts) counts[Math.min(BINS - 1, Math.floor(forecast * BINS))]!++;
  return {
    title,
    xLabel: 'stated probability',
    yLabel: 'share that came true',
    xMax: 1,
    yMax: 1,
    series: [
      {
        kind: 'bars',
        name: 'share of the cases',
        colour: COLOURS.grey,
        points: Array.from(counts, (count, bin) => [(bin + 0.5) / BINS, count / forecasts.length] as const),
      },
      {
        kind: 'diagonal',
        name: '',
        colour: COLOURS.grey,
        points: [
          [0, 0],
          [1, 1],
        ],
      },
      {
        kind: 'line',
        name: `Brier ${score.toFixed(3)}, MCB ${miscalibration.toFixed(3)}, DSC ${discrimination.toFixed(3)}`,
        colour: COLOURS.blue,
        points: levels.flatMap(({ from, to, frequency }) => [
          [from, frequency] as const,
          [to, frequency] as const,
        ]),
      },
    ],
  };
}

/** Colours of the rows of a backtest, the monitor first. */
const ROW_COLOURS = [COLOURS.orange, COLOURS.blue, COLOURS.green, COLOURS.purple] as const;

/** Draws one curve per row, as steps over the days since the start of the label. */
function lagPanel(
  rows: readonly MethodRow[],
  { title, yLabel }: Pick<Panel, 'title' | 'yLabel'>,
  curveOf: (row: MethodRow) => readonly (readonly [days: number, value: number])[],
  nameOf: (row: MethodRow) => string,
): Panel {
  const curves = rows.map(curveOf);
  const last = Math.max(0, ...curves.map((curve) => curve.at(-1)?.[0] ?? 0));
  const xMax = AXIS_STEP_DAYS * Math.max(1, Math.ceil(last / AXIS_STEP_DAYS));
  return {
    title,
    xLabel: 'days from the start of the label to the detection',
    yLabel,
    xMax,
    yMax: 1,
    legend: 'below',
    series: rows.map((row, r) => ({
      kind: 'step' as const,
      name: nameOf(row),
      colour: ROW_COLOURS[r]!,
      points: [[0, 0], ...curves[r]!, [xMax, curves[r]!.at(-1)?.[1] ?? 0]],
    })),
  };
}

/** Draws the share of the dated changes that were detected and stand, over the days since their start. */
function detectionPanel(rows: readonly MethodRow[]): Panel {
  return lagPanel(
    rows,
    { title: 'Detection', yLabel: 'share of labelled changes' },
    ({ lagsDays, datedChanges }) => lagsDays.map((days, i) => [days, (i + 1) / datedChanges]),
    ({ name, lagsDays, datedChanges, lag }) =>
      `${name}: ${lagsDays.length} of ${datedChanges}${lag.medianDays === null ? '' : `, median ${daysWords(lag.medianDays)}`}`,
  );
}

/** Draws the F1 score over the days since the change. */
function accuracyPanel(rows: readonly MethodRow[]): Panel {
  return lagPanel(
    rows,
    { title: 'Accuracy by lag', yLabel: 'F1 score (by area)' },
    ({ lagAccuracy }) => lagAccuracy.points.map(({ days, f1 }) => [days, f1]),
    ({ name, lagAccuracy: { f1, levelOff } }) =>
      `${name}: ${f1 === null ? 'no dated change' : `F1 ${f1.toFixed(2)}`}${levelOff === null ? '' : `, level after ${daysWords(levelOff.days)}`}`,
  );
}

/**
 * Draws the reliability diagram, the detection curves and the accuracy by lag of a backtest as an SVG document, with
 * the comparison of the methods in words.
 */
export function backtestPlot(report: BacktestReport): string {
  const { collection, labels, scenes, modelVersion, outcomes } = report;
  const forecasts = outcomes.map(({ probability }) => probability);
  const rows = methodRows(report);
  return panelsSvg(
    [
      reliabilityPanel(report.brier, forecasts, 'Reliability of Groundwatch'),
      detectionPanel(rows),
      accuracyPanel(rows),
    ],
    `${collection.name} (${collection.metric}), ${scenes} scenes, ${labels} labels, ${modelVersion}. A change counts only if it stands at the end of the record.`,
    3,
    comparisonWords(report),
  );
}
