import type { TrackFix } from '../../../risk/storm/cyclone-track.ts';

/** One position of a best track, with one-minute mean winds. */
export type StormFix = TrackFix;

/** One storm of a best-track archive. */
export interface StormTrack {
  readonly id: string;
  /** Year of the season; in the southern hemisphere the year in which it ends. */
  readonly season: number;
  /** Whether the track may still be revised. */
  readonly provisional: boolean;
  /**
   * Positions in order of time, longitudes in [-180, 180). If the storm has wind values, contains the positions
   * with a wind; otherwise, the positions with a pressure.
   */
  readonly fixes: readonly StormFix[];
}

/** Reads an archive of best tracks. */
export interface StormTrackReader {
  /** Yields the storms in the order of the file. @throws InvalidInput that names the invalid line */
  readTracks(path: string): AsyncIterable<StormTrack>;
}
