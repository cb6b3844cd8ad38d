import { DAY_MS } from '../../src/base/time.ts';
import type { Stack } from './resumed-passes.ts';
import { uniform } from './simulated-series.ts';

const SIDE = 16; // pixels
const STEP_DAYS = 16;
const START_MS = Date.UTC(2015, 0, 3);

/** A region whose plot changes its level [NDVI]. */
export interface ShiftedPlot {
  /** Mean level, and amplitude of the season, which is highest in March. */
  readonly level: number;
  readonly amplitude: number;
  readonly shift: number;
  readonly sinceMs: number;
  /** Number of columns of the plot: with one it is a strip of four pixels, else it has five rows. */
  readonly columns: number;
  /** Standard deviation of the noise. */
  readonly noise: number;
}

/** Whether a pixel is in the plot. */
export function isInPlot(pixel: number, { columns }: Pick<ShiftedPlot, 'columns'>): boolean {
  const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
  return row >= 4 && row < (columns === 1 ? 8 : 9) && column >= 4 && column < 4 + columns;
}

/** Simulates a composite of 16 days over three and a half years. */
export function shiftedPlot(plot: ShiftedPlot): Stack {
  const times = Math.floor((3.5 * 365.25) / STEP_DAYS);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const next = uniform(9);
  const ndvi = new Float64Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++) {
    for (const [t, timeMs] of timesMs.entries()) {
      const season = Math.cos((2 * Math.PI * (timeMs - Date.UTC(2015, 2, 10))) / (365.25 * DAY_MS));
      const noise = 2 * plot.noise * (next() + next() + next() - 1.5);
      const shift = isInPlot(p, plot) && timeMs >= plot.sinceMs ? plot.shift : 0;
      ndvi[p * times + t] = plot.level + plot.amplitude * season + noise + shift;
    }
  }
  const spec = { width: SIDE, height: SIDE, pixelAreaM2: 62_500, metric: 'ndvi', timesMs };
  return { spec, metrics: { ndvi } };
}
