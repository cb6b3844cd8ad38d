import { tiffFixture, WGS84_KEYS } from '../../test/fixtures/tiff-fixture.ts';
import { DAY_MS } from '../../src/base/time.ts';

/** Name of the collection; every account has its own. It is part of the digests of changes. */
export const NAME = 'moor';
/** Edge of the stack [pixels]: four strips of 32 rows. */
export const EDGE = 128;
/** Number of scenes: one a month. */
const SCENES = 48;
const FIRST_MS = Date.UTC(2018, 0, 5);
const STEP_MS = 30 * DAY_MS;
const MISSING = -32_768;
/** Last column that is observed: what is not costs little time. */
const SEEN = 70;
/** Codes of the Sentinel-2 scene classification: vegetation, clouds, snow. */
const [VEGETATION, CLOUD, SNOW] = [4, 9, 11] as const;
/** North-west corner [degrees] and pixel size [degrees] of the stack. */
const [WEST, NORTH, PIXEL] = [14, 46, 0.0002] as const;

/** A stack of NDVI with its quality band, the table of its dates, and its outline. */
export interface KilledStack {
  readonly values: Buffer;
  readonly mask: Buffer;
  readonly dates: string;
  readonly area: { readonly type: 'Polygon'; readonly coordinates: number[][][] };
}

/** Number of a pixel and scene that looks random, 0 to 2^24. */
function mixed(pixel: number, t: number): number {
  return Math.imul((pixel + 1) ^ (t * 0x9e3779b1), 0x85ebca6b) >>> 8;
}

/** NDVI x 10000: fields with a season, and three clearings, the first of which crosses all four strips. */
function valueAt(pixel: number, t: number): number {
  const [row, column] = [Math.floor(pixel / EDGE), pixel % EDGE];
  if (column > SEEN) return MISSING;
  const isCleared =
    (t >= 28 && column > 60 && column < 66 && row > 20 && row < 110) ||
    (t >= 26 && column > 10 && column < 24 && row > 27 && row < 36) ||
    (t >= 35 && column > 40 && column < 50 && row > 120);
  const field = (Math.floor(row / 12) * 31 + Math.floor(column / 9)) % 7;
  const season = 900 * Math.cos((2 * Math.PI * t) / 12.17 + field / 9);
  return Math.round(6000 + 120 * field + season - (isCleared ? 3800 : 0) + (mixed(pixel, t) % 300));
}

/** Code of the quality band: a tenth is cloud; a corner has snow in each January. */
function classAt(pixel: number, t: number): number {
  if (mixed(pixel, t + 1000) % 11 === 0) return CLOUD;
  return t % 12 === 0 && pixel < 20 * EDGE && pixel % EDGE < 20 ? SNOW : VEGETATION;
}

/** Makes the stack, the same in each run. */
export function killedStack(): KilledStack {
  const bands = (at: (pixel: number, t: number) => number): number[][] =>
    Array.from({ length: SCENES }, (_, t) => Array.from({ length: EDGE * EDGE }, (_, p) => at(p, t)));
  const grid = {
    width: EDGE,
    height: EDGE,
    origin: [WEST, NORTH],
    pixel: [PIXEL, PIXEL],
    keys: WGS84_KEYS,
  } as const;
  const [east, south] = [WEST + EDGE * PIXEL, NORTH - EDGE * PIXEL];
  return {
    values: tiffFixture({ ...grid, bands: bands(valueAt), kind: 'int16', nodata: String(MISSING) }),
    mask: tiffFixture({ ...grid, bands: bands(classAt), kind: 'uint8' }),
    dates: [
      'band,date,scene',
      ...Array.from({ length: SCENES }, (_, t) => {
        const date = new Date(FIRST_MS + t * STEP_MS).toISOString().slice(0, 10);
        return `${t + 1},${date},scene-${t}`;
      }),
      '',
    ].join('\n'),
    area: {
      type: 'Polygon',
      coordinates: [
        [
          [WEST, south],
          [east, south],
          [east, NORTH],
          [WEST, NORTH],
          [WEST, south],
        ],
      ],
    },
  };
}
