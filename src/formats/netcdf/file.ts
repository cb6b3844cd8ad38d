import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { type ArrayFile, type ArrayVariable, rowLength } from '../arrays/array-file.ts';
import { isHdf5 } from '../hdf5/file.ts';
import {
  HeaderProblem,
  type HeaderVariable,
  type NetcdfHeader,
  type NetcdfType,
  parseHeader,
  TYPE_BYTES,
} from './header.ts';

/** Number of bytes at the start of a file that identify NetCDF. */
export const NETCDF_MAGIC_BYTES = 8;
const HEAD_BYTES = 1 << 16; // number of bytes in the first read of the header; four times as many until it fits
const LONGEST_HEAD = 1 << 24; // maximum size of a header [bytes]; a usual header has a few kilobytes
const CHUNK_BYTES = 1 << 22; // number of bytes to read at once from rows that are close together
const UNKNOWN_RECORDS = 0xffff_ffff; // record count in streamed files; the real count follows from the file size

/** One array of a file of the classic format. */
type NetcdfVariable = ArrayVariable & { readonly type: NetcdfType };

/**
 * Where a variable starts in the file, and the distance between its rows. A row contains the values at one index of
 * the first dimension.
 */
interface Place {
  readonly offset: number;
  readonly stepBytes: number;
}

/** Whether the first bytes of a file are those of any NetCDF format. */
export function isNetcdf(head: Uint8Array): boolean {
  return Buffer.from(head).toString('latin1', 0, 3) === 'CDF' || isHdf5(head);
}

/**
 * A file of the NetCDF classic format, with offsets of 32 or 64 bits. The header is read whole, arrays row by row.
 * @see https://docs.unidata.ucar.edu/nug/current/file_format_specifications.html
 */
export class NetcdfFile implements ArrayFile {
  readonly form = 'NetCDF';
  readonly name: string;
  readonly variables: readonly ArrayVariable[];
  readonly attributes: ArrayVariable['attributes'];
  readonly #file: FileHandle;
  readonly #places: Map<ArrayVariable, Place>;

  private constructor(
    file: FileHandle,
    name: string,
    places: Map<ArrayVariable, Place>,
    attributes: ArrayVariable['attributes'],
  ) {
    this.attributes = attributes;
    this.#file = file;
    this.name = name;
    this.#places = places;
    this.variables = [...places.keys()];
  }

  /** @throws InvalidInput when the file cannot be read, is truncated, or is in another NetCDF format */
  static async open(path: string): Promise<NetcdfFile> {
    const name = basename(path);
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
    try {
      const { size } = await file.stat();
      const header = await headerOf(file, name, size);
      return new NetcdfFile(file, name, placesOf(header, name, size), header.attributes);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  find(name: string): ArrayVariable | undefined {
    return this.variables.find((variable) => variable.name === name);
  }

  /**
   * Reads stored values of the rows `[from, to)`.
   * @param part part of each row; by default the whole row
   * @throws InvalidInput when the file ends before these rows
   */
  async read(
    variable: ArrayVariable,
    from: number,
    to: number,
    part: { readonly start: number; readonly count: number } = { start: 0, count: rowLength(variable) },
  ): Promise<Float64Array> {
    const { offset, stepBytes } = this.#places.get(variable)!;
    const type = variable.type as NetcdfType;
    const width = TYPE_BYTES[type];
    const values = new Float64Array((to - from) * part.count);
    const partBytes = part.count * width;
    // Several rows are read at once, unless the gaps between the requested parts are much larger than the parts.
    const together = stepBytes > 4 * partBytes + 4096 ? 1 : Math.max(1, Math.floor(CHUNK_BYTES / stepBytes));
    for (let row = from; row < to; row += together) {
      const rows = Math.min(together, to - row);
      const bytes = Buffer.alloc((rows - 1) * stepBytes + partBytes);
      const { bytesRead } = await this.#file.read(
        bytes,
        0,
        bytes.length,
        offset + row * stepBytes + part.start * width,
      );
      if (bytesRead < bytes.length)
        throw new InvalidInput(`${this.name} is cut short: ${variable.name} ends in row ${row + rows}`, {
          param: 'file',
        });
      for (let r = 0; r < rows; r++)
        decode(bytes, r * stepBytes, type, values, (row + r - from) * part.count, part.count);
    }
    return values;
  }

  /** Reads the rows `[from, to)` of one image of a variable; see `ArrayFile`. */
  async readRows(
    variable: ArrayVariable,
    image: readonly number[],
    from: number,
    to: number,
  ): Promise<Float64Array> {
    const { dimensions } = variable;
    const [first, ...inner] = image;
    if (first === undefined) return this.read(variable, from, to);
    const [height, width] = [dimensions.at(-2)!.size, dimensions.at(-1)!.size];
    const index = inner.reduce((sum, at, i) => sum * dimensions[i + 1]!.size + at, 0);
    const start = (index * height + from) * width;
    return this.read(variable, first, first + 1, { start, count: (to - from) * width });
  }

  /** Removes the leading dimensions of length 1 from a variable, up to the first wanted dimension. */
  trimmed(variable: ArrayVariable, isWanted: (dimension: string) => boolean): ArrayVariable {
    const { dimensions } = variable;
    const first = dimensions.findIndex(({ name, size }) => size !== 1 || isWanted(name));
    if (first <= 0) return variable;
    const trimmed: ArrayVariable = { ...variable, dimensions: dimensions.slice(first) };
    const { offset } = this.#places.get(variable)!;
    this.#places.set(trimmed, {
      offset,
      stepBytes: rowLength(trimmed) * TYPE_BYTES[variable.type as NetcdfType],
    });
    return trimmed;
  }

  /** Reads all values of a variable. @throws InvalidInput when there are more than `most` */
  async readAll(variable: ArrayVariable, most: number): Promise<Float64Array> {
    const rows = variable.dimensions[0]?.size ?? 1;
    const count = rows * rowLength(variable);
    if (count > most)
      throw new InvalidInput(
        `${this.name}: ${variable.name} has ${count} values; expected at most ${most}: divide the file`,
        { param: 'file' },
      );
    return this.read(variable, 0, rows);
  }

  async readTexts(variable: ArrayVariable, most: number): Promise<readonly string[]> {
    return textsOf(variable, await this.readAll(variable, most));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Strings of a character variable, whose last dimension runs along each string. */
function textsOf({ dimensions }: ArrayVariable, values: Float64Array): string[] {
  const length = dimensions.at(-1)?.size ?? 1;
  return Array.from({ length: length === 0 ? 0 : values.length / length }, (_, i) =>
    Buffer.from(values.subarray(i * length, (i + 1) * length))
      .toString('utf8')
      .replace(/\0.*$/su, '')
      .trim(),
  );
}

/** Reads the header: ever more of the file's start, until the header ends in it. @throws InvalidInput */
async function headerOf(file: FileHandle, name: string, size: number): Promise<NetcdfHeader> {
  for (let wanted = HEAD_BYTES; ; wanted *= 4) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(wanted, size)), 0, null, 0);
    const bytes = buffer.subarray(0, bytesRead);
    refuseOtherKinds(bytes, name);
    try {
      return parseHeader(bytes, size);
    } catch (error) {
      if (!(error instanceof HeaderProblem)) throw error;
      if (error.isShort && wanted < Math.min(size, LONGEST_HEAD)) continue;
      throw new InvalidInput(
        error.isShort
          ? `${name} is cut short: its header does not end within ${Math.min(wanted, size)} bytes; expected a list of dimensions, attributes and variables`
          : `${name} cannot be read as NetCDF: ${error.message}`,
        { param: 'file', cause: error },
      );
    }
  }
}

function refuseOtherKinds(bytes: Buffer, name: string): void {
  const convert = `NetCDF classic expected: nccopy -k classic ${name} classic-${name}`;
  if (bytes.toString('latin1', 0, 4) === 'CDF\x05')
    throw new InvalidInput(`${name} is NetCDF with 64-bit data (CDF-5); ${convert}`, { param: 'file' });
}

/** Places of the variables. @throws InvalidInput when one would end behind the file */
function placesOf(header: NetcdfHeader, name: string, size: number): Map<ArrayVariable, Place> {
  const { dimensions, recordDimension, recordCount, variables } = header;
  const isRecord = (ids: readonly number[]): boolean => ids[0] !== undefined && ids[0] === recordDimension;
  const bytesOf = ({ type, dimensions: ids }: HeaderVariable): number =>
    ids.reduce((product, id, i) => product * (i === 0 ? 1 : dimensions[id]!.size), TYPE_BYTES[type]);
  const records = variables.filter((variable) => isRecord(variable.dimensions));
  const rowBytes = records.map(bytesOf);
  // The format does not pad rows to four bytes when there is only one record variable.
  const stepBytes =
    records.length === 1 ? rowBytes[0]! : rowBytes.reduce((sum, bytes) => sum + Math.ceil(bytes / 4) * 4, 0);
  const first = records.reduce((least, { offset }) => Math.min(least, offset), size);
  const count =
    recordCount === UNKNOWN_RECORDS ? Math.floor((size - first) / Math.max(1, stepBytes)) : recordCount;
  const places = new Map<ArrayVariable, Place>();
  for (const one of variables) {
    const { name: title, type, dimensions: ids, attributes, offset } = one;
    const variable: NetcdfVariable = {
      name: title,
      type,
      dimensions: ids.map((id) => ({
        name: dimensions[id]!.name,
        size: id === recordDimension ? count : dimensions[id]!.size,
      })),
      attributes,
    };
    const bytes = bytesOf(one);
    const rows = ids.length === 0 ? 1 : variable.dimensions[0]!.size;
    const step = isRecord(ids) ? stepBytes : bytes;
    const end = offset + (rows - 1) * step + bytes;
    if (rows > 0 && !(end <= size))
      throw new InvalidInput(
        `${name} is cut short: ${title} would end at byte ${end}, the file has ${size}`,
        { param: 'file' },
      );
    places.set(variable, { offset, stepBytes: step });
  }
  return places;
}

/** Decodes big-endian values: the format has no other byte order. */
function decode(
  bytes: Buffer,
  at: number,
  type: NetcdfType,
  into: Float64Array,
  from: number,
  count: number,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const width = TYPE_BYTES[type];
  for (let i = 0; i < count; i++) {
    const position = at + i * width;
    into[from + i] =
      type === 'short'
        ? view.getInt16(position)
        : type === 'float'
          ? view.getFloat32(position)
          : type === 'int'
            ? view.getInt32(position)
            : type === 'double'
              ? view.getFloat64(position)
              : type === 'byte'
                ? view.getInt8(position)
                : view.getUint8(position);
  }
}
