import type { Station } from '../series/station-store.ts';

/** Options for reading a file of observations at stations. */
export interface PointsRequest {
  readonly path: string;
  readonly metric: string;
  /** Name of the column with the values; undefined: the name of the metric. */
  readonly column?: string | undefined;
  /** Other names that the column with the values may have if none is named as the metric, the preferred one first. */
  readonly otherColumns?: readonly string[];
  /** Name of the column with the times; undefined: a column with a usual name is searched for. */
  readonly timeColumn?: string | undefined;
  /** Key of the only station in the file, or of the station to read from a file with several stations. */
  readonly station?: string | undefined;
  /** Position of the only station in the file [decimal degrees]. */
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
  /** Path of a table of stations: keys, latitudes and longitudes. */
  readonly stationsPath?: string | undefined;
  /** Time zone of the times in the file that have no UTC offset: `UTC`, an offset (`+05:30`), or an IANA name. */
  readonly timezone?: string | undefined;
  /**
   * Name of the column with the day of the year of each observation. Needed for satellite composites, whose date is
   * only the start of the composite period.
   */
  readonly dayColumn?: string | undefined;
  /** Name of the column with quality codes. A line is a gap if its code means that the ground was not visible. */
  readonly maskColumn?: string | undefined;
  /** Encoding of `maskColumn`, a name from `QUALITY_ENCODINGS`; undefined: the code 0 means clear. */
  readonly maskEncoding?: string | undefined;
  /** Order of day and month in dates such as 03/04/2020; undefined: inferred from the file. */
  readonly dateOrder?: 'dmy' | 'mdy' | undefined;
}

/** A batch of observations, in the order of the file. */
export interface PointBatch {
  readonly count: number;
  /** Station of each observation, as a position in {@link PointFile.stations}. */
  readonly stations: Int32Array;
  /** Milliseconds since the Unix epoch. */
  readonly timesMs: Float64Array;
  /** Numbers as in the file, before any conversion; NaN where empty. */
  readonly values: Float64Array;
  /** Line of the file that contains each observation, from 1. Not always a text line: see `PointFile.counted`. */
  readonly lines: Float64Array;
}

/** An opened file of observations. */
export interface PointFile {
  readonly name: string;
  /** The recognised file format, in words. */
  readonly form: string;
  /** Name of the column with the values; undefined if several columns have values. */
  readonly column: string | undefined;
  /** Unit implied by the file format; undefined when it implies none. */
  readonly unit: string | undefined;
  /** What the numbers in `PointBatch.lines` count, as a singular noun such as `value`; undefined: lines of text. */
  readonly counted?: string;
  /** Stations found so far; grows while the file is read. */
  readonly stations: readonly Omit<Station, 'id'>[];
  /** Reads the file from its start. @throws InvalidInput that states the place of a value that cannot be used */
  batches(): AsyncIterable<PointBatch>;
}

export interface PointsReader {
  /** Opens a file. @throws InvalidInput when it cannot be read, or its format is unknown */
  open(request: PointsRequest): Promise<PointFile>;
}
