import { randomUUID } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { InvalidInput } from '../../base/errors.ts';
import type { BandDate, ReadRows, StackLayout, StackWriter } from '../../app/imagery/raster-stack.ts';
import type { SampleType } from '../../app/series/cube-store.ts';
import {
  ascii,
  encodeDirectory,
  encodeHeader,
  type Field,
  placeFields,
} from '../../formats/tiff/big-tiff.ts';

const pack = promisify(deflate);

/** Sample layouts of TIFF 6.0: bits, and format (2 signed integer, 3 IEEE 754). */
const SAMPLES: Readonly<Record<SampleType, { readonly bits: number; readonly format: number }>> = {
  int16: { bits: 16, format: 2 },
  float32: { bits: 32, format: 3 },
  float64: { bits: 64, format: 3 },
};
/** Value of Compression: DEFLATE with a zlib header (TIFF Technical Note 2). */
const DEFLATE = 8;
/** Value of PlanarConfiguration: each band has its own strips. */
const PLANAR = 2;
/** Maximum uncompressed size of a strip [bytes], unless one row is larger. Readers decode one strip at a time. */
const STRIP_BYTES = 256 * 1024;

/**
 * Writes stacks as little-endian BigTIFF: one DEFLATE-compressed plane for each date, with band descriptions in the
 * format that GDAL uses.
 */
export class GeoTiffStackWriter implements StackWriter {
  async write(path: string, layout: StackLayout, rows: ReadRows): Promise<void> {
    const place = placeFields(layout.grid);
    await writeWhole(path, async (file) => {
      const strips = await writeStrips(file, layout, rows);
      const fields = [...imageFields(layout, strips), ...place];
      const directory = encodeDirectory(fields, strips.end);
      await file.write(directory, 0, directory.length, strips.end);
      const head = encodeHeader(strips.end);
      await file.write(head, 0, head.length, 0);
    });
  }

  async writeDates(path: string, bands: readonly BandDate[]): Promise<void> {
    const lines = bands.map(({ band, timeMs, scene }) =>
      [String(band), new Date(timeMs).toISOString(), csvField(scene ?? '')].join(','),
    );
    await writeWhole(path, (file) => writeFile(file, `band,datetime,scene\n${lines.join('\n')}\n`));
  }
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function writeWhole(path: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx');
    try {
      await work(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw new InvalidInput(`${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Positions of the file's strips, band by band. */
interface Strips {
  readonly rows: number;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  /** Position after the last strip [bytes]. */
  readonly end: number;
}

async function writeStrips(
  file: FileHandle,
  { grid, sampleType, bands, rowsAtOnce }: StackLayout,
  read: ReadRows,
): Promise<Strips> {
  const rowBytes = grid.width * (SAMPLES[sampleType].bits / 8);
  const rows = Math.max(1, Math.min(rowsAtOnce, Math.floor(STRIP_BYTES / rowBytes)));
  const perBand = Math.ceil(grid.height / rows);
  const offsets = new Float64Array(perBand * bands.length);
  const lengths = new Float64Array(perBand * bands.length);
  const step = Math.floor(rowsAtOnce / rows) * rows;
  let end = 16;
  for (let first = 0; first < grid.height; first += step) {
    const last = Math.min(grid.height, first + step);
    for (const [band, samples] of (await read(first, last)).entries()) {
      const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
      for (let row = first; row < last; row += rows) {
        const strip = bytes.subarray(
          (row - first) * rowBytes,
          (Math.min(last, row + rows) - first) * rowBytes,
        );
        const packed = await pack(strip);
        await file.write(packed, 0, packed.length, end);
        offsets[band * perBand + row / rows] = end;
        lengths[band * perBand + row / rows] = packed.length;
        end += packed.length;
      }
    }
  }
  // A directory starts at an even byte (TIFF 6.0 section 2).
  return { rows, offsets, lengths, end: end + (end % 2) };
}

function imageFields({ grid, sampleType, scale, offset, bands }: StackLayout, strips: Strips): Field[] {
  const { bits, format } = SAMPLES[sampleType];
  const each = (value: number): number[] => bands.map(() => value);
  const items = bands.flatMap(({ timeMs, scene }, i) => [
    `<Item name="DESCRIPTION" sample="${i}" role="description">${escapeTwice(
      [new Date(timeMs).toISOString(), scene ?? ''].join(' ').trim(),
    )}</Item>`,
    `<Item name="OFFSET" sample="${i}" role="offset">${offset}</Item>`,
    `<Item name="SCALE" sample="${i}" role="scale">${scale}</Item>`,
  ]);
  return [
    { tag: 'ImageWidth', type: 'long', values: [grid.width] },
    { tag: 'ImageLength', type: 'long', values: [grid.height] },
    { tag: 'BitsPerSample', type: 'short', values: each(bits) },
    { tag: 'Compression', type: 'short', values: [DEFLATE] },
    { tag: 'PhotometricInterpretation', type: 'short', values: [1] }, // 0 is black
    { tag: 'StripOffsets', type: 'long8', values: [...strips.offsets] },
    { tag: 'SamplesPerPixel', type: 'short', values: [bands.length] },
    { tag: 'RowsPerStrip', type: 'long', values: [strips.rows] },
    { tag: 'StripByteCounts', type: 'long8', values: [...strips.lengths] },
    { tag: 'PlanarConfiguration', type: 'short', values: [PLANAR] },
    // Samples after the first have no defined colour (TIFF 6.0, ExtraSamples).
    { tag: 'ExtraSamples', type: 'short', values: each(0).slice(1) },
    { tag: 'SampleFormat', type: 'short', values: each(format) },
    { tag: 'GdalMetadata', type: 'ascii', values: ascii(`<GDALMetadata>${items.join('')}</GDALMetadata>`) },
    { tag: 'GdalNodata', type: 'ascii', values: ascii(sampleType === 'int16' ? '-32768' : 'nan') },
  ];
}

/** Escapes XML twice, because GDAL unescapes band descriptions twice. */
function escapeTwice(text: string): string {
  return escapeXml(escapeXml(text));
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
