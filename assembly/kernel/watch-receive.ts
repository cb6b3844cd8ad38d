// Which values of a scene are observations.
import { rule, Track, trackCount, trackOf } from './watch-record';

/** What is known of the latest value of a metric; see src/change/pixel/interpolation.ts. */
const DECIDED = 0;
const ON_LINE = 1;
const WAITS = 2;

/** Receives the values of a scene. Returns the latest earlier scene that they show to be observed; -1 if there is none. */
export function receiveAll(scene: i32): i32 {
  let late = -1;
  for (let m = 0; m < trackCount; m++) {
    const track = trackOf(m);
    receive(track, scene);
    late = max(late, track.late);
  }
  return late;
}

/**
 * Finds whether the value of a scene is an observation, and whether it shows the latest one to be. Nothing is kept; see
 * `receive` in src/change/pixel/interpolation.ts.
 */
function receive(track: Track, scene: i32): void {
  const value = load<f64>(track.series + ((<usize>scene) << 3));
  track.value = value;
  track.late = -1;
  track.isObserved = 0;
  track.isGiven = value - value == 0 ? 1 : 0;
  if (track.isGiven != 0) {
    const place = track.place;
    if (isOnLine(track, value)) track.nextPlace = ON_LINE;
    else {
      if (place != DECIDED) track.late = track.lastScene;
      track.nextPlace = place == ON_LINE ? WAITS : DECIDED;
      track.isObserved = place == ON_LINE ? 0 : 1;
    }
  }
  track.isSeen = track.isObserved;
}

/** Keeps the values of a scene as the latest. */
export function accept(scene: i32): void {
  for (let m = 0; m < trackCount; m++) {
    const track = trackOf(m);
    if (track.isGiven == 0) continue;
    track.before = track.last;
    track.last = load<f64>(track.series + ((<usize>scene) << 3));
    track.lastScene = scene;
    track.place = track.nextPlace;
  }
}

/** Whether a value is interpolated; see src/change/pixel/interpolation.ts. */
function isOnLine(track: Track, value: f64): bool {
  if (!(track.quantum > 0) || value == track.last) return false;
  return abs(value - 2 * track.last + track.before) <= rule.roundingSteps * track.quantum;
}
