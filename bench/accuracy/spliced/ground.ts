import type { Random } from '../../calibration/simulated-case.ts';

/** Real series of one pixel by metric, at the times of its ground. */
export type PixelSeries = Readonly<Record<string, Float32Array>>;

/** Gives one real series after the other, of pixels that lie close together or are alike. */
export type Patch = () => PixelSeries;

/** A piece of unchanged land that is made of real series. */
export interface Land {
  readonly width: number;
  readonly height: number;
  readonly series: readonly PixelSeries[];
  /** 1 where the ground may be converted. */
  readonly isConvertible: Uint8Array;
  /** Pixels that are not judged, as the real series has a change of its own. */
  readonly unknown: ReadonlySet<number>;
  /** Draws the cover that converted ground has: one patch for each converted object. */
  convertedTo(): Patch;
}

/** A kind of ground and its conversion. */
export interface Ground {
  /** Name, for example `forest to crops`. */
  readonly name: string;
  readonly pixelAreaM2: number;
  readonly timesMs: Float64Array;
  /** Draws another piece of land. */
  land(random: Random): Land;
}

/** Kind of cover of a map, and its share of the land. */
export interface CoverShare {
  readonly share: number;
  /** Whether this cover may be converted. */
  readonly isConvertible: boolean;
  patch(): Patch;
}

const PARCELS = 14; // number of parcels of a piece of land: our choice

/** Makes land of parcels with different covers: the Voronoi cells of random points, each filled from one patch. */
export function parcelledLand(
  side: number,
  covers: readonly CoverShare[],
  random: Random,
): Pick<Land, 'width' | 'height' | 'series' | 'isConvertible' | 'unknown'> {
  const parcels = Array.from({ length: PARCELS }, (_, i) => {
    const cover = coverAt(covers, (i + random.uniform()) / PARCELS);
    return { row: random.between(0, side), col: random.between(0, side), cover, next: cover.patch() };
  });
  const isConvertible = new Uint8Array(side * side);
  const series = Array.from({ length: side * side }, (_, p): PixelSeries => {
    const [row, col] = [Math.floor(p / side), p % side];
    const distance = (parcel: (typeof parcels)[number]): number =>
      (parcel.row - row) ** 2 + (parcel.col - col) ** 2;
    const parcel = parcels.reduce((best, other) => (distance(other) < distance(best) ? other : best));
    isConvertible[p] = parcel.cover.isConvertible ? 1 : 0;
    return parcel.next();
  });
  return { width: side, height: side, series, isConvertible, unknown: new Set() };
}

/** The cover at a place of the unit interval, in which each cover takes its share. */
function coverAt(covers: readonly CoverShare[], place: number): CoverShare {
  let upTo = 0;
  for (const cover of covers) {
    upTo += cover.share;
    if (place < upTo) return cover;
  }
  return covers.at(-1)!;
}

/** Puts a list into a random order. */
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((item) => ({ item, at: random.uniform() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
