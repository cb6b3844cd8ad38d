import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';
import type { Environment } from '../owner.ts';
import type { LayerCard } from '../risk/layer-reader.ts';

/** One file of an installed layer version: a map may come in many. */
export interface LayerPiece {
  /** Name of its serving form in the shelf's folder. */
  readonly file: string;
  /** Name of the file that it was made from, and SHA-256 (hex) of what was read. */
  readonly from: string;
  readonly sha256: string;
  /** Band of that file, from 0. */
  readonly band: number;
  /** Raw value that means nothing is known there; null when there is none, or only NaN. */
  readonly nodata: number | null;
  /** Value in the layer's unit = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Ground resolution [m]. */
  readonly resolutionM: number;
  readonly coverage: Bbox;
  /** UTC, RFC 3339. */
  readonly addedAt: string;
}

/** Whom an installed layer serves: one environment, or all of them. */
export type LayerEnvironment = Environment | 'all';

/** One version of a layer that a user has installed; its card's resolution is that of its coarsest piece. */
export interface InstalledLayer {
  readonly environment: LayerEnvironment;
  readonly card: LayerCard;
  readonly interpolation: 'nearest' | 'bilinear';
  /** In the order in which they were added. */
  readonly pieces: readonly LayerPiece[];
}

/** What a raster file says before its pixels are read. */
export interface RasterFacts {
  readonly grid: Grid;
  readonly nodata: number | null;
  readonly scale: number;
  readonly offset: number;
  readonly unit: string | null;
  /** SHA-256 of the whole file, hex. */
  readonly sha256: string;
}

/** Which band of a file is meant, and how it is to be read. */
export interface RasterChoice {
  readonly path: string;
  /** From 0. */
  readonly band: number;
  /** Raw value; null takes the file's own. */
  readonly nodata: number | null;
}

/** Samples made here, to be kept as a layer: NaN is nodata. */
export interface MadeRaster {
  readonly grid: Grid;
  /** Row-major, `grid.width * grid.height`. */
  readonly samples: Float32Array;
}

/** A serving form that no catalogue knows yet; its samples are raw. */
export interface StoredBand {
  readonly file: string;
  /** Samples that are not nodata. */
  readonly validCount: number;
  readonly lowest: number;
  readonly highest: number;
}

/** What a check found in one served file. */
export interface ShelfFinding {
  readonly card: LayerCard;
  readonly path: string;
  /** What is wrong with it; null when every byte is as it was written. */
  readonly problem: string | null;
}

/** Where layers are kept in the form in which they are served. */
export interface LayerShelf {
  /** Cards of what ships with the service. */
  shipped(): Promise<readonly LayerCard[]>;
  installed(): Promise<readonly InstalledLayer[]>;
  /** @throws InvalidInput when the file cannot be used, naming it */
  inspect(choice: RasterChoice): Promise<RasterFacts>;
  /** Reads one band whole, scaled to its unit; NaN is nodata. @throws InvalidInput as `inspect` does, or when it has too many pixels */
  read(choice: RasterChoice): Promise<MadeRaster>;
  /** @throws InvalidInput when the file is damaged or the disk has no room */
  store(choice: RasterChoice): Promise<StoredBand>;
  storeMade(raster: MadeRaster): Promise<StoredBand>;
  /** Forgets a band that no catalogue took. */
  discard(band: StoredBand): Promise<void>;
  /**
   * Replaces the list of installed layers by what `change` makes of it, at once and durably; one change at a time over
   * all processes. What `change` throws leaves it as it was.
   */
  update(change: (layers: readonly InstalledLayer[]) => readonly InstalledLayer[]): Promise<void>;
  /** Reads every served file, one after the other. */
  check(): AsyncIterable<ShelfFinding>;
}
