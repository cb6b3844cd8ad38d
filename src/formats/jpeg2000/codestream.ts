import { InvalidInput } from '../../base/errors.ts';
import { readBytes } from '../memory-file.ts';
import type { RandomAccess } from '../random-access.ts';

/** Markers of ISO/IEC 15444-1, annex A. */
const MARKER = { SOC: 0xff4f, SIZ: 0xff51, TLM: 0xff55, PLM: 0xff57, PPM: 0xff60, SOT: 0xff90, EOC: 0xffd9 };
const HEAD_BYTES = 1 << 16; // number of bytes in the first read of the header; four times as many until it fits
const LONGEST_HEAD = 1 << 22; // maximum size of a main header [bytes]
const SOT_BYTES = 12; // size of the header of a tile-part
const MOST_TILES = 65_535; // the number of a tile has 16 bits
const MOST_PARTS = 1 << 20; // maximum number of tile-parts of a file
const MOST_BITS = 16; // maximum number of bits of a sample that the decoder returns

/** A rectangle of the reference grid: columns `[x0, x1)` and rows `[y0, y1)`. */
interface Area {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** One tile-part: its tile, and its bytes in the codestream. */
interface TilePart {
  readonly tile: number;
  readonly at: number;
  readonly bytes: number;
}

/** The main header of a codestream, and where its tiles are. */
export interface Codestream {
  readonly name: string;
  readonly image: Area;
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly tilesAcross: number;
  readonly tilesDown: number;
  readonly componentCount: number;
  readonly bits: number;
  readonly isSigned: boolean;
  /** Rectangle of a tile within the image. */
  readonly tileArea: (tile: number) => Area;
  /**
   * Reads the tile as a codestream of its own.
   * @throws InvalidInput when the file is cut short or its tile-parts are in disorder
   */
  readonly readTile: (tile: number) => Promise<Buffer>;
}

/** One segment of the main header, with its marker. */
interface Segment {
  readonly marker: number;
  readonly bytes: Buffer;
}

/**
 * Reads the main header of a JPEG 2000 codestream.
 * @param file the codestream
 * @throws InvalidInput when it is damaged, or is of a kind that is not read
 * @see ISO/IEC 15444-1 (ITU-T T.800), annex A
 */
export async function readCodestream(file: RandomAccess, name: string): Promise<Codestream> {
  const { segments, endsAt } = await mainHeader(file, name);
  const size = segments.find(({ marker }) => marker === MARKER.SIZ)?.bytes;
  if (size === undefined || size.length < 41) throw damaged(name, 'its size is missing');
  if (segments.some(({ marker }) => marker === MARKER.PPM))
    throw new InvalidInput(
      `${name} has packed packet headers, which are not read: convert it with gdal_translate`,
    );
  const [x1, y1, x0, y0, tileWidth, tileHeight, left, top] = [6, 10, 14, 18, 22, 26, 30, 34].map((at) =>
    size.readUInt32BE(at),
  ) as [number, number, number, number, number, number, number, number];
  const isSound =
    x0 < x1 &&
    y0 < y1 &&
    tileWidth > 0 &&
    tileHeight > 0 &&
    left <= x0 &&
    top <= y0 &&
    left + tileWidth > x0 &&
    top + tileHeight > y0;
  if (!isSound)
    throw damaged(
      name,
      `its image runs from ${x0}, ${y0} to ${x1}, ${y1} in tiles of ${tileWidth} x ${tileHeight}`,
    );
  const [tilesAcross, tilesDown] = [Math.ceil((x1 - left) / tileWidth), Math.ceil((y1 - top) / tileHeight)];
  if (tilesAcross * tilesDown > MOST_TILES)
    throw damaged(name, `it would have ${tilesAcross} x ${tilesDown} tiles`);
  const { componentCount, bits, isSigned } = componentsOf(name, size);
  const tileArea = (tile: number): Area => {
    const [col, row] = [tile % tilesAcross, Math.floor(tile / tilesAcross)];
    return {
      x0: Math.max(x0, left + col * tileWidth),
      y0: Math.max(y0, top + row * tileHeight),
      x1: Math.min(x1, left + (col + 1) * tileWidth),
      y1: Math.min(y1, top + (row + 1) * tileHeight),
    };
  };
  const parts = new TileParts(
    file,
    name,
    endsAt,
    tilesAcross * tilesDown,
    listedParts(name, segments, endsAt),
  );
  const header = (tile: number): Buffer => {
    const own = Buffer.from(size);
    const area = tileArea(tile);
    const [col, row] = [tile % tilesAcross, Math.floor(tile / tilesAcross)];
    // The rest of the header keeps its meaning, because coordinates on the reference grid stay what they are.
    for (const [i, value] of [
      area.x1,
      area.y1,
      area.x0,
      area.y0,
      tileWidth,
      tileHeight,
      left + col * tileWidth,
      top + row * tileHeight,
    ].entries())
      own.writeUInt32BE(value, 6 + 4 * i);
    const kept = segments.filter(({ marker }) => marker !== MARKER.TLM && marker !== MARKER.PLM);
    const bytes = kept.map((one) => (one.marker === MARKER.SIZ ? own : one.bytes));
    return Buffer.concat([markerBytes(MARKER.SOC), ...bytes]);
  };
  return {
    name,
    image: { x0, y0, x1, y1 },
    tileWidth,
    tileHeight,
    tilesAcross,
    tilesDown,
    componentCount,
    bits,
    isSigned,
    tileArea,
    readTile: async (tile) =>
      Buffer.concat([header(tile), ...(await parts.read(tile)), markerBytes(MARKER.EOC)]),
  };
}

async function mainHeader(
  file: RandomAccess,
  name: string,
): Promise<{ readonly segments: readonly Segment[]; readonly endsAt: number }> {
  for (let wanted = HEAD_BYTES; ; wanted *= 4) {
    const bytes = await readBytes(file, 0, wanted);
    if (bytes.length < 2 || bytes.readUInt16BE(0) !== MARKER.SOC)
      throw damaged(name, 'its codestream does not begin');
    const segments: Segment[] = [];
    let at = 2;
    while (at + 4 <= bytes.length) {
      const marker = bytes.readUInt16BE(at);
      if (marker === MARKER.SOT) return { segments, endsAt: at };
      const length = bytes.readUInt16BE(at + 2);
      if (marker < 0xff00 || length < 2) throw damaged(name, `its header has no marker at byte ${at}`);
      if (at + 2 + length > bytes.length) break;
      segments.push({ marker, bytes: bytes.subarray(at, at + 2 + length) });
      at += 2 + length;
    }
    if (bytes.length < wanted || wanted >= LONGEST_HEAD)
      throw new InvalidInput(`${name} is cut short: its header does not end within ${bytes.length} bytes`);
  }
}

function componentsOf(name: string, size: Buffer): Pick<Codestream, 'componentCount' | 'bits' | 'isSigned'> {
  const componentCount = size.readUInt16BE(38);
  if (componentCount === 0 || size.length < 40 + 3 * componentCount)
    throw damaged(name, `it would have ${componentCount} bands`);
  if (componentCount !== 1 && componentCount !== 3)
    throw new InvalidInput(
      `${name}: expected 1 or 3 bands in JPEG 2000, which OpenJPEG in WebAssembly decodes; got ${componentCount}. ` +
        `Convert it: gdal_translate -of COG`,
    );
  const kinds = new Set(
    Array.from({ length: componentCount }, (_, i) => size.toString('hex', 40 + 3 * i, 43 + 3 * i)),
  );
  const [depth, dx, dy] = size.subarray(40, 43) as unknown as [number, number, number];
  const bits = (depth & 0x7f) + 1;
  if (kinds.size !== 1 || dx !== 1 || dy !== 1 || bits > MOST_BITS)
    throw new InvalidInput(
      `${name}: expected bands of equal size and at most ${MOST_BITS} bits; got ${bits} bits in steps of ${dx} x ${dy}`,
    );
  return { componentCount, bits, isSigned: (depth & 0x80) !== 0 };
}

/** Tile-parts in the order of the file, as far as the header lists them (TLM); empty when it does not. */
function listedParts(name: string, segments: readonly Segment[], endsAt: number): readonly TilePart[] {
  const lists = segments
    .filter(({ marker, bytes }) => marker === MARKER.TLM && bytes.length >= 6)
    .toSorted((a, b) => a.bytes[4]! - b.bytes[4]!);
  const parts: TilePart[] = [];
  let at = endsAt;
  for (const { bytes } of lists) {
    const [tileBytes, lengthBytes] = [(bytes[5]! >> 4) & 3, (bytes[5]! >> 6) & 1 ? 4 : 2];
    if (tileBytes === 3) throw damaged(name, 'its list of tiles cannot be read');
    for (let p = 6; p + tileBytes + lengthBytes <= bytes.length; p += tileBytes + lengthBytes) {
      const tile = tileBytes === 0 ? parts.length : bytes.readUIntBE(p, tileBytes);
      const length = bytes.readUIntBE(p + tileBytes, lengthBytes);
      parts.push({ tile, at, bytes: length });
      at += length;
    }
  }
  return parts;
}

/** The tile-parts of a file, found one after the other unless the header lists them. */
class TileParts {
  readonly #file: RandomAccess;
  readonly #name: string;
  readonly #tiles: number;
  readonly #found: TilePart[];
  readonly #isListed: boolean;
  #next: number;
  #isDone = false;

  constructor(file: RandomAccess, name: string, from: number, tiles: number, listed: readonly TilePart[]) {
    this.#file = file;
    this.#name = name;
    this.#tiles = tiles;
    this.#found = [...listed];
    this.#isListed = listed.length > 0;
    this.#isDone = this.#isListed;
    this.#next = from;
  }

  /** Reads the parts of a tile, numbered as the only tile of a file. */
  async read(tile: number): Promise<readonly Buffer[]> {
    // The parts of a tile may lie anywhere, so that all are found before one is read.
    while (!this.#isDone) await this.#step();
    const own = this.#found.filter((part) => part.tile === tile);
    if (own.length === 0) throw damaged(this.#name, `tile ${tile + 1} of ${this.#tiles} is missing`);
    const { size } = await this.#file.stat();
    const parts: Buffer[] = [];
    for (const { at, bytes } of own) {
      if (bytes < SOT_BYTES || at + bytes > size)
        throw new InvalidInput(
          `${this.#name} is cut short: tile ${tile + 1} of ${this.#tiles} would end at byte ${at + bytes} of ${size}`,
        );
      const part = await readBytes(this.#file, at, bytes);
      if (part.length < bytes)
        throw new InvalidInput(`${this.#name} is cut short: tile ${tile + 1} of ${this.#tiles} ends early`);
      if (part.readUInt16BE(0) !== MARKER.SOT || part.readUInt16BE(4) !== tile)
        throw damaged(this.#name, `tile ${tile + 1} of ${this.#tiles} is not where the list says`);
      part.writeUInt16BE(0, 4);
      part.writeUInt32BE(bytes, 6);
      parts.push(part);
    }
    return parts;
  }

  async #step(): Promise<void> {
    const { size } = await this.#file.stat();
    const head = await readBytes(this.#file, this.#next, SOT_BYTES);
    const isEnd = head.length >= 2 && head.readUInt16BE(0) === MARKER.EOC;
    if (isEnd || head.length === 0) {
      this.#isDone = true;
      return;
    }
    if (head.length < SOT_BYTES || head.readUInt16BE(0) !== MARKER.SOT)
      throw damaged(this.#name, `no tile begins at byte ${this.#next}`);
    // 0: the part goes on to the end of the file, which ends with a marker of two bytes.
    const stated = head.readUInt32BE(6);
    const bytes = stated === 0 ? size - 2 - this.#next : stated;
    if (bytes < SOT_BYTES || this.#found.length >= MOST_PARTS)
      throw damaged(this.#name, `a tile at byte ${this.#next} has ${bytes} bytes`);
    this.#found.push({ tile: head.readUInt16BE(4), at: this.#next, bytes });
    this.#next += bytes;
    if (this.#next >= size) this.#isDone = true;
  }
}

function markerBytes(marker: number): Buffer {
  return Buffer.from([marker >> 8, marker & 0xff]);
}

function damaged(name: string, why: string): InvalidInput {
  return new InvalidInput(`${name} is damaged: ${why}`);
}
