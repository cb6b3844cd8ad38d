/**
 * How long the monitor follows a pixel through a first search, on a machine that is shared: pixels are followed in parts
 * of a few ms by turns, and of several rounds the least time of each part counts, so other load hardly changes the
 * result. GROUNDWATCH_BENCH_OTHER names a folder with another version of this repository, which takes turns with this
 * one; then the ratio is printed too, and whether both find the same.
 */
import { isDeepStrictEqual } from 'node:util';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { PixelEvent } from '../src/change/pixel/pixel-events.ts';
import type { PixelMonitor } from '../src/change/pixel/pixel-monitor.ts';
import { randomStack, type Stack } from '../test/oracles/resumed-passes.ts';
import { plantedSamples, TIMES_MS } from './end-to-end/planted-stack.ts';

/** Pixels of a part. */
const PART = 6;
const ROUNDS = 10;
const EDGE = 40;
const SCALE = 1e-4;
const MISSING = -32_768;

/** A version of the monitor with the context of a stack. */
interface Version {
  readonly monitor: PixelMonitor;
  /** Least time of each part [ms]. */
  readonly least: Float64Array;
  readonly events: PixelEvent[];
}

/** A corner of the stack of `end-to-end`: its clouds hide many neighbours at once. */
function plantedCorner(): Stack {
  const times = TIMES_MS.length;
  const values = new Float64Array(EDGE * EDGE * times);
  for (let t = 0; t < times; t++)
    for (let row = 0; row < EDGE; row++)
      for (const [column, sample] of plantedSamples(t, row, row + 1)
        .subarray(0, EDGE)
        .entries())
        values[(row * EDGE + column) * times + t] = sample === MISSING ? Number.NaN : sample * SCALE;
  const spec = { width: EDGE, height: EDGE, pixelAreaM2: 900, metric: 'ndvi', timesMs: TIMES_MS };
  return { spec, metrics: { ndvi: values } };
}

async function versionOf(root: string, stack: Stack, parts: number): Promise<Version> {
  const passes = (await import(join(root, 'test/oracles/resumed-passes.ts'))) as {
    readonly resume: typeof import('../test/oracles/resumed-passes.ts').resume;
  };
  const pixels = (await import(join(root, 'src/change/pixel/pixel-monitor.ts'))) as {
    readonly PixelMonitor: typeof PixelMonitor;
  };
  const { followed } = passes.resume(stack, 0, undefined);
  return {
    monitor: new pixels.PixelMonitor(stack.spec, followed),
    least: new Float64Array(parts).fill(Number.POSITIVE_INFINITY),
    events: [],
  };
}

/** Follows the pixels of a part, and notes the time. */
function followPart({ monitor, least, events }: Version, stack: Stack, part: number, isFirst: boolean): void {
  const series = Object.values(stack.metrics);
  const times = stack.spec.timesMs.length;
  const found: PixelEvent[] = [];
  const begun = performance.now();
  for (let p = part * PART; p < (part + 1) * PART; p++)
    monitor.follow(p, series, p * times, (event) => found.push(event));
  least[part] = Math.min(least[part]!, performance.now() - begun);
  if (isFirst) events.push(...found);
}

async function compare(name: string, stack: Stack): Promise<void> {
  const parts = Math.floor((stack.spec.width * stack.spec.height) / PART);
  const other = process.env['GROUNDWATCH_BENCH_OTHER'];
  const versions = [await versionOf(join(import.meta.dirname, '..'), stack, parts)];
  if (other !== undefined) versions.push(await versionOf(other, stack, parts));
  for (let round = 0; round < ROUNDS; round++)
    for (let part = 0; part < parts; part++)
      for (const version of round % 2 === 0 ? versions : versions.toReversed())
        followPart(version, stack, part, round === 0);
  const [own, its] = versions.map(({ least }) => (1000 * least.reduce((a, b) => a + b)) / (parts * PART));
  const about = `${name.padEnd(9)} ${Object.keys(stack.metrics).length} metrics, ${stack.spec.timesMs.length} scenes: ${own!.toFixed(1)} us a pixel`;
  if (its === undefined) {
    console.log(about);
    return;
  }
  const isSame = isDeepStrictEqual(versions[0]!.events, versions[1]!.events);
  console.log(
    `${about}, the other version ${its.toFixed(1)}: ${(own! / its).toFixed(3)} of it; ${isSame ? 'the same events' : 'OTHER EVENTS'}`,
  );
  if (!isSame) process.exitCode = 1;
}

console.log(`load ${loadavg()[0]!.toFixed(1)}`);
await compare('planted', plantedCorner());
await compare('random', randomStack(2, EDGE, EDGE));
console.log(`load ${loadavg()[0]!.toFixed(1)} at the end`);
