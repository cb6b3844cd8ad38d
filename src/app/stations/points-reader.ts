import type { Station } from '../series/station-store.ts';

/** What to read of a file of observations at stations. */
export interface PointsRequest {
  readonly path: string;
  readonly metric: string;
  /** The column of values; undefined: the one that is named as the metric. */
  readonly column?: string | undefined;
  /** The column of times; undefined: one of a name that is known. */
  readonly timeColumn?: string | undefined;
  /** Name of the one station of the file, or of the one to take. */
  readonly station?: string | undefined;
  /** Where the one station stands, decimal degrees. */
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
  /** A table of stations: their keys, latitudes and longitudes. */
  readonly stationsPath?: string | undefined;
  /** `UTC`, an offset such as `+05:30`, or a name of the IANA database: of times that carry no offset. */
  readonly timezone?: string | undefined;
  /** The column of the day of the year that each line was observed on, where its date begins a composite. */
  readonly dayColumn?: string | undefined;
  /** The column of quality: lines of which it says that the ground was not seen are gaps. */
  readonly maskColumn?: string | undefined;
  /** How that is coded, a name of `QUALITY_ENCODINGS`; undefined: 0 is clear. */
  readonly maskEncoding?: string | undefined;
  /** Which comes first in dates such as 03/04/2020; undefined: as the file makes plain. */
  readonly dateOrder?: 'dmy' | 'mdy' | undefined;
}

/** Some observations of a file, in its order. */
export interface PointBatch {
  readonly count: number;
  /** Which of the file's stations, by its place in {@link PointFile.stations}. */
  readonly stations: Int32Array;
  /** Milliseconds since the Unix epoch. */
  readonly timesMs: Float64Array;
  /** As the file has them; NaN where it has nothing. */
  readonly values: Float64Array;
  /** Lines of the file, from 1. */
  readonly lines: Float64Array;
}

/** A file of observations, whose form was recognised. */
export interface PointFile {
  readonly name: string;
  /** What the file was taken for, in words. */
  readonly form: string;
  /** The column that the values are read from; undefined where there are many. */
  readonly column: string | undefined;
  /** Unit that the form of the file implies; undefined where it says nothing. */
  readonly unit: string | undefined;
  /** What `lines` counts, where it is not the lines of a text. */
  readonly counted?: string;
  /** Grows while the file is read. */
  readonly stations: readonly Omit<Station, 'id'>[];
  /** Reads it from its start. @throws InvalidInput naming the line and column that cannot be used */
  batches(): AsyncIterable<PointBatch>;
}

export interface PointsReader {
  /** @throws InvalidInput when the file cannot be read, or its form is none that is known */
  open(request: PointsRequest): Promise<PointFile>;
}
