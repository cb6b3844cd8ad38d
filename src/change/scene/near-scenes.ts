import { PARAMETERS } from '../parameters.ts';
import { JULIAN_YEAR_MS } from '../../base/time.ts';

/** For each scene, the earlier scenes in the same season, in order of time. */
export interface NearScenes {
  /** The entries of scene `t` in the other arrays have the indices `[starts[t], starts[t + 1])`. */
  readonly starts: Int32Array;
  readonly scenes: Int32Array;
  /**
   * Weight of an earlier scene in the estimate of the season's scatter: 1 on the same day of the year, 0 at a
   * distance of `seasonHalfWidthMs`.
   */
  readonly weights: Float64Array;
  /** 1 if the days of the year of the two scenes differ by `supportMs` or less. */
  readonly supports: Uint8Array;
}

const known = new WeakMap<Float64Array, NearScenes>();

/**
 * Returns, for each scene, the earlier scenes in the same season. The result is cached for each array.
 * @param timesMs acquisition times [ms since the Unix epoch]
 */
export function nearScenes(timesMs: Float64Array): NearScenes {
  let near = known.get(timesMs);
  if (near === undefined) {
    near = lookUp(timesMs);
    known.set(timesMs, near);
  }
  return near;
}

function lookUp(timesMs: Float64Array): NearScenes {
  const phaseMs = timesMs.map((time) => ((time % JULIAN_YEAR_MS) + JULIAN_YEAR_MS) % JULIAN_YEAR_MS);
  const starts = new Int32Array(timesMs.length + 1);
  const scenes: number[] = [];
  const weights: number[] = [];
  const supports: number[] = [];
  for (let t = 0; t < timesMs.length; t++) {
    for (let s = 0; s < t; s++) {
      const between = Math.abs(phaseMs[t]! - phaseMs[s]!);
      const apart = between > JULIAN_YEAR_MS / 2 ? JULIAN_YEAR_MS - between : between;
      if (apart >= PARAMETERS.seasonHalfWidthMs) continue;
      scenes.push(s);
      weights.push(1 - apart / PARAMETERS.seasonHalfWidthMs);
      supports.push(apart <= PARAMETERS.supportMs ? 1 : 0);
    }
    starts[t + 1] = scenes.length;
  }
  return {
    starts,
    scenes: Int32Array.from(scenes),
    weights: Float64Array.from(weights),
    supports: Uint8Array.from(supports),
  };
}
