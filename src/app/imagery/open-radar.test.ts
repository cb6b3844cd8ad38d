import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grid } from '../../geo/grid.ts';
import { MISSING_INT16 } from './collection-writer.ts';
import { readRadarPass } from './read-radar.ts';
import type { RadarItem } from './open-radar.ts';
import type { SceneSource } from './scene-source.ts';

const UTM = (width: number, height: number, x: number, y: number): Grid => ({
  width,
  height,
  crs: 'EPSG:32633',
  proj4: '+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs',
  transform: [x, 10, 0, y, 0, -10],
});
const GRID = UTM(30, 40, 500_000, 5_000_000);
/** Two bursts: one of the upper rows with a mask, one of the lower rows without; rows 14 to 21 are of both. */
const UPPER = UTM(30, 22, 500_000, 5_000_000);
const LOWER = UTM(30, 30, 500_000, 4_999_860);
/** One of the bursts of a long pass: twelve rows, of which two are also of the next. */
const burstGrid = (i: number): Grid => UTM(30, 12, 500_000, 5_000_000 - 100 * i);
const NODATA = -1;

function powerAt(file: string, col: number, row: number): number {
  const mixed = Math.imul(((col + 1) * 8191) ^ (row * 131) ^ (file.length << 9), 0x85ebca6b) >>> 20;
  if (file.endsWith('mask')) return mixed % 5 === 0 ? 2 : 0;
  return mixed % 6 === 0 ? NODATA : 0.01 + (mixed % 90) / 1000;
}

/** The files, and the numbers of those that are open and of the rows that were read of one. */
function fakeSource() {
  const seen = { open: 0, most: 0, opened: 0, rows: 0 };
  const open: SceneSource['open'] = (href) => {
    if (href === 'gone') return Promise.reject(new Error('gone'));
    const [, burst] = /^burst(\d+) /.exec(href) ?? [];
    const grid = burst !== undefined ? burstGrid(Number(burst)) : href.startsWith('upper') ? UPPER : LOWER;
    seen.open++;
    seen.opened++;
    seen.most = Math.max(seen.most, seen.open);
    return Promise.resolve({
      grid,
      nodata: NODATA,
      scale: 1,
      offset: 0,
      read: (_band, { col, row, width, height }) => {
        if (href === 'upper vv') seen.rows += height;
        return Promise.resolve(
          Float32Array.from({ length: width * height }, (_, i) => {
            const [c, r] = [col + (i % width), row + Math.floor(i / width)];
            const isInside = c >= 0 && r >= 0 && c < grid.width && r < grid.height;
            return isInside ? powerAt(href, c, r) : Number.NaN;
          }),
        );
      },
      close: () => {
        seen.open--;
        return Promise.resolve();
      },
    });
  };
  return { seen, source: { open } as SceneSource };
}

const band = (href: string) => ({ href, band: 0, scale: null, offset: null, nodata: null });
const item = (name: string, unit: 'power' | 'dB' = 'power'): RadarItem =>
  ({
    id: name,
    radar: {
      orbit: 98,
      unit,
      polarisations: { vv: band(`${name} vv`), vh: band(name === 'gone' ? name : `${name} vh`) },
    },
    quality: name === 'upper' ? { href: 'upper mask', encoding: 'opera-rtc-mask' } : null,
  }) as unknown as RadarItem;
const POLARISATIONS = ['vv', 'vh'] as const;

test('a pass read strip by strip is the pass read at once, and each row of a file is read once', async () => {
  const { seen, source } = fakeSource();
  const read = async (heights: readonly number[]) => {
    let first = 0;
    const strips = heights.map((height) => ({ first, last: (first += height) }));
    seen.rows = 0;
    const pass = await readRadarPass(source, [item('upper'), item('lower')], POLARISATIONS, GRID, strips);
    assert.equal(seen.open, 0);
    return { ...pass, rows: seen.rows };
  };
  const atOnce = await read([40]);
  assert.equal(atOnce.rows, 40); // rows beyond the file count too
  for (const heights of [
    [7, 13, 20],
    [1, 1, 38],
  ])
    assert.deepEqual((await read(heights)).indices, atOnce.indices, heights.join(' '));
  const vv = atOnce.indices.get('vv_orbit_98')!;
  const isMissing = (col: number, row: number): boolean => vv[row * GRID.width + col] === MISSING_INT16;
  // The rows of the upper burst, without the last one, whose neighbours may be of the lower burst alone.
  const upper = Array.from(
    { length: 21 * GRID.width },
    (_, p) => [p % GRID.width, Math.floor(p / GRID.width)] as const,
  );
  const unseen = upper.filter(
    ([col, row]) => powerAt('upper mask', col, row) !== 0 || powerAt('upper vv', col, row) === NODATA,
  );
  const isBelow = ([col, row]: readonly [number, number]): boolean =>
    row >= 14 && powerAt('lower vv', col, row - 14) !== NODATA;
  const missing = unseen.filter((place) => !isBelow(place));
  assert.ok(missing.length > 50 && missing.every(([col, row]) => isMissing(col, row)));
  assert.ok(unseen.some((place) => isBelow(place) && !isMissing(...place)));
});

test('a pass whose samples contradict their unit is refused, and no file stays open', async () => {
  const { seen, source } = fakeSource();
  const strips = [
    { first: 0, last: 20 },
    { first: 20, last: 40 },
  ];
  await assert.rejects(
    readRadarPass(source, [item('upper'), item('lower', 'dB')], POLARISATIONS, GRID, strips),
    /^InvalidInput: lower: expected decibels, as its metadata says; 100 % of its samples are not negative/,
  );
  assert.equal(seen.open, 0);
  await assert.rejects(readRadarPass(source, [item('upper'), item('gone')], POLARISATIONS, GRID), /gone/);
  assert.equal(seen.open, 0);
});

test('of a pass of two hundred bursts one is open at a time, and most are opened once', async () => {
  const { seen, source } = fakeSource();
  const grid = UTM(30, 2000, 500_000, 5_000_000);
  const bursts = Array.from({ length: 200 }, (_, i) => item(`burst${i}`));
  const inStrips = (height: number) =>
    Array.from({ length: grid.height / height }, (_, i) => ({ first: i * height, last: (i + 1) * height }));
  const read = async (height: number) => {
    Object.assign(seen, { most: 0, opened: 0 });
    const { indices } = await readRadarPass(source, bursts, POLARISATIONS, grid, inStrips(height));
    return { indices, most: seen.most, opened: seen.opened / POLARISATIONS.length };
  };
  const atOnce = await read(2000);
  const inParts = await read(250);
  assert.deepEqual(inParts.indices, atOnce.indices);
  assert.equal(seen.open, 0);
  assert.deepEqual([atOnce.most, inParts.most], [2, 2]); // the two polarisations of one burst
  assert.equal(atOnce.opened, 200);
  // All once for the first strip, and again for each further strip that they overlap.
  assert.ok(inParts.opened <= 200 + 200 + 8, `${inParts.opened}`);
  const vh = atOnce.indices.get('vh_orbit_98')!;
  assert.ok(vh.every((value, p) => value !== MISSING_INT16 || p < 30 || p >= 30 * 1999 || isHole(p)));

  /** Whether no burst has a value in a pixel and its neighbours above and below. */
  function isHole(p: number): boolean {
    const [col, row] = [p % 30, Math.floor(p / 30)];
    return bursts.every(({ id }, i) => {
      const own = row - 10 * i;
      return own < 0 || own >= 12 || powerAt(`${id} vh`, col, own) === NODATA;
    });
  }
});
