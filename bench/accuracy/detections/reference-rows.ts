import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StructuralBreaks } from '../../../src/change/structural-breaks.ts';
import type { SampleStack } from '../engine.ts';
import type { Detection } from './detection.ts';
import { likePixels } from './like-pixels.ts';

/** A stack for the reference methods, which follow one metric from a date on and fit to the time before it. */
export interface ReferenceJob {
  readonly stack: SampleStack;
  readonly metric: string;
  /** Start of the history and start of monitoring [ms since the Unix epoch]. */
  readonly historyMs: number;
  readonly monitorMs: number;
}

/** What a reference method finds: its name, and the detections in each of the jobs. */
export interface ReferenceRow {
  readonly method: string;
  readonly detections: readonly (readonly Detection[])[];
}

const PYTHON = process.env['GROUNDWATCH_BENCH_PYTHON'] ?? 'python3';

/** Why the rows of the library nrt are missing. */
export const NRT_ABSENT = 'nrt is not installed: GROUNDWATCH_BENCH_PYTHON names a Python that has it';

/** Name of the method of like pixels. */
export const LIKE_PIXELS = 'like pixels';

let hasNrt: boolean | undefined;

/** Whether the Python of the benchmark has the library nrt. */
export function isNrtPresent(): boolean {
  hasNrt ??= spawnSync(PYTHON, ['-c', 'import nrt.monitor.mosum']).status === 0;
  return hasNrt;
}

/**
 * Runs the reference methods on the same pixels as the monitor: BFAST Monitor as in `backtest`, the method of like
 * pixels, and EWMA, CuSum, MOSUM and IQR of the public library nrt if it is installed. A break of BFAST Monitor and of
 * nrt stands, as they stop at it. The method of like pixels needs a grid and takes changes back; it has no start of
 * monitoring, but a change that was confirmed before that start does not count.
 */
export function referenceRows(jobs: readonly ReferenceJob[]): ReferenceRow[] {
  const bfast = { method: 'BFAST Monitor', detections: jobs.map(structuralBreaks) };
  const likes = {
    method: LIKE_PIXELS,
    detections: jobs.map(({ stack, metric, monitorMs }) =>
      likePixels(stack, metric).filter(({ toldMs }) => toldMs >= monitorMs),
    ),
  };
  return isNrtPresent() ? [bfast, likes, ...nrtRows(jobs)] : [bfast, likes];
}

function structuralBreaks({ stack, metric, historyMs, monitorMs }: ReferenceJob): Detection[] {
  const pixels = stack.width * stack.height;
  const times = stack.timesMs.length;
  const from = firstAtOrAfter(stack.timesMs, historyMs);
  const series = new Float32Array(pixels * (times - from));
  const values = stack.metrics[metric]!;
  for (let p = 0; p < pixels; p++)
    series.set(values.subarray(p * times + from, (p + 1) * times), p * (times - from));
  const crossed = new StructuralBreaks([...stack.timesMs.subarray(from)], monitorMs, pixels).of(series);
  return Array.from(crossed, (ms, pixel) => ({ pixel, onsetMs: ms, toldMs: ms })).filter(
    ({ onsetMs }) => !Number.isNaN(onsetMs),
  );
}

function nrtRows(jobs: readonly ReferenceJob[]): ReferenceRow[] {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
  try {
    const specs = jobs.map(({ stack, metric, historyMs, monitorMs }, number) => {
      writeFileSync(join(folder, `${number}.f32`), Float32Array.from(stack.metrics[metric]!));
      return {
        times: Array.from(stack.timesMs, (ms) => new Date(ms).toISOString().slice(0, 10)),
        pixels: stack.width * stack.height,
        from: firstAtOrAfter(stack.timesMs, historyMs),
        until: firstAtOrAfter(stack.timesMs, monitorMs),
      };
    });
    writeFileSync(join(folder, 'jobs.json'), JSON.stringify(specs));
    const script = join(import.meta.dirname, 'nrt_rows.py');
    const run = spawnSync(PYTHON, ['-W', 'ignore', script, folder], {
      env: { ...process.env, NUMBA_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (run.status !== 0) throw new Error(`nrt_rows.py ended with ${run.status}`);
    const found = JSON.parse(readFileSync(join(folder, 'detections.json'), 'utf8')) as Record<
      string,
      [pixel: number, scene: number][][]
    >;
    return Object.entries(found).map(([method, lists]) => ({
      method: `nrt ${method}`,
      detections: lists.map((list, number) =>
        list.map(([pixel, scene]) => {
          const ms = jobs[number]!.stack.timesMs[scene]!;
          return { pixel, onsetMs: ms, toldMs: ms };
        }),
      ),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function firstAtOrAfter(timesMs: Float64Array, ms: number): number {
  const index = timesMs.findIndex((time) => time >= ms);
  return index < 0 ? timesMs.length : index;
}
