import type { SampleType, Samples } from '../series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';

/** A multi-band raster as an image stack: one band per date, all on one grid. */
export interface RasterStack {
  readonly grid: Grid;
  readonly bandCount: number;
  readonly sampleType: SampleType;
  /** Raw value that means "nothing observed", from the file; null when the file declares none. */
  readonly nodata: number | null;
  /** Lowest and highest raw value that is an observation; undefined: all are. */
  readonly validRange?: readonly [lowest: number, highest: number];
  /** Value = raw * scale + offset, for all bands; 1 and 0 when the file declares none. */
  readonly scale: number;
  readonly offset: number;
  /** SHA-256 of the whole file, hex. */
  readonly sha256: string;
  /**
   * Raw samples of one band, row-major, `width * height` long; band counts from 0.
   * @throws InvalidInput on a truncated file
   */
  readBand(band: number): Promise<Samples>;
  close(): Promise<void>;
  /** Unit of the values, if the file states it. */
  readonly unit?: string | undefined;
  /** Acquisition date of each band, if the file states them. */
  readonly dates?: readonly BandDate[];
  /** Number in the file, from 1, of the band whose 0 marks missing pixels of all others; it is none of `bandCount`. */
  readonly alphaBand?: number | null;
  /** File name of each band, if the stack is a folder with one file per band. */
  readonly files?: readonly string[];
}

/** How a file is read that may be read in several ways. */
export interface StackChoice {
  readonly metric: string | undefined;
  /** Name of the variable; undefined: the variable that matches the metric, or the only variable. */
  readonly variable: string | undefined;
  /** Whether a band that a GeoTIFF marks as alpha is a date like the others; by default it masks them. */
  readonly alphaIsDate?: boolean;
}

/** Acquisition date of one band of a stack. */
export interface BandDate {
  /** Band number in the file, from 1. */
  readonly band: number;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** Name of the scene; null when the file has none. */
  readonly scene: string | null;
}

export interface StackReader {
  /** @throws InvalidInput when the format is unknown, or the file is truncated or has no reference system */
  open(path: string, choice?: StackChoice): Promise<RasterStack>;
}

export interface AlertReader {
  /**
   * Opens a folder of granules of an alert product as an image stack of the loss of cover [% of the pixel]. The stack
   * has the dates and names of its scenes.
   * @throws InvalidInput when the folder has no granules of a supported product, or granules of several tiles
   */
  openAlerts(folder: string): Promise<RasterStack>;
}

export interface DatesReader {
  /** Reads one date for each band. @throws InvalidInput that names the invalid lines */
  readDates(path: string, bandCount: number): Promise<readonly BandDate[]>;
}

/** Layout of a stack to write. */
export interface StackLayout {
  readonly grid: Grid;
  readonly sampleType: SampleType;
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly bands: readonly BandDate[];
  /** Maximum number of rows requested in one call of ReadRows. */
  readonly rowsAtOnce: number;
}

/**
 * Reads raw samples of the rows `[firstRow, lastRow)` of every band, row-major. A missing sample is -32768 in int16
 * bands, otherwise NaN.
 */
export type ReadRows = (firstRow: number, lastRow: number) => Promise<readonly Samples[]>;

export interface StackWriter {
  /**
   * Writes a stack atomically. Calls `rows` for one strip of rows after the other.
   * @throws InvalidInput when the reference system or the file cannot be written
   */
  write(path: string, layout: StackLayout, rows: ReadRows): Promise<void>;
  /** Writes the table of dates of the bands atomically. @throws InvalidInput when the file cannot be written */
  writeDates(path: string, bands: readonly BandDate[]): Promise<void>;
}
