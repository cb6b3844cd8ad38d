import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';
import type { Environment } from '../owner.ts';
import type { LayerCard } from '../risk/layer-reader.ts';

/** One file of an installed layer version. A map may consist of many files. */
export interface LayerPiece {
  /** Name of the served file in the folder of the shelf. */
  readonly file: string;
  /** Name of the source file; `sha256` is the SHA-256 (hex) of the content that was read. */
  readonly from: string;
  readonly sha256: string;
  /** Band of the source file, from 0. */
  readonly band: number;
  /** Variable of the source file, where one was chosen. */
  readonly variable?: string;
  /** Raw value that means nodata; null when there is no such value, or when it is NaN. */
  readonly nodata: number | null;
  /** Value in the layer's unit = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Ground resolution [m]. */
  readonly resolutionM: number;
  readonly coverage: Bbox;
  /** Time of installation: UTC, RFC 3339. */
  readonly addedAt: string;
}

/** The environment that an installed layer serves; `all`: every environment. */
export type LayerEnvironment = Environment | 'all';

/** An installed version of a layer. The resolution on its card is the resolution of the coarsest piece. */
export interface InstalledLayer {
  readonly environment: LayerEnvironment;
  readonly card: LayerCard;
  readonly interpolation: 'nearest' | 'bilinear';
  /** In the order of installation. */
  readonly pieces: readonly LayerPiece[];
}

/** Properties of a raster file, known before its pixels are read. */
export interface RasterFacts {
  readonly grid: Grid;
  readonly nodata: number | null;
  readonly scale: number;
  readonly offset: number;
  readonly unit: string | null;
  /** What the file says about the band; null when it says nothing. */
  readonly description: string | null;
  /** SHA-256 of the whole file, hex. */
  readonly sha256: string;
}

/** Which band of a file to read, and its nodata value. */
export interface RasterChoice {
  readonly path: string;
  /** Variable of NetCDF, HDF5 or Zarr; undefined: the only one on a grid. */
  readonly variable?: string | undefined;
  /** Number of the band in the file, or of the image of a variable, from 0; undefined: the first, or the only image. */
  readonly band?: number | undefined;
  /** Raw value that means nodata; null: the value that the file declares. */
  readonly nodata: number | null;
}

/** A raster computed by the service; NaN: nodata. */
export interface MadeRaster {
  readonly grid: Grid;
  /** Row-major, `grid.width * grid.height`. */
  readonly samples: Float32Array;
}

/** A stored file that is not yet in the list of installed layers, with a summary of its raw samples. */
export interface StoredBand {
  readonly file: string;
  /** Number of samples that are not nodata. */
  readonly validCount: number;
  readonly lowest: number;
  readonly highest: number;
  /** Evenly spaced valid samples, which stand for the distribution; absent where it is not known. */
  readonly sample?: readonly number[];
}

/** Result of checking one served file. */
export interface ShelfFinding {
  readonly card: LayerCard;
  readonly path: string;
  /** Description of the damage; null when the file is unchanged since it was written. */
  readonly problem: string | null;
}

/** Store of layers in the format in which they are served. */
export interface LayerShelf {
  /** Cards of the layers that ship with the service. */
  shipped(): Promise<readonly LayerCard[]>;
  installed(): Promise<readonly InstalledLayer[]>;
  /** Reads the properties of a file. @throws InvalidInput that names the file when it cannot be used */
  inspect(choice: RasterChoice): Promise<RasterFacts>;
  /**
   * Reads a whole band with its scale and offset applied; NaN: nodata.
   * @throws InvalidInput in the same cases as `inspect`, and when the band has too many pixels
   */
  read(choice: RasterChoice): Promise<MadeRaster>;
  /** Stores one band of a file. @throws InvalidInput when the file is damaged or the disk is full */
  store(choice: RasterChoice): Promise<StoredBand>;
  storeMade(raster: MadeRaster): Promise<StoredBand>;
  /** Deletes the file of a stored band. The band must not be in the list of installed layers. */
  discard(band: StoredBand): Promise<void>;
  /**
   * Replaces the list of installed layers with the result of `change`, atomically and durably. Only one process
   * at a time changes the list. When `change` throws, the list does not change.
   */
  update(change: (layers: readonly InstalledLayer[]) => readonly InstalledLayer[]): Promise<void>;
  /** Reads every served file and yields one finding each. */
  check(): AsyncIterable<ShelfFinding>;
}
