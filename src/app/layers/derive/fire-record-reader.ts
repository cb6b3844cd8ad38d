import type { RecordedFire as Fire } from '../../../risk/wildfire/fire-history.ts';

/** One fire of a record. */
export type RecordedFire = Fire;

/** Fires of a file, in its order. */
export interface FireRecord {
  /** Whether they are detections of satellites, of which many make one fire. */
  readonly areDetections: boolean;
  readonly fires: readonly RecordedFire[];
}

/** Reads records of fires. */
export interface FireRecordReader {
  /** @throws InvalidInput naming the column or line that cannot be used */
  readFires(path: string): Promise<FireRecord>;
}
