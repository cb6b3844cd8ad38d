import type { Grid } from '../geo/grid.ts';
import type { GridWindow } from '../geo/grid-window.ts';
import { ascii, encodeDirectory, encodeHeader, type Field, placeFields } from './tiff/big-tiff.ts';

/** Types of samples: bits, and the format of TIFF 6.0 (2 signed integer, 3 IEEE 754). */
const SAMPLES = {
  int16: { bits: 16, format: 2 },
  int32: { bits: 32, format: 2 },
  float32: { bits: 32, format: 3 },
} as const;
export type CogSample = keyof typeof SAMPLES;

/** Side of a block [pixels], unless the grid is smaller. */
const SIDE = 256;
/** The sides of blocks are multiples of this number [pixels]: TIFF 6.0, TileWidth. */
const SIDE_STEP = 16;
/** Value of Compression: none, so that the place of each block is known before it is made. */
const UNCOMPRESSED = 1;
/** Value of NewSubfileType: a smaller version of the image. */
const REDUCED = 1;

/** What a raster is: one band on a grid. */
export interface CogBand {
  readonly grid: Grid;
  readonly sample: CogSample;
  /** Sample where there is no value. */
  readonly nodata: number;
  /** Value in the unit = sample * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly unit: string;
  readonly description: string;
  /** Longest side of the part of the grid that one block of an overview may show [pixels of the grid]. */
  readonly mostSide: number;
}

/** A block: the samples of every `step`-th column and row of a window of the grid, in a square of `side` pixels. */
export interface CogBlock {
  readonly window: GridWindow;
  readonly step: number;
  readonly side: number;
}

/** The layout of a file. It is known before any sample is read, so any part of the file can be made by itself. */
export interface CogFile {
  /** Header and directories: the file up to its first block. */
  readonly head: Uint8Array;
  readonly blockBytes: number;
  readonly blockCount: number;
  readonly byteLength: number;
  /** The block of an index, in the order of the file: overviews first, the coarsest first. */
  readonly blockAt: (index: number) => CogBlock;
}

interface Level {
  readonly step: number;
  readonly width: number;
  readonly height: number;
  readonly across: number;
  readonly blocks: number;
}

/**
 * Lays out a Cloud Optimized GeoTIFF: a little-endian BigTIFF of uncompressed blocks with overviews by nearest neighbour.
 * @throws InvalidInput for a reference system without an EPSG code
 * @see OGC 21-026 (Cloud Optimized GeoTIFF)
 */
export function cogFile(band: CogBand): CogFile {
  const { width, height } = band.grid;
  const side = Math.min(SIDE, Math.ceil(Math.max(width, height) / SIDE_STEP) * SIDE_STEP);
  const levels: Level[] = [levelOf(band.grid, 1, side)];
  for (let step = 2; levels[0]!.blocks > 1 && levels.at(-1)!.blocks > 1; step *= 2) {
    if (side * step > band.mostSide) break;
    levels.push(levelOf(band.grid, step, side));
  }
  const blockBytes = side * side * (SAMPLES[band.sample].bits / 8);
  const inFile = levels.toReversed();
  const head = encodeHead(band, levels, side, blockBytes);
  const blockCount = levels.reduce((sum, { blocks }) => sum + blocks, 0);
  return {
    head,
    blockBytes,
    blockCount,
    byteLength: head.length + blockCount * blockBytes,
    blockAt(index) {
      let at = index;
      const level = inFile.find(({ blocks }) => {
        if (at < blocks) return true;
        at -= blocks;
        return false;
      });
      if (level === undefined) throw new RangeError(`expected a block below ${blockCount}, got ${index}`);
      const span = side * level.step;
      const [col, row] = [(at % level.across) * span, Math.floor(at / level.across) * span];
      const window = { col, row, width: Math.min(span, width - col), height: Math.min(span, height - row) };
      return { window, step: level.step, side };
    },
  };
}

function levelOf(grid: Grid, step: number, side: number): Level {
  const [width, height] = [Math.ceil(grid.width / step), Math.ceil(grid.height / step)];
  const across = Math.ceil(width / side);
  return { step, width, height, across, blocks: across * Math.ceil(height / side) };
}

/** Header and directories. The places of the blocks depend on the length of the directories, which is found first. */
function encodeHead(band: CogBand, levels: readonly Level[], side: number, blockBytes: number): Uint8Array {
  const header = 16;
  const fieldsAt = (blocksAt: readonly number[]): readonly (readonly Field[])[] =>
    levels.map((level, i) => levelFields(band, level, side, blockBytes, blocksAt[i]!));
  const lengths = fieldsAt(levels.map(() => 0)).map((fields) => encodeDirectory(fields, header).length);
  const starts = lengths.map((_, i) => header + sum(lengths.slice(0, i)));
  const end = header + sum(lengths);
  const blocksAt = levels.map(
    (_, i) => end + blockBytes * sum(levels.slice(i + 1).map(({ blocks }) => blocks)),
  );
  const directories = fieldsAt(blocksAt).map((fields, i) =>
    encodeDirectory(fields, starts[i]!, starts[i + 1]),
  );
  return Buffer.concat([encodeHeader(header), ...directories]);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function levelFields(
  { grid, sample, nodata, scale, offset, unit, description }: CogBand,
  { step, width, height, blocks }: Level,
  side: number,
  blockBytes: number,
  firstBlock: number,
): readonly Field[] {
  const { bits, format } = SAMPLES[sample];
  const items = [
    `<Item name="DESCRIPTION" sample="0" role="description">${escapeXml(escapeXml(description))}</Item>`,
    `<Item name="OFFSET" sample="0" role="offset">${offset}</Item>`,
    `<Item name="SCALE" sample="0" role="scale">${scale}</Item>`,
    `<Item name="UNITTYPE" sample="0" role="unittype">${escapeXml(escapeXml(unit))}</Item>`,
  ];
  const ofImage: readonly Field[] = [
    { tag: 'GdalMetadata', type: 'ascii', values: ascii(`<GDALMetadata>${items.join('')}</GDALMetadata>`) },
    ...placeFields(grid),
  ];
  return [
    { tag: 'NewSubfileType', type: 'long', values: [step === 1 ? 0 : REDUCED] },
    { tag: 'ImageWidth', type: 'long', values: [width] },
    { tag: 'ImageLength', type: 'long', values: [height] },
    { tag: 'BitsPerSample', type: 'short', values: [bits] },
    { tag: 'Compression', type: 'short', values: [UNCOMPRESSED] },
    { tag: 'PhotometricInterpretation', type: 'short', values: [1] }, // 0 is black
    { tag: 'SamplesPerPixel', type: 'short', values: [1] },
    { tag: 'PlanarConfiguration', type: 'short', values: [1] },
    { tag: 'TileWidth', type: 'long', values: [side] },
    { tag: 'TileLength', type: 'long', values: [side] },
    {
      tag: 'TileOffsets',
      type: 'long8',
      values: Array.from({ length: blocks }, (_, i) => firstBlock + i * blockBytes),
    },
    { tag: 'TileByteCounts', type: 'long8', values: Array.from({ length: blocks }, () => blockBytes) },
    { tag: 'SampleFormat', type: 'short', values: [format] },
    { tag: 'GdalNodata', type: 'ascii', values: ascii(String(nodata).toLowerCase()) },
    ...(step === 1 ? ofImage : []),
  ];
}

/** GDAL unescapes the texts of bands twice. */
function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
