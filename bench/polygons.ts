/**
 * Time to make polygons from a mask of 10^7 pixels: connected components and outlines with their holes. Compared with
 * GDAL's polygonize (C library, through `gdal_polygonize.py -8` into memory) if it is installed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outlineObjects } from '../src/raster/polygonise.ts';
import { paddedMask } from '../test/fixtures/padded-mask.ts';

const WIDTH = 4000;
const HEIGHT = 2500;
const ROUNDS = 7;

/** A mask with blobs like those of change masks, and single random pixels (salt); seeded, the same in every run. */
function blobMask(salt: number): Uint8Array {
  let state = 42;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const mask = new Uint8Array(WIDTH * HEIGHT);
  for (let blob = 0; blob < 2000; blob++) {
    const [cx, cy, radius] = [random() * WIDTH, random() * HEIGHT, 3 + random() * 22];
    for (let row = Math.max(0, Math.ceil(cy - radius)); row < Math.min(HEIGHT, cy + radius); row++) {
      const half = Math.sqrt(Math.max(0, radius ** 2 - (row - cy) ** 2)) * (0.8 + 0.4 * random());
      for (let col = Math.max(0, Math.ceil(cx - half)); col < Math.min(WIDTH, cx + half); col++) {
        mask[row * WIDTH + col] = 1;
      }
    }
  }
  for (let k = 0; k < salt * WIDTH * HEIGHT; k++) mask[Math.floor(random() * mask.length)]! ^= 1;
  return mask;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

/**
 * Time that GDAL takes to read and polygonize [ms], less its time for a single pixel, which is the start of the
 * process. Null if GDAL is not installed.
 */
function gdalMs(mask: Uint8Array): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
  try {
    const run = (name: string, pixels: Uint8Array, width: number, height: number): number => {
      const vrt = join(folder, `${name}.vrt`);
      writeFileSync(join(folder, `${name}.raw`), pixels);
      writeFileSync(
        vrt,
        `<VRTDataset rasterXSize="${width}" rasterYSize="${height}"><VRTRasterBand dataType="Byte" band="1" subClass="VRTRawRasterBand"><NoDataValue>0</NoDataValue><SourceFilename relativeToVRT="1">${name}.raw</SourceFilename><ImageOffset>0</ImageOffset><PixelOffset>1</PixelOffset><LineOffset>${width}</LineOffset></VRTRasterBand></VRTDataset>`,
      );
      const times: number[] = [];
      for (let round = 0; round < 3; round++) {
        const from = performance.now();
        execFileSync('gdal_polygonize.py', ['-q', '-8', vrt, '-f', 'Memory', `/vsimem/out${round}`], {
          stdio: 'ignore',
          env: { ...process.env, GDAL_VRT_RAWRASTERBAND_ALLOWED_SOURCE: 'ALL' },
        });
        times.push(performance.now() - from);
      }
      return median(times);
    };
    return run('mask', mask, WIDTH, HEIGHT) - run('one', new Uint8Array(1), 1, 1);
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const salt of [0, 0.001, 0.02]) {
  const mask = blobMask(salt);
  const times: number[] = [];
  let objects = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    objects = outlineObjects(paddedMask(mask, WIDTH, HEIGHT)).length;
    times.push(performance.now() - from);
  }
  const gdal = gdalMs(mask);
  console.log(
    `polygons 10^7 px, ${objects} objects, salt ${salt}: ours ${median(times).toFixed(0)} ms, GDAL ${gdal === null ? 'not installed' : `${gdal.toFixed(0)} ms`}`,
  );
}
