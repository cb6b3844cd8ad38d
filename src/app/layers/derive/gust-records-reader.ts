/** Gusts of one station. */
export interface GustRecord {
  readonly station: string;
  readonly lat: number;
  readonly lng: number;
  /** Highest gust of each year that counts, in the unit of the file; any order. */
  readonly maxima: readonly number[];
}

export interface GustRecordReader {
  /** @throws InvalidInput naming the column or line that cannot be used */
  readRecords(path: string, stationsPath?: string): Promise<readonly GustRecord[]>;
}
