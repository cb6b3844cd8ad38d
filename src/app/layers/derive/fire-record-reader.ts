import type { RecordedFire as Fire } from '../../../risk/wildfire/fire-history.ts';

/** A recorded fire. */
export type RecordedFire = Fire;

/** Content of a file of fires, in the order of the file. */
export interface FireRecord {
  /** Whether the entries are satellite detections; one fire has many of them. */
  readonly areDetections: boolean;
  readonly fires: readonly RecordedFire[];
}

/** Reads files of fires. */
export interface FireRecordReader {
  /** @throws InvalidInput that names the invalid column or line */
  readFires(path: string): Promise<FireRecord>;
}
