/** Gusts of one station. */
export interface GustRecord {
  readonly station: string;
  readonly lat: number;
  readonly lng: number;
  /** Highest gust of each complete year, in the unit of the file, in any order. */
  readonly maxima: readonly number[];
}

export interface GustRecordReader {
  /** @throws InvalidInput that names the invalid column or line */
  readRecords(path: string, stationsPath?: string): Promise<readonly GustRecord[]>;
}
