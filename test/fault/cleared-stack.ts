import { tiffFixture, WGS84_KEYS } from '../fixtures/tiff-fixture.ts';

/** Size of the simulated stack [pixels]. Its north-west corner is at 14 E, 46 N; its pixels measure 0.0003 degrees. */
export const WIDTH = 32;
export const HEIGHT = 24;
/** Number of scenes: one every ten days for a little over four years. They do not fit in a single log of the cube. */
const SCENES = 150;
const FIRST_MS = Date.UTC(2019, 0, 4);
const STEP_MS = 10 * 86_400_000;
/** Index of the first scene after the clearing. `CLEARED` is the cleared block of pixels. */
const CLEARED_AT = 110;
const CLEARED = { top: 6, bottom: 16, left: 8, right: 20 } as const;
const MISSING = -32_768;

/**
 * An NDVI stack in which a wood is cleared: the TIFF with its values, the CSV table of its dates, and its outline as
 * GeoJSON.
 */
export interface ClearedStack {
  readonly values: Buffer;
  readonly dates: string;
  readonly area: string;
}

/**
 * Simulates the stack: a seasonal curve, noise, a tenth of the pixels missing, and one lasting loss. The result is the
 * same in every run.
 * @param scenes number of its scenes, from the first; the loss begins with scene 110
 */
export function clearedStack(scenes = SCENES): ClearedStack {
  let state = 20_260_101; // seed of xorshift32 (Marsaglia 2003)
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
  const times = Array.from({ length: scenes }, (_, t) => FIRST_MS + t * STEP_MS);
  const bands = times.map((timeMs, t) => {
    const season = Math.sin((2 * Math.PI * timeMs) / (365.25 * 86_400_000) - 1.9);
    return Array.from({ length: WIDTH * HEIGHT }, (_, p) => {
      const [row, col] = [Math.floor(p / WIDTH), p % WIDTH];
      const inside = row >= CLEARED.top && row < CLEARED.bottom && col >= CLEARED.left && col < CLEARED.right;
      const noise = (random() + random() + random() - 1.5) * 400;
      if (random() < 0.1) return MISSING;
      return Math.round((inside && t >= CLEARED_AT ? 2500 : 7000) + 800 * season + noise);
    });
  });
  const [west, north, pixel] = [14, 46, 0.0003];
  const [east, south] = [west + WIDTH * pixel, north - HEIGHT * pixel];
  return {
    values: tiffFixture({
      width: WIDTH,
      height: HEIGHT,
      bands,
      deflate: true,
      origin: [west, north],
      pixel: [pixel, pixel],
      keys: WGS84_KEYS,
      nodata: String(MISSING),
    }),
    dates: `band,date,scene\n${times
      .map((timeMs, t) => `${t + 1},${new Date(timeMs).toISOString().slice(0, 10)},scene-${t}`)
      .join('\n')}\n`,
    area: JSON.stringify({
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
    }),
  };
}
