/** A polygon or several, as GeoJSON coordinates without heights. */
export interface Shape {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly coordinates: readonly unknown[];
  /** Whether its positions had heights, which are dropped. */
  readonly hadHeights: boolean;
}

type Ring = readonly (readonly [x: number, y: number])[];

const POLYGON = 3;
const MULTI_POLYGON = 6;
/** Names of the other types, for messages. */
const OTHERS: Readonly<Record<number, string>> = {
  1: 'a point',
  2: 'a line',
  4: 'points',
  5: 'lines',
  7: 'a collection of geometries',
};
const EWKB = { z: 0x8000_0000, m: 0x4000_0000, srid: 0x2000_0000 };

/**
 * Reads a polygon or a multipolygon in well-known binary, in the forms of OGC, ISO and PostGIS.
 * @throws RangeError when it is damaged, or is of another type
 * @see OGC 06-103r4, section 8
 */
export function readWkb(bytes: Uint8Array): Shape {
  const reader = new WkbReader(bytes);
  const { kind, hadHeights, polygons } = reader.shape();
  return kind === POLYGON
    ? { type: 'Polygon', coordinates: polygons[0]!, hadHeights }
    : { type: 'MultiPolygon', coordinates: polygons, hadHeights };
}

class WkbReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  shape(): { readonly kind: number; readonly hadHeights: boolean; readonly polygons: Ring[][] } {
    const { kind, isLittle, skip, hadHeights } = this.#head();
    if (kind === POLYGON) return { kind, hadHeights, polygons: [this.#rings(isLittle, skip)] };
    if (kind !== MULTI_POLYGON)
      throw new RangeError(`expected a polygon or a multipolygon, got ${OTHERS[kind] ?? `type ${kind}`}`);
    const count = this.#count(isLittle, 9);
    const polygons: Ring[][] = [];
    for (let i = 0; i < count; i++) {
      const own = this.#head();
      if (own.kind !== POLYGON) throw new RangeError('a multipolygon has a part that is no polygon');
      polygons.push(this.#rings(own.isLittle, own.skip));
    }
    return { kind, hadHeights, polygons };
  }

  #head(): {
    readonly kind: number;
    readonly isLittle: boolean;
    readonly skip: number;
    readonly hadHeights: boolean;
  } {
    const isLittle = this.#view.getUint8(this.#at) === 1;
    const code = this.#view.getUint32(this.#at + 1, isLittle);
    this.#at += 5;
    if ((code & EWKB.srid) !== 0) this.#at += 4;
    const plain = code & 0x1fff_ffff;
    const thousands = Math.floor(plain / 1000); // 1: with z, 2: with m, 3: with both
    const z = (code & EWKB.z) !== 0 || thousands === 1 || thousands === 3;
    const m = (code & EWKB.m) !== 0 || thousands === 2 || thousands === 3;
    return { kind: plain % 1000, isLittle, skip: 8 * (Number(z) + Number(m)), hadHeights: z };
  }

  #rings(isLittle: boolean, skip: number): Ring[] {
    const count = this.#count(isLittle, 4);
    return Array.from({ length: count }, () => {
      const points = this.#count(isLittle, 16 + skip);
      return Array.from({ length: points }, () => {
        const [x, y] = [
          this.#view.getFloat64(this.#at, isLittle),
          this.#view.getFloat64(this.#at + 8, isLittle),
        ];
        this.#at += 16 + skip;
        return [x, y] as const;
      });
    });
  }

  /** A number of parts, which must fit in the rest of the bytes. */
  #count(isLittle: boolean, leastBytes: number): number {
    const count = this.#view.getUint32(this.#at, isLittle);
    this.#at += 4;
    if (count * leastBytes > this.#view.byteLength - this.#at) throw new RangeError('it is cut short');
    return count;
  }
}
