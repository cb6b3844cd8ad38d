/**
 * Speed of baseline fits and scene updates in the monitoring kernel at 146 dates, 6 terms and 40 % gaps: one core
 * compared with the memory bandwidth, the plain TypeScript version and, if installed, the public library nrt (numba,
 * one thread); then all cores together. `GROUNDWATCH_BENCH_PYTHON` names a Python with nrt (`pip install nrt`);
 * default: `python3`. For each implementation the fastest of many short runs counts, because on a busy machine
 * it was disturbed least.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { MONITORING_RULE } from '../src/change/kernel/monitoring-rule.ts';
import { type FitRule, plainRule } from '../src/change/kernel/fit-rule.ts';
import { REC_CUSUM_CRITICAL } from '../src/change/statistics/cusum.ts';
import { harmonicDesign } from '../src/change/statistics/harmonic-design.ts';
import { leastSquares } from '../test/oracles/least-squares.ts';
import { PixelState } from '../test/oracles/pixel-state.ts';
import { sceneYears, simulatedSeries } from '../test/oracles/simulated-series.ts';
import { stateBytesPerPixel } from '../src/change/kernel/state-buffers.ts';
import { StripKernel } from '../src/change/kernel/strip-kernel.ts';
import { StripPool } from '../test/oracles/strip-pool.ts';
import { bandwidth, fetches } from './monitor/bandwidth.ts';
import { peerSpeeds } from './monitor/peer.ts';

const TIMES = 146;
const TERMS = 6;
/** Scenes of the history in the update runs; the other scenes are added one after the other. */
const HISTORY = 110;
/** Pixels in a fit run: few enough that some runs are undisturbed on a busy machine. */
const FIT_PIXELS = 512;
/** Pixels in an update run: enough that state and series are larger than the second-level cache. */
const UPDATE_PIXELS = 262_144;
/** Pixels whose series fit in the second-level cache, to measure the update without memory latency. */
const CACHED_PIXELS = 4096;
const PLAIN_PIXELS = 16;
/** Time for which a run is repeated [ms]; the fastest run counts. */
const PATIENCE_MS = 2000;
/** Number of times that all scenes after the history are added; the fastest scene counts. */
const ROUNDS = 8;

const design = harmonicDesign(sceneYears(TIMES), 2, true);
const sample = simulatedSeries(
  FIT_PIXELS,
  TIMES,
  { gaps: 0.4, noise: 300, outliers: 0.03, shifts: false },
  42,
);
const series = new Int16Array(UPDATE_PIXELS * TIMES);
for (let copy = 0; copy < UPDATE_PIXELS / FIT_PIXELS; copy++) series.set(sample, copy * sample.length);

const PLAIN = plainRule(TERMS);
const REJECTING: FitRule = { ...PLAIN, rejectBeyond: 3, rejectRounds: 1, observationsPerColumn: 3 };
const THREE_ROUNDS: FitRule = { ...REJECTING, rejectRounds: 3 };
const STABLE: FitRule = { ...PLAIN, historyCritical: REC_CUSUM_CRITICAL };
const ALL: FitRule = { ...THREE_ROUNDS, historyCritical: REC_CUSUM_CRITICAL };

/** Pixels per second in the fastest run [10^6]. */
function speed(pixels: number, work: () => void): number {
  let fastest = Infinity;
  for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS;) {
    const from = performance.now();
    work();
    fastest = Math.min(fastest, performance.now() - from);
  }
  return pixels / fastest / 1000;
}

function row(name: string, values: readonly string[]): void {
  console.log(name.padEnd(52) + values.map((value) => value.padStart(14)).join(''));
}

const figure = (value: number | undefined): string =>
  value === undefined ? '-' : value.toFixed(value < 0.1 ? 4 : value < 10 ? 2 : 0);

interface Line {
  readonly name: string;
  readonly kernel: number;
  readonly plain: number;
  readonly peer: number | undefined;
  readonly budget: string;
}

function print({ name, kernel, plain, peer, budget }: Line): void {
  const ratio = peer === undefined ? '-' : `${(kernel / peer).toFixed(0)}x`;
  row(name, [figure(kernel), figure(plain), figure(peer), `${(kernel / plain).toFixed(0)}x`, ratio, budget]);
}

/** Speed of the fits with a rule, in the kernel and in the plain version. */
function fits(rule: FitRule): { readonly kernel: number; readonly plain: number } {
  const kernel = new StripKernel({ design, kind: 'int16', capacity: FIT_PIXELS }, { fit: rule });
  kernel.views.samples.set(series.subarray(0, FIT_PIXELS * TIMES));
  const plainSeries = Array.from({ length: PLAIN_PIXELS }, (_, p) => plainSeriesOf(p));
  return {
    kernel: speed(FIT_PIXELS, () => kernel.fit(FIT_PIXELS, 0, TIMES)),
    plain: speed(PLAIN_PIXELS, () => {
      for (const values of plainSeries) leastSquares(design, values, rule, 0, TIMES);
    }),
  };
}

function plainSeriesOf(pixel: number): Float64Array {
  return Float64Array.from(series.subarray(pixel * TIMES, (pixel + 1) * TIMES), (v) =>
    v === -32_768 ? Number.NaN : v,
  );
}

/** Speed of the updates over all scenes after the history, in the kernel and in the plain version. */
function updates(fully: boolean, pixels: number): { readonly kernel: number; readonly plain: number } {
  const rules = { fit: PLAIN, monitoring: MONITORING_RULE };
  const kernel = new StripKernel({ design, kind: 'int16', capacity: pixels }, rules);
  kernel.views.samples.set(series.subarray(0, pixels * TIMES));
  kernel.fit(pixels, 0, HISTORY, true);
  const { scene, state } = kernel.state!;
  const begun = state.slice();
  const scenes = Array.from({ length: TIMES - HISTORY }, (_, i) =>
    Int16Array.from({ length: pixels }, (_, p) => series[p * TIMES + HISTORY + i]!),
  );
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    state.set(begun);
    for (const [i, samples] of scenes.entries()) {
      scene.set(samples);
      const from = performance.now();
      kernel.update(pixels, HISTORY + i, fully);
      fastest = Math.min(fastest, performance.now() - from);
    }
  }
  const plain = Array.from({ length: PLAIN_PIXELS }, (_, p) => {
    const values = plainSeriesOf(p);
    const fit = leastSquares(design, values, PLAIN, 0, HISTORY)!;
    return { values, state: () => new PixelState(design, MONITORING_RULE, fit, values) };
  });
  let states = plain.map(({ state }) => state());
  const plainSpeed = speed(PLAIN_PIXELS * scenes.length, () => {
    for (const [p, { values }] of plain.entries())
      for (let t = HISTORY; t < TIMES; t++) states[p]!.update(t, values[t]!);
    states = plain.map(({ state }) => state());
  });
  return { kernel: pixels / fastest / 1000, plain: plainSpeed };
}

/** Speed of fits and updates on all cores together [10^6 pixels per second of wall time]. */
async function together(threads: number): Promise<{ readonly fit: number; readonly update: number }> {
  const rules = { fit: ALL, monitoring: MONITORING_RULE };
  const pool = new StripPool({ design, kind: 'int16', capacity: UPDATE_PIXELS }, rules, threads);
  try {
    pool.views.samples.set(series);
    const pixels = 64 * FIT_PIXELS;
    let [fit, update] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      let begun = performance.now();
      await pool.fit(pixels, 0, HISTORY, true);
      fit = Math.max(fit, pixels / (performance.now() - begun) / 1000);
      begun = performance.now();
      await pool.update(UPDATE_PIXELS, HISTORY, false);
      update = Math.max(update, UPDATE_PIXELS / (performance.now() - begun) / 1000);
    }
    return { fit, update };
  } finally {
    await pool.close();
  }
}

console.log(
  `${cpus()[0]!.model}, ${availableParallelism()} cores, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`,
);
const gigabytes = bandwidth();
// An update reads the sample of a scene, and reads and writes the state.
const sceneBytes = 2 + 2 * stateBytesPerPixel(TERMS);
console.log(
  `memory moves ${gigabytes.toFixed(1)} GB/s for one core: at most ${figure((gigabytes * 1000) / (TIMES * 2))} Mpx/s of series, ${figure((gigabytes * 1000) / sceneBytes)} Mpx/s of scene and state; and ${figure(fetches(series, TIMES))} Mpx/s of single samples, as MOSUM needs them`,
);
const peer = peerSpeeds(design, series, TIMES, HISTORY);
console.log(peer === null ? 'nrt: not installed' : `nrt ${peer.version}, numba ${peer.numba}, one thread`);
row('\nMpx/s of one core', ['kernel', 'plain', 'nrt', 'over plain', 'over nrt', 'budget']);
const lines: [string, () => { kernel: number; plain: number }, number | undefined, string][] = [
  ['least squares, masked', () => fits(PLAIN), peer?.leastSquares, '>= 1.5'],
  ['... outliers rejected, refitted once', () => fits(REJECTING), undefined, ''],
  ['... up to three times', () => fits(THREE_ROUNDS), undefined, ''],
  ['stable history (ROC), then least squares', () => fits(STABLE), peer?.stableHistory, '>= 0.1, 20x'],
  ['... outliers rejected, refitted up to three times', () => fits(ALL), undefined, '>= 0.1'],
  ['update: EWMA and run', () => updates(false, UPDATE_PIXELS), peer?.ewma, '>= 60'],
  ['update: EWMA, run, MOSUM and CUSUM', () => updates(true, UPDATE_PIXELS), peer?.mosum, '>= 25'],
  ['... with the series in the cache', () => updates(true, CACHED_PIXELS), undefined, ''],
];
for (const [name, measure, theirs, budget] of lines) print({ name, ...measure(), peer: theirs, budget });
const threads = availableParallelism();
const { fit, update } = await together(threads);
console.log(
  `\n${threads} threads over shared memory, wall time: ${figure(fit)} Mpx/s fitted by all of it, ${figure(update)} Mpx/s updated`,
);
console.log(`load ${loadavg()[0]!.toFixed(1)} at the end`);
