import type { RasterStack } from '../../src/app/imagery/raster-stack.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../src/base/time.ts';
import type { AreaGeometry } from '../../src/geo/polygon.ts';
import { draw } from './draw.ts';

/** Edge of a block [pixels], size of a pixel and distance of the corners of two blocks [degrees]. */
export const EDGE = 128;
const PIXEL = 0.0003;
const APART = 0.1;
const ROW = 8; // blocks in a row
const STEP_DAYS = 36; // a date every 36 days: 40 of them are four years
const FIRST_MS = Date.UTC(2021, 0, 3);
const MISSING = -32_768;
/** Part of the pixels that a date does not show. */
const CLOUDY = 0.15;

export const blockName = (block: number): string => `block-${String(block).padStart(3, '0')}`;

export const timeOf = (date: number): number => FIRST_MS + date * STEP_DAYS * DAY_MS;

const cornerOf = (block: number): readonly [west: number, north: number] => [
  14 + (block % ROW) * APART,
  46 - Math.floor(block / ROW) * APART,
];

/** Outline of a block. */
export function outlineOf(block: number): AreaGeometry {
  const [west, north] = cornerOf(block);
  const [east, south] = [west + EDGE * PIXEL, north - EDGE * PIXEL];
  return {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  };
}

/** Some dates of a block as an open stack: a season, noise, clouds, and one or two clearings in the last dates. */
export function stackOf(seed: number, block: number, dates: readonly number[]): RasterStack {
  const [west, north] = cornerOf(block);
  return {
    grid: {
      width: EDGE,
      height: EDGE,
      crs: 'EPSG:4326',
      proj4: '',
      transform: [west, PIXEL, 0, north, 0, -PIXEL],
    },
    bandCount: dates.length,
    sampleType: 'int16',
    nodata: MISSING,
    scale: 1e-4,
    offset: 0,
    sha256: `${seed}-${block}-${dates.join('-')}`,
    readBand: (band) => Promise.resolve(samplesOf(seed, block, dates[band]!)),
    close: () => Promise.resolve(),
  };
}

function samplesOf(seed: number, block: number, date: number): Int16Array {
  const next = draw(seed, block, date);
  const season = 800 * Math.sin((2 * Math.PI * timeOf(date)) / JULIAN_YEAR_MS - 1.9);
  const clearings = clearingsOf(seed, block);
  return Int16Array.from({ length: EDGE * EDGE }, (_, pixel) => {
    const [row, column] = [Math.floor(pixel / EDGE), pixel % EDGE];
    const noise = (next() + next() + next() - 1.5) * 400;
    if (next() < CLOUDY) return MISSING;
    const isCleared = clearings.some(
      ({ from, top, left, edge }) =>
        date >= from && row >= top && row < top + edge && column >= left && column < left + edge,
    );
    return Math.round((isCleared ? 2500 : 7000) + season + noise);
  });
}

/** The clearings of a block: its first date, its corner and its edge [pixels]. */
function clearingsOf(seed: number, block: number) {
  const next = draw(seed, block, -1);
  return Array.from({ length: 1 + (block % 2) }, (_, n) => ({
    from: 27 + Math.floor(next() * 8),
    top: 8 + n * 60 + Math.floor(next() * 30),
    left: 8 + Math.floor(next() * 90),
    edge: 8 + Math.floor(next() * 10),
  }));
}
