import { readFileSync } from 'node:fs';

/** One ring or line, `[lng, lat, lng, lat, ...]` in decimal degrees, and the index of its record. */
export interface Path {
  readonly coordinates: Float64Array;
  readonly record: number;
}

/**
 * Reads the rings or lines of an ESRI shapefile.
 * @throws RangeError when the file is not a shapefile of lines (3) or polygons (5)
 * @see ESRI Shapefile Technical Description, 1998, tables 3 to 8
 */
export function readPaths(file: string): readonly Path[] {
  const bytes = readFileSync(file);
  if (bytes.readInt32BE(0) !== 9994) throw new RangeError(`${file} is not a shapefile`);
  const paths: Path[] = [];
  let record = 0;
  for (let at = 100; at < bytes.length; record++) {
    const length = bytes.readInt32BE(at + 4) * 2;
    const body = at + 8;
    const type = bytes.readInt32LE(body);
    if (type === 3 || type === 5) {
      const partCount = bytes.readInt32LE(body + 36);
      const pointCount = bytes.readInt32LE(body + 40);
      const points = body + 44 + 4 * partCount;
      for (let part = 0; part < partCount; part++) {
        const from = bytes.readInt32LE(body + 44 + 4 * part);
        const to = part + 1 < partCount ? bytes.readInt32LE(body + 48 + 4 * part) : pointCount;
        const coordinates = new Float64Array(2 * (to - from));
        for (let i = 0; i < coordinates.length; i++)
          coordinates[i] = bytes.readDoubleLE(points + 16 * from + 8 * i);
        paths.push({ coordinates, record });
      }
    } else if (type !== 0) {
      throw new RangeError(`${file}: shape type ${type}, expected lines (3) or polygons (5)`);
    }
    at = body + length;
  }
  return paths;
}

/** Reads one column of a dBASE III table as text, one value per record. @throws RangeError for an unknown column */
export function readColumn(file: string, column: string): readonly string[] {
  const bytes = readFileSync(file);
  const rows = bytes.readUInt32LE(4);
  const headerLength = bytes.readUInt16LE(8);
  const rowLength = bytes.readUInt16LE(10);
  let offset = 1;
  for (let at = 32; bytes[at] !== 0x0d && at < headerLength; at += 32) {
    const name = bytes.toString('latin1', at, at + 11).replace(/\0.*$/, '');
    const width = bytes[at + 16]!;
    if (name === column) {
      return Array.from({ length: rows }, (_, row) => {
        const start = headerLength + row * rowLength + offset;
        return bytes.toString('latin1', start, start + width).trim();
      });
    }
    offset += width;
  }
  throw new RangeError(`${file} has no column ${column}`);
}

/** Twice the signed area of a ring in square degrees: negative for the clockwise outer rings of a shapefile. */
export function signedArea(ring: Float64Array): number {
  let sum = 0;
  for (let i = 0; i + 3 < ring.length; i += 2) sum += ring[i]! * ring[i + 3]! - ring[i + 2]! * ring[i + 1]!;
  return sum;
}

/** Whether a position lies within a ring (even-odd rule). */
export function ringContains(ring: Float64Array, lng: number, lat: number): boolean {
  let inside = false;
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const y0 = ring[i + 1]!;
    const y1 = ring[i + 3]!;
    if (y0 > lat !== y1 > lat) {
      const x = ring[i]! + ((lat - y0) / (y1 - y0)) * (ring[i + 2]! - ring[i]!);
      if (x > lng) inside = !inside;
    }
  }
  return inside;
}
