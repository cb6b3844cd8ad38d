import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { LandReader } from '../../app/layers/derive/land-reader.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { RandomAccess } from '../../formats/random-access.ts';
import { type ZipEntry, zipEntries, zipEntryPieces } from '../../formats/zip/archive.ts';
import type { Bbox } from '../../geo/bbox.ts';

const FILE_CODE = 9994;
const HEAD_BYTES = 100;
const SHAPE_HEAD = 44; // type, box, number of parts and of points of a polygon [bytes]
/** Polygons, with heights, with measures. Behind the points of the latter two stand values that are passed over. */
const POLYGONS: ReadonlySet<number> = new Set([5, 15, 25]);
const POINT_BYTES = 16;
const POINTS_AT_ONCE = 4096;
const MOST_SIDES = 2 ** 23; // 256 MiB of sides; the full coast of Norway has a million (our choice)
const SHIFTS = [-360, 0, 360]; // [degrees] for boxes at the antimeridian

/**
 * Reads land polygons from a shapefile in an archive, as GSHHG and OpenStreetMap publish them. The file is unpacked as a
 * stream, and of a polygon with millions of points only the sides that matter for the box are kept.
 * @see ESRI Shapefile Technical Description, 1998
 */
export class LandShapefileReader implements LandReader {
  async readLand(path: string, member: string, bounds: Bbox): Promise<Float64Array> {
    const archive = basename(path);
    const file = await open(path).catch((error: unknown) => {
      throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    });
    try {
      const entries = await zipEntries(file, archive);
      const named = (name: string): ZipEntry | undefined =>
        entries.find((entry) => entry.name.split('/').at(-1) === name);
      const shp = named(member);
      if (shp === undefined) throw new InvalidInput(`${archive}: expected ${member} in it`);
      const prj = named(member.replace(/\.shp$/, '.prj'));
      if (prj !== undefined) await refuseProjected(file, archive, prj);
      return await sidesOf(`${archive}/${shp.name}`, zipEntryPieces(file, archive, shp), bounds);
    } finally {
      await file.close();
    }
  }
}

/** @throws InvalidInput when the positions are metres of a projection */
async function refuseProjected(file: RandomAccess, archive: string, prj: ZipEntry): Promise<void> {
  let text = '';
  for await (const piece of zipEntryPieces(file, archive, prj)) text += piece.toString('latin1');
  if (/^\s*PROJ(CS|CRS)/i.test(text))
    throw new InvalidInput(
      `${archive}: expected longitudes and latitudes, got a projection: ${text.slice(0, 60)}`,
    );
}

async function sidesOf(title: string, pieces: AsyncIterable<Buffer>, bounds: Bbox): Promise<Float64Array> {
  const bytes = new ByteQueue(title, pieces);
  const head = await bytes.take(HEAD_BYTES);
  const kind = head.readInt32LE(32);
  if (head.readInt32BE(0) !== FILE_CODE) throw new InvalidInput(`${title} is no shapefile`);
  if (!POLYGONS.has(kind)) throw new InvalidInput(`${title}: expected polygons, got shapes of type ${kind}`);
  let left = head.readInt32BE(24) * 2 - HEAD_BYTES;
  const sides = new Sides(title, bounds);
  while (left > 0) {
    const record = await bytes.take(8);
    const size = record.readInt32BE(4) * 2;
    left -= 8 + size;
    if (size < 4 || left < 0)
      throw new InvalidInput(`${title} is damaged: record ${record.readInt32BE(0)} ends behind it`);
    const read = await readShape(bytes, size, sides, title);
    await bytes.skip(size - read);
  }
  await bytes.end();
  return sides.array();
}

/** Reads one shape, or only its head where the box does not touch it. @returns the bytes that were read */
async function readShape(bytes: ByteQueue, size: number, sides: Sides, title: string): Promise<number> {
  if (size < SHAPE_HEAD) return 0; // a shape without geometry
  const head = await bytes.take(SHAPE_HEAD);
  if (!POLYGONS.has(head.readInt32LE(0))) return SHAPE_HEAD;
  const box = [4, 12, 20, 28].map((at) => head.readDoubleLE(at)) as [number, number, number, number];
  const [parts, points] = [head.readInt32LE(36), head.readInt32LE(40)];
  const used = SHAPE_HEAD + 4 * parts + POINT_BYTES * points;
  if (parts < 0 || points < 0 || used > size)
    throw new InvalidInput(`${title} is damaged: a shape is cut short`);
  if (
    !(Math.abs(box[0]) <= 361 && Math.abs(box[2]) <= 361 && Math.abs(box[1]) <= 91 && Math.abs(box[3]) <= 91)
  )
    throw new InvalidInput(`${title}: expected longitudes and latitudes, got a shape at ${box.join(', ')}`);
  const shifts = sides.shiftsOf(box);
  if (shifts.length === 0) return SHAPE_HEAD;
  const starts = new Set<number>();
  const list = await bytes.take(4 * parts);
  for (let part = 0; part < parts; part++) starts.add(list.readInt32LE(4 * part));
  let [x0, y0, twiceArea] = [0, 0, 0];
  const endRing = (): void => {
    // Outer rings run clockwise. A ring within them is a lake, which counts as land.
    if (parts > 1 && twiceArea > 0) sides.dropRing();
    sides.beginRing();
    twiceArea = 0;
  };
  for (let first = 0; first < points; first += POINTS_AT_ONCE) {
    const count = Math.min(POINTS_AT_ONCE, points - first);
    const found = await bytes.take(POINT_BYTES * count);
    for (let i = 0; i < count; i++) {
      const [x1, y1] = [found.readDoubleLE(POINT_BYTES * i), found.readDoubleLE(POINT_BYTES * i + 8)];
      if (starts.has(first + i)) endRing();
      else {
        twiceArea += x0 * y1 - x1 * y0;
        for (const shift of shifts) sides.add(x0 + shift, y0, x1 + shift, y1);
      }
      [x0, y0] = [x1, y1];
    }
  }
  endRing();
  return used;
}

/** The sides that matter for a box. */
class Sides {
  readonly #title: string;
  readonly #bounds: Bbox;
  #numbers = new Float64Array(4096);
  #count = 0;
  #ring = 0;

  constructor(title: string, bounds: Bbox) {
    this.#title = title;
    this.#bounds = bounds;
  }

  /** Shifts of longitude with which a shape touches the box. A shape beside it adds an even number of crossings. */
  shiftsOf([west, south, east, north]: readonly [number, number, number, number]): readonly number[] {
    const [left, bottom, right, top] = this.#bounds;
    if (north < bottom || south > top) return [];
    return SHIFTS.filter((shift) => west + shift <= right && east + shift >= left);
  }

  beginRing(): void {
    this.#ring = this.#count;
  }

  /** Forgets the sides since the ring began. */
  dropRing(): void {
    this.#count = this.#ring;
  }

  add(x0: number, y0: number, x1: number, y1: number): void {
    const [, bottom, right, top] = this.#bounds;
    if ((y0 < bottom && y1 < bottom) || (y0 > top && y1 > top) || (x0 > right && x1 > right)) return;
    if (this.#count === this.#numbers.length) {
      if (this.#count >= 4 * MOST_SIDES)
        throw new InvalidInput(`${this.#title} has more than ${MOST_SIDES} sides there; give a smaller box`, {
          param: 'bbox',
        });
      const wider = new Float64Array(2 * this.#count);
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    this.#numbers.set([x0, y0, x1, y1], this.#count);
    this.#count += 4;
  }

  array(): Float64Array {
    return this.#numbers.slice(0, this.#count);
  }
}

/** Bytes of a stream, taken in order. */
class ByteQueue {
  readonly #title: string;
  readonly #pieces: AsyncIterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(title: string, pieces: AsyncIterable<Buffer>) {
    this.#title = title;
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** @throws InvalidInput when the stream ends before */
  async take(length: number): Promise<Buffer> {
    if (this.#piece.length - this.#at >= length) {
      this.#at += length;
      return this.#piece.subarray(this.#at - length, this.#at);
    }
    const taken: Buffer[] = [];
    for (let left = length; left > 0;) {
      if (this.#at === this.#piece.length) await this.#next();
      const part = this.#piece.subarray(this.#at, this.#at + left);
      this.#at += part.length;
      left -= part.length;
      taken.push(part);
    }
    return Buffer.concat(taken);
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      if (this.#at === this.#piece.length) await this.#next();
      const step = Math.min(left, this.#piece.length - this.#at);
      this.#at += step;
      left -= step;
    }
  }

  /** Reads what is left, so that size and checksum of the file are compared. */
  async end(): Promise<void> {
    while ((await this.#pieces.next()).done !== true);
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#pieces.next();
    if (done === true) throw new InvalidInput(`${this.#title} is cut short`);
    this.#piece = value;
    this.#at = 0;
  }
}
