import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Design } from '../../src/change/kernel/design-tables.ts';

/** Speeds of the public library nrt in its fastest run [10^6 pixels per second], and its version. */
export interface PeerSpeeds {
  readonly version: string;
  readonly numba: string;
  readonly leastSquares: number;
  readonly stableHistory: number;
  readonly ewma: number;
  readonly mosum: number;
}

/** Side of the square that nrt processes [pixels]: large enough that its arrays exceed the caches. */
const SIDE = 256;

/** Runs nrt on the same series with one thread; null when it is not installed. */
export function peerSpeeds(
  { rows, columns }: Design,
  series: Int16Array,
  times: number,
  history: number,
): PeerSpeeds | null {
  const python = process.env['GROUNDWATCH_BENCH_PYTHON'] ?? 'python3';
  if (spawnSync(python, ['-c', 'import nrt.monitor.mosum']).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
  try {
    writeFileSync(join(folder, 'design.f64'), rows);
    writeFileSync(join(folder, 'series.i16'), series.subarray(0, SIDE * SIDE * times));
    const script = join(import.meta.dirname, 'nrt_speeds.py');
    const shape = [times, columns, SIDE, history].map(String);
    const run = spawnSync(python, ['-W', 'ignore', script, folder, ...shape], {
      encoding: 'utf8',
      env: { ...process.env, NUMBA_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (run.status !== 0) throw new Error(`nrt_speeds.py ended with ${run.status}`);
    return JSON.parse(run.stdout.trim().split('\n').at(-1)!);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
