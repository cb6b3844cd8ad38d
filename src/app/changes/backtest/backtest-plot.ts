import type { ScoreParts } from '../../../numerics/accuracy/score-decomposition.ts';
import type { BacktestReport } from './backtest-collection.ts';
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

/** Draws the detection curve: share of the dated changes that were detected, over the days after their start. */
function detectionPanel({ lagsDays, datedChanges, lag }: BacktestReport): Panel {
  const xMax = AXIS_STEP_DAYS * Math.max(1, Math.ceil((lagsDays.at(-1) ?? 0) / AXIS_STEP_DAYS));
  const steps = lagsDays.map((days, i) => [Math.max(0, days), (i + 1) / datedChanges] as const);
  const median = lag.medianDays === null ? 'none found' : `median ${lag.medianDays.toFixed(0)} days`;
  return {
    title: 'Detection',
    xLabel: 'days from the start of the label to the detection',
    yLabel: 'share of labelled changes',
    xMax,
    yMax: 1,
    series: [
      {
        kind: 'step',
        name: `${lagsDays.length} of ${datedChanges} found, ${median}`,
        colour: COLOURS.orange,
        points: [[0, 0], ...steps, [xMax, steps.at(-1)?.[1] ?? 0]],
      },
    ],
  };
}

/** Draws the reliability diagram and the detection curve of a backtest as an SVG document. */
export function backtestPlot(report: BacktestReport): string {
  const { collection, labels, scenes, modelVersion, outcomes } = report;
  const forecasts = outcomes.map(({ probability }) => probability);
  return panelsSvg(
    [reliabilityPanel(report.brier, forecasts, 'Reliability'), detectionPanel(report)],
    `${collection.name} (${collection.metric}), ${scenes} scenes, ${labels} labels, ${modelVersion}`,
  );
}
