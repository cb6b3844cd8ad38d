import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  COLOURS,
  panelsSvg,
  type Panel,
  type PanelSeries,
} from '../../../src/app/changes/backtest/svg-panels.ts';
import { MODEL_VERSION } from '../../../src/change/parameters.ts';
import { follow } from '../engine.ts';
import { plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { breakMs, clearingOf, simulate, STANDARD, type Simulation } from '../simulated-stack.ts';
import { DAY_MS } from '../../../src/base/time.ts';
import { YEAR_DAYS } from '../../../test/fakes/simulated-metric-series.ts';

const COLUMNS = 4; // panels in each row of the plot

/** Detection results in one simulated region. */
export interface Detection {
  /** Share of planted pixels that are in a confirmed object and have a confirmed loss that began after the clearing. */
  readonly recall: number;
  /** False confirmed changes per million pixel-years: outside all clearings, begun before them, or gains. */
  readonly falseAlarms: number;
  /** Median lag of the flag and of the confirmation after the clearing [days], over the pixels found; NaN if none. */
  readonly flagLagDays: number;
  readonly confirmLagDays: number;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Simulates a region, streams it through the monitor and returns the detection results. */
export function detect(simulation: Simulation): Detection {
  const fromMs = breakMs(simulation);
  const { claims, objects } = follow(simulate(simulation));
  const inObject = new Set(
    objects.filter(({ confirmedMs }) => confirmedMs !== null).flatMap(({ pixels }) => [...pixels]),
  );
  const confirmed = claims.filter(({ confirmedMs }) => confirmedMs !== null);
  const isRight = (pixel: number, direction: number, firstAnomalyMs: number): boolean =>
    clearingOf(simulation, pixel) >= 0 && direction < 0 && firstAnomalyMs >= fromMs;
  const right = confirmed.filter(
    ({ pixel, direction, firstAnomalyMs }) =>
      isRight(pixel, direction, firstAnomalyMs) && inObject.has(pixel),
  );
  const wrong = confirmed.filter(
    ({ pixel, direction, firstAnomalyMs }) => !isRight(pixel, direction, firstAnomalyMs),
  );
  const pixels = simulation.width * simulation.height;
  let planted = 0;
  for (let p = 0; p < pixels; p++) if (clearingOf(simulation, p) >= 0) planted++;
  return {
    recall: new Set(right.map(({ pixel }) => pixel)).size / planted,
    falseAlarms: (wrong.length / (pixels * simulation.years)) * 1e6,
    flagLagDays: median(right.map(({ flaggedMs }) => (flaggedMs - fromMs) / DAY_MS)),
    confirmLagDays: median(right.map(({ confirmedMs }) => (confirmedMs! - fromMs) / DAY_MS)),
  };
}

/** Parameters of the standard region that are varied, one at a time. */
export const SWEEPS: Readonly<Record<string, readonly (readonly [value: number, Partial<Simulation>])[]>> = {
  'magnitude [NDVI]': [0.05, 0.1, 0.15, 0.2, 0.3, 0.4].map((x) => [x, { magnitude: x }]),
  'side [pixels]': [1, 2, 3, 5, 8].map((x) => [x, { side: x }]),
  'clouded share': [0, 0.2, 0.4, 0.6, 0.75, 0.85].map((x) => [x, { gaps: x }]),
  'noise [NDVI]': [0.02, 0.04, 0.06, 0.08, 0.1].map((x) => [x, { noise: x }]),
  'lag-one correlation': [0, 0.3, 0.5, 0.7, 0.8].map((x) => [x, { rho: x }]),
  'winter scenes under snow': [0, 0.25, 0.5, 1].map((x) => [x, { snow: x }]),
  'drift [NDVI a year]': [-0.02, -0.01, 0, 0.01, 0.02].map((x) => [x, { drift: x }]),
  'history [years]': [0.5, 1, 1.5, 2.5, 4].map((x) => [x, { breakYears: x + 0.45, years: x + 2.5 }]),
};

/** Results of a sweep: the varied value and the detection at each point. */
type Curve = readonly (readonly [value: number, found: Detection])[];

function sweeps(): ReadonlyMap<string, Curve> {
  return new Map(
    Object.entries(SWEEPS).map(([name, points]) => [
      name,
      points.map(([value, change]) => [value, detect({ ...STANDARD, ...change })] as const),
    ]),
  );
}

/** Panel with the recall, lag and false alarms of one sweep. */
function panelOf(name: string, curve: Curve): Panel {
  const least = Math.min(0, ...curve.map(([value]) => value));
  const line = (label: string, colour: string, y: (found: Detection) => number): PanelSeries => ({
    kind: 'line',
    name: label,
    colour,
    points: curve
      .map(([value, found]) => [value - least, Math.min(1, y(found))] as const)
      .filter(([, height]) => Number.isFinite(height)),
  });
  return {
    title: name,
    xLabel: least < 0 ? `${name}, from ${least}` : name,
    yLabel: 'share, years',
    xMax: Math.max(...curve.map(([value]) => value)) - least,
    yMax: 1,
    series: [
      line('recall', COLOURS.blue, ({ recall }) => recall),
      line(
        'median years to confirmation',
        COLOURS.orange,
        ({ confirmLagDays }) => confirmLagDays / YEAR_DAYS,
      ),
      line('false, per 1,000 pixel-years', COLOURS.grey, ({ falseAlarms }) => falseAlarms / 1000),
    ],
  };
}

function draw(curves: ReadonlyMap<string, Curve>): void {
  const panels = [...curves].map(([name, curve]) => panelOf(name, curve));
  writeFileSync(
    join(import.meta.dirname, '../../../docs/methods/change-planted.svg'),
    panelsSvg(panels, `Clearings planted in simulated regions, ${MODEL_VERSION}`, COLUMNS),
  );
}

function measure(plots: boolean): Figure[] {
  const curves = sweeps();
  if (plots) draw(curves);
  return [...curves].flatMap(([name, curve]) =>
    curve.map(([value, { recall, falseAlarms, flagLagDays, confirmLagDays }]) =>
      plainFigure(
        `${name} ${value}`,
        `recall ${recall.toFixed(3)}, false ${falseAlarms.toFixed(0)} per million, ` +
          `flag ${flagLagDays.toFixed(0)} d, confirm ${confirmLagDays.toFixed(0)} d`,
      ),
    ),
  );
}

/** Clearings planted in simulated regions: recall, lag and false alarms. */
export const PLANTED: AccuracySet = {
  name: 'planted',
  isPresent: () => true,
  measure: async ({ plots }) => measure(plots),
};
