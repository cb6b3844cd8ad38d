import { readBands } from '../data-set.ts';
import { readSlovenia, SLOVENIA_SET, sloveniaEvents } from '../sources/slovenia.ts';
import type { Random } from '../../calibration/simulated-case.ts';
import type { Ground, Land, Patch, PixelSeries } from './ground.ts';

const SIDE = 30; // side of a piece of land [pixels]
const FOREST = 2; // codes of lulc.tif: README
const ARTIFICIAL = 8;

/** Temperate forest that becomes built-up ground: windows of the real stack, with its clouds, snow and meadows. */
export async function sloveniaGround(): Promise<Ground> {
  const { width, height, timesMs, metrics, pixelAreaM2 } = await readSlovenia();
  const { bands } = await readBands(SLOVENIA_SET, 'lulc.tif');
  const cover = bands[0]!;
  const events = sloveniaEvents(width);
  const series = (pixel: number): PixelSeries => ({
    ndvi: Float32Array.from(metrics['ndvi']!.subarray(pixel * timesMs.length, (pixel + 1) * timesMs.length)),
  });
  const built = Array.from({ length: width * height }, (_, p) => p).filter(
    (p) => cover[p] === ARTIFICIAL && !events.has(p),
  );
  const builtPatch = (random: Random): Patch => {
    const start = random.pick(built);
    const distance = (p: number): number =>
      (Math.floor(p / width) - Math.floor(start / width)) ** 2 + ((p % width) - (start % width)) ** 2;
    const near = built.toSorted((a, b) => distance(a) - distance(b));
    let next = 0;
    return () => series(near[next++ % near.length]!);
  };
  return {
    name: 'temperate forest to built-up',
    pixelAreaM2,
    timesMs,
    land: (random): Land => {
      const top = Math.floor(random.uniform() * (height - SIDE + 1));
      const left = Math.floor(random.uniform() * (width - SIDE + 1));
      const pixels = Array.from(
        { length: SIDE * SIDE },
        (_, i) => (top + Math.floor(i / SIDE)) * width + left + (i % SIDE),
      );
      return {
        width: SIDE,
        height: SIDE,
        series: pixels.map(series),
        isConvertible: Uint8Array.from(pixels, (p) => (cover[p] === FOREST && !events.has(p) ? 1 : 0)),
        unknown: new Set([...pixels.keys()].filter((i) => events.has(pixels[i]!))),
        convertedTo: () => builtPatch(random),
      };
    },
  };
}
