import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { fromFile } from 'geotiff';
import { metricTraits } from './metric.ts';
import { monitorMetrics } from './monitor.ts';
import type { MonitoredStack } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';
import { eventAt, eventCount } from './pixel/pixel-events.ts';
import { noteObserved, objectEvidence } from './object/provenance.ts';
import type { StackSpec } from './stack.ts';

const NDVI = metricTraits('ndvi')!;
const FILE_SCALE = 1e-4; // NDVI per stored unit, from the README of both stacks

function pathOf(folder: string, file: string): string {
  return fileURLToPath(new URL(`../../../shared/data/${folder}/${file}`, import.meta.url));
}

function missing(folder: string): string | false {
  return existsSync(pathOf(folder, 'README.md')) ? false : `../shared/data/${folder} is not here`;
}

type Bands = readonly ArrayLike<number>[] & { readonly width: number; readonly height: number };

async function readBands(folder: string, file: string): Promise<Bands> {
  const tiff = await fromFile(pathOf(folder, file));
  try {
    return await (await tiff.getImage()).readRasters();
  } finally {
    await tiff.close();
  }
}

function readRows(folder: string, file: string): string[][] {
  const [, ...lines] = readFileSync(pathOf(folder, file), 'utf8').trim().split('\n');
  return lines.map((line) => line.split(','));
}

interface Stack {
  readonly spec: StackSpec;
  readonly values: Float32Array;
}

function stackOf(
  bands: Bands,
  timesMs: Float64Array,
  pixelAreaM2: number,
  isMissing: (band: number, pixel: number) => boolean,
): Stack {
  const { width, height } = bands;
  const values = new Float32Array(width * height * timesMs.length);
  for (let p = 0; p < width * height; p++) {
    for (let t = 0; t < timesMs.length; t++) {
      values[p * timesMs.length + t] = isMissing(t, p) ? Number.NaN : bands[t]![p]! * FILE_SCALE;
    }
  }
  return { spec: { width, height, pixelAreaM2, metric: 'ndvi', timesMs }, values };
}

/** Pixels of a block from the first to the last of the given rows and columns, inclusive. */
function block(width: number, rows: readonly number[], columns: readonly number[]): Set<number> {
  const pixels = new Set<number>();
  for (let row = rows[0]!; row <= rows[1]!; row++) {
    for (let column = columns[0]!; column <= columns[1]!; column++) pixels.add(row * width + column);
  }
  return pixels;
}

function overlap(object: ChangeObject, pixels: ReadonlySet<number>): number {
  return object.pixels.reduce((count, pixel) => count + (pixels.has(pixel) ? 1 : 0), 0);
}

function seriesOf(stack: Stack, pixel: number): Float32Array {
  const times = stack.spec.timesMs.length;
  return stack.values.subarray(pixel * times, (pixel + 1) * times);
}

interface Place {
  readonly rows: readonly number[];
  readonly cols: readonly number[];
}

const SLOVENIA = 'slovenia-sentinel2-ndvi';

async function readSlovenia(): Promise<Stack> {
  const bands = await readBands(SLOVENIA, 'ndvi.tif');
  const clouds = await readBands(SLOVENIA, 'cloud_mask.tif');
  const times = Float64Array.from(readRows(SLOVENIA, 'dates.csv'), (row) => Date.parse(row[1]!));
  return stackOf(bands, times, 100, (t, p) => clouds[t]![p] !== 0); // 10 m pixels: 100 m2
}

test(
  'Slovenia (eo-learn example patch): the one lasting loss is confirmed, mown fields and snow are not',
  {
    skip: missing(SLOVENIA),
  },
  async (t) => {
    const stack = await readSlovenia();
    const { spec } = stack;
    const expected = JSON.parse(readFileSync(pathOf(SLOVENIA, 'expected.json'), 'utf8')) as {
      readonly events: readonly Place[];
      readonly not_events: readonly Place[];
    };
    const monitored = monitorMetrics(spec, { ndvi: stack.values });
    const confirmed = monitored.objects.filter((object) => object.confirmedMs !== null);
    const [event] = expected.events;
    const built = block(spec.width, event!.rows, event!.cols);
    const hits = confirmed.filter((object) => overlap(object, built) > 0);
    const others = confirmed.filter((object) => overlap(object, built) === 0);
    t.diagnostic(`${hits.length} hit, ${others.length} other confirmed; ${monitored.objects.length} objects`);

    assert.equal(hits.length, 1);
    const [loss] = hits;
    assert.equal(loss!.type, 'vegetation_loss');
    assert.equal(loss!.status, 'confirmed');
    assert.ok(overlap(loss!, built) >= 8, `${overlap(loss!, built)} of its pixels`);
    assert.ok(loss!.firstAnomalyMs > Date.parse('2015-09-09T23:59:59Z'));
    assert.ok(loss!.firstAnomalyMs <= Date.parse('2016-08-31'));
    assert.ok(loss!.magnitude < -0.1, `${loss!.magnitude}`);
    // The history is short. Changes from a short history are reported, but with a lower confidence than the .99 of a
    // seasonal baseline (docs/methods/change.md).
    assert.ok(loss!.confidence > 0.5 && loss!.confidence < 0.97, `confidence ${loss!.confidence}`);
    assert.ok(others.length <= 2);
    assert.ok(others.every((object) => object.pixels.length < 8));
    for (const place of expected.not_events) {
      const field = block(spec.width, place.rows, place.cols);
      assert.ok(confirmed.every((object) => overlap(object, field) === 0));
    }

    const observed = new Uint8Array(spec.timesMs.length);
    for (const pixel of loss!.pixels) noteObserved(observed, seriesOf(stack, pixel));
    const evidence = objectEvidence(
      spec,
      [{ traits: NDVI, context: monitored.context }],
      loss!,
      [seriesOf(stack, loss!.seed.pixel)],
      observed,
    );
    assert.equal(evidence.baseline.kind, 'neighbourhood');
    assert.ok(evidence.baseline.observations >= 3);
    assert.equal(evidence.path[0]!.timeMs, loss!.seedAnomalyMs);
    assert.ok(evidence.path.some((step) => step.state === 'confirmed' && step.posterior >= 0.975));
    for (const step of evidence.path) {
      assert.equal(step.residual, step.value - step.expected);
      const scene = spec.timesMs.indexOf(step.timeMs);
      assert.equal(step.value, stack.values[loss!.seed.pixel * spec.timesMs.length + scene]);
    }
    assert.deepEqual(new Set(evidence.scenes.map((used) => used.role)), new Set(['baseline', 'monitoring']));
    assert.ok(evidence.scenes.every((used) => observed[used.scene] === 1));
  },
);

const TURA = 'tura-landsat-ndvi';

async function readTura(): Promise<Stack> {
  const bands = await readBands(TURA, 'tura_south_ndvi.tif');
  const times = Float64Array.from(readRows(TURA, 'dates.csv'), (row) => Date.parse(row[1]!));
  return stackOf(bands, times, 900, (t, p) => bands[t]![p] === -32768); // 30 m pixels: 900 m2; -32768 is nodata
}

/**
 * Finds the 8-connected clusters of pixels with a strong break. Clusters of fewer than `least` pixels are left out.
 */
function strongClusters(width: number, least: number): Set<number>[] {
  const left = new Set(
    readRows(TURA, 'strong_breaks.csv').map((row) => Number(row[0]) * width + Number(row[1])),
  );
  const clusters: Set<number>[] = [];
  for (const start of left) {
    const cluster = new Set([start]);
    left.delete(start);
    for (const pixel of cluster) {
      for (const step of [1, width - 1, width, width + 1]) {
        for (const next of [pixel - step, pixel + step]) if (left.delete(next)) cluster.add(next);
      }
    }
    if (cluster.size >= least) clusters.push(cluster);
  }
  return clusters;
}

test(
  'Tura (Landsat, SLC-off): most clusters of strong breaks are found, and the forest around them is not flagged',
  {
    skip: missing(TURA),
  },
  async (t) => {
    const { spec, values } = await readTura();
    const { objects, events } = monitorMetrics(spec, { ndvi: values });
    for (let i = 0; i < eventCount(events); i++) {
      const { firstAnomaly, flagged, confirmed } = eventAt(events, i);
      assert.ok(firstAnomaly >= 0 && firstAnomaly <= flagged && (confirmed < 0 || flagged <= confirmed));
    }
    const standing = objects.filter((object) => object.confirmedMs !== null);
    const recent = standing.filter(
      (object) => object.type === 'vegetation_loss' && object.detectedMs >= Date.parse('2009-01-01'),
    );
    const clusters = strongClusters(spec.width, 3);
    const found = clusters.filter((cluster) => recent.some((object) => overlap(object, cluster) > 0));
    const begun = recent.filter((object) => object.firstAnomalyMs >= Date.parse('2009-01-01'));
    const foundBegun = clusters.filter((cluster) => begun.some((object) => overlap(object, cluster) > 0));
    const flagged = new Set(standing.flatMap((object) => [...object.pixels]));
    const share = flagged.size / (spec.width * spec.height);
    t.diagnostic(
      `${found.length} of ${clusters.length} clusters (${foundBegun.length} by first anomaly), ` +
        `${standing.length} objects, ${(100 * share).toFixed(1)} % of pixels ever confirmed`,
    );
    assert.ok(found.length > clusters.length * 0.5);
    // In the reference 20 % of the pixels have a break (README). The share here includes all rises and falls since
    // 1984.
    assert.ok(share < 0.195); // 20.0 % if a departure that like pixels share is confirmed alone
  },
);

test(
  'real stacks: results up to a date do not depend on later scenes',
  {
    skip: missing(SLOVENIA),
  },
  async () => {
    const stack = await readSlovenia();
    const times = stack.spec.timesMs.length;
    const kept = 50; // number of scenes in the shorter run, which ends in July 2017
    const values = new Float32Array((stack.values.length / times) * kept);
    for (let p = 0; p < values.length / kept; p++) {
      values.set(stack.values.subarray(p * times, p * times + kept), p * kept);
    }
    const short = monitorMetrics(
      { ...stack.spec, timesMs: stack.spec.timesMs.slice(0, kept) },
      { ndvi: values },
    );
    const long = monitorMetrics(stack.spec, { ndvi: stack.values });
    assert.ok(short.objects.length > 0);
    assert.deepEqual(confirmedBefore(short, kept), confirmedBefore(long, kept));
  },
);

function confirmedBefore({ events }: MonitoredStack, scene: number): number[][] {
  const found: number[][] = [];
  for (let i = 0; i < eventCount(events); i++) {
    const { pixel, firstAnomaly, flagged, confirmed } = eventAt(events, i);
    if (confirmed !== -1 && confirmed < scene) found.push([pixel, firstAnomaly, flagged, confirmed]);
  }
  return found;
}
