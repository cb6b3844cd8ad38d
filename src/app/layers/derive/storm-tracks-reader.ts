import type { TrackFix } from '../../../risk/storm/cyclone-track.ts';

/** One fix of a best track: winds are one-minute means. */
export type StormFix = TrackFix;

/** One storm of a best-track archive. */
export interface StormTrack {
  readonly id: string;
  /** Year of the season; in the south the year in which it ends. */
  readonly season: number;
  /** Whether the track may still be revised. */
  readonly provisional: boolean;
  /** Those with a wind, or of a storm without any those with a pressure, ascending in time; longitudes in [-180, 180). */
  readonly fixes: readonly StormFix[];
}

/** Reads an archive of best tracks. */
export interface StormTrackReader {
  /** Storms in the order of the file. @throws InvalidInput naming the line that cannot be used */
  readTracks(path: string): AsyncIterable<StormTrack>;
}
