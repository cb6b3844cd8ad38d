import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grid } from '../../../geo/grid.ts';
import { sightVector, type ViewGeometry } from '../../../risk/subsidence/line-of-sight.ts';
import {
  deriveDisplacement,
  type DisplacementDeps,
  type DisplacementRequest,
} from './derive-displacement.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { InstalledLayer, LayerShelf, MadeRaster } from '../layer-shelf.ts';
import type { RasterStack } from '../../imagery/raster-stack.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../../base/time.ts';

/** 4 x 3 pixels of 100 m in UTM. */
const GRID: Grid = {
  width: 4,
  height: 3,
  crs: 'EPSG:32633',
  proj4: '+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs',
  transform: [500_000, 100, 0, 5_000_000, 0, -100],
};
const START_MS = Date.UTC(2020, 0, 1);
const DATES = 60; // number of dates, one every 24 days: nearly four years
const timeOf = (i: number): number => START_MS + i * 24 * DAY_MS;

const ASCENDING: ViewGeometry = { incidenceDeg: 39, headingDeg: -10 };
const DESCENDING: ViewGeometry = { incidenceDeg: 34, headingDeg: 190 };

/**
 * Upward velocity of each pixel and eastward velocity of all pixels [mm/yr]. Each column sinks 4 mm/yr faster than the
 * column before it. The last pixel is always nodata.
 */
const UP = Array.from({ length: 12 }, (_, i) => -4 * (i % 4));
const EAST = 6;

interface Fixture {
  readonly grid?: Grid;
  readonly nodata?: number | null;
  readonly scale?: number;
  /** Raw sample of a pixel at a time [years]. */
  readonly sample: (pixel: number, years: number, date: number) => number;
}

function stack({ grid = GRID, nodata = null, scale = 1, sample }: Fixture): RasterStack {
  const pixels = grid.width * grid.height;
  return {
    grid,
    bandCount: DATES,
    sampleType: 'float32',
    nodata,
    scale,
    offset: 0,
    sha256: '',
    readBand: (band) =>
      Promise.resolve(
        Float32Array.from({ length: pixels }, (_, i) =>
          sample(i, (timeOf(band) - START_MS) / JULIAN_YEAR_MS, band),
        ),
      ),
    close: () => Promise.resolve(),
  };
}

const sight = (view: ViewGeometry): Fixture['sample'] => {
  const [e, , u] = sightVector(view);
  return (pixel, years) => (e * EAST + u * UP[pixel]!) * years;
};

/** Runs a derivation on stacks given by name, and returns the layers. */
async function derived(
  stacks: Readonly<Record<string, Fixture>>,
  request: Omit<DisplacementRequest, 'version'>,
) {
  const made: MadeRaster[] = [];
  let installed: readonly InstalledLayer[] = [];
  const shelf: Partial<LayerShelf> = {
    shipped: () => Promise.resolve([]),
    installed: () => Promise.resolve(installed),
    storeMade: (raster) => {
      const valid = raster.samples.filter(Number.isFinite);
      made.push(raster);
      return Promise.resolve({
        file: `${made.length}`,
        validCount: valid.length,
        lowest: Math.min(...valid),
        highest: Math.max(...valid),
      });
    },
    update: (change) => {
      installed = change(installed);
      return Promise.resolve();
    },
  };
  const deps: DisplacementDeps = {
    clock: { now: () => Date.UTC(2026, 0, 1) },
    shelf: shelf as LayerShelf,
    stacks: {
      open: (path) => Promise.resolve(stack(stacks[path]!)),
      readDates: (_, count) =>
        Promise.resolve(
          Array.from({ length: count }, (_unused, i) => ({ band: i + 1, timeMs: timeOf(i), scene: null })),
        ),
    },
  };
  const outcome = await deriveDisplacement(deps, { ...request, version: 'v1' });
  const rasters = new Map(outcome.added.map(({ card }, i) => [card.layer, made[i]!.samples]));
  return { ...outcome, rasters };
}

const one = (path: string, view?: ViewGeometry) => ({ path, datesPath: 'd.csv', view });

function assertNear(actual: Float32Array, expected: readonly number[], tolerance: number): void {
  for (const [i, value] of expected.entries())
    assert.ok(Math.abs(actual[i]! - value) <= tolerance, `${i}: ${actual[i]}, expected ${value}`);
}

test('a vertical stack gives velocity, gradient and acceleration with the date of its last scene', async () => {
  const sample: Fixture['sample'] = (pixel, years) => UP[pixel]! * years + 0.5 * 3 * (years - 1.94) ** 2;
  const { added, rasters, pixels, moving } = await derived({ s: { sample } }, { stacks: [one('s')] });
  assert.deepEqual(
    added.map(({ card }) => `${card.layer} ${card.date}`),
    ['displacement-velocity', 'velocity-error', 'velocity-gradient', 'displacement-acceleration'].map(
      (layer) => `${layer} 2023-11-17`,
    ),
  );
  assertNear(rasters.get('displacement-velocity')!, UP, 0.05);
  assertNear(rasters.get('velocity-gradient')!, Array(12).fill(0.04), 0.001);
  assertNear(rasters.get('displacement-acceleration')!, Array(12).fill(3), 0.01);
  assert.deepEqual([pixels, moving >= 9], [12, true]);
});

test('one track is projected to the vertical; two tracks separate vertical from eastward motion', async () => {
  const stacks = { a: { sample: sight(ASCENDING) }, d: { sample: sight(DESCENDING) } };
  const both = await derived(stacks, { stacks: [one('a', ASCENDING), one('d', DESCENDING)] });
  assertNear(both.rasters.get('displacement-velocity')!, UP, 0.01);
  const single = await derived(stacks, { stacks: [one('a', ASCENDING)] });
  const [e, , u] = sightVector(ASCENDING);
  assertNear(
    single.rasters.get('displacement-velocity')!,
    UP.map((up) => up + (e / u) * EAST),
    0.01,
  );
  assert.match(both.added[0]!.card.source, /two tracks/);
  assert.match(single.added[0]!.card.source, /taken as vertical/);
});

test('nodata is ignored, and a negative scale converts metres away from the satellite to millimetres towards it', async () => {
  const sample: Fixture['sample'] = (pixel, years, date) =>
    pixel === 11 || (pixel === 5 && date < 20) ? -9999 : (-UP[pixel]! * years) / 1000;
  const { rasters, pixels } = await derived(
    { s: { sample } },
    { stacks: [one('s')], nodata: -9999, scale: -1000 },
  );
  const velocity = rasters.get('displacement-velocity')!;
  assertNear(velocity, UP.slice(0, 11), 0.01);
  assert.ok(Number.isNaN(velocity[11]!));
  assert.equal(pixels, 11);
});

test('errors name the stack that cannot be used', async () => {
  const sample: Fixture['sample'] = () => Number.NaN;
  const refused = (
    message: RegExp,
    stacks: Readonly<Record<string, Fixture>>,
    given: DisplacementRequest['stacks'],
  ) =>
    assert.rejects(derived(stacks, { stacks: given }), (error) => {
      assert.ok(error instanceof InvalidInput);
      assert.match(error.message, message);
      return true;
    });
  await refused(/no pixel of s/, { s: { sample } }, [one('s')]);
  const seen = { sample: sight(ASCENDING) };
  const moved = { ...seen, grid: { ...GRID, transform: [500_050, 100, 0, 5_000_000, 0, -100] as const } };
  await refused(/not on the grid of a/, { a: seen, d: moved }, [one('a', ASCENDING), one('d', DESCENDING)]);
  await refused(/same side/, { a: seen, b: seen }, [one('a', ASCENDING), one('b', ASCENDING)]);
  await refused(/incidence and heading of both/, { a: seen, b: seen }, [one('a', ASCENDING), one('b')]);
});
