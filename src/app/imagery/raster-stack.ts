import type { SampleType, Samples } from '../series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';

/** A multi-band raster read as an image stack: one band per date, all on one grid. */
export interface RasterStack {
  readonly grid: Grid;
  readonly bandCount: number;
  readonly sampleType: SampleType;
  /** Raw value that means "nothing observed", from the file; null when the file declares none. */
  readonly nodata: number | null;
  /** Per-band scale and offset from the file (1 and 0 when it declares none). */
  readonly scale: number;
  readonly offset: number;
  /** SHA-256 of the whole file, hex. */
  readonly sha256: string;
  /** Raw samples of one band, row-major, `width * height` long; band counts from 0. @throws InvalidInput on a truncated file */
  readBand(band: number): Promise<Samples>;
  close(): Promise<void>;
  /** Unit of the values, where the file says it. */
  readonly unit?: string | undefined;
  /** When its bands were acquired, where the file says it. */
  readonly dates?: readonly BandDate[];
  /** Name of each band's own file, where it is a folder. */
  readonly files?: readonly string[];
}

/** Which of a file's variables is meant, where it may hold several. */
export interface StackChoice {
  readonly metric: string | undefined;
  /** Its name; undefined: the one that stands for the metric, or the only one. */
  readonly variable: string | undefined;
}

/** When one band of a stack was acquired. */
export interface BandDate {
  /** Band of the stack, from 1 as in the file. */
  readonly band: number;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** The scene's name; null when the file has none. */
  readonly scene: string | null;
}

export interface StackReader {
  /** @throws InvalidInput when the file is no stack that is known, is truncated, or has no reference system. */
  open(path: string, choice?: StackChoice): Promise<RasterStack>;
}

export interface DatesReader {
  /** One date for each band. @throws InvalidInput naming the lines that cannot be used */
  readDates(path: string, bandCount: number): Promise<readonly BandDate[]>;
}

/** What a stack is that is to be written. */
export interface StackLayout {
  readonly grid: Grid;
  readonly sampleType: SampleType;
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly bands: readonly BandDate[];
  /** Rows asked for together. */
  readonly rowsAtOnce: number;
}

/** Gives raw samples of rows `[firstRow, lastRow)` of every band, row-major; missing is -32768 for int16, else NaN. */
export type ReadRows = (firstRow: number, lastRow: number) => Promise<readonly Samples[]>;

export interface StackWriter {
  /**
   * Writes a stack, whole or not at all, asking for its rows in order.
   * @throws InvalidInput when the reference system cannot be written, or the file cannot
   */
  write(path: string, layout: StackLayout, rows: ReadRows): Promise<void>;
  /** Writes the dates of its bands, whole or not at all. @throws InvalidInput when the file cannot be written */
  writeDates(path: string, bands: readonly BandDate[]): Promise<void>;
}
