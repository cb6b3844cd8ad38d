import type { SceneLevels } from './levels.ts';
import { seasonalDesign } from './seasonal-fit.ts';
import type { StackSpec } from './stack.ts';

const YEAR_MS = 365.25 * 86_400_000; // Julian year [ms]

/** What all pixels of a stack share, worked out once. */
export interface SceneFrame {
  readonly timesMs: Float64Array;
  readonly design: Float64Array;
  /** 1 where a scene is comparable in season and state. */
  readonly comparable: Uint8Array;
  /** Median of each scene [metric unit]; a number wherever it is comparable. */
  readonly median: Float64Array;
  /** Time since the turn of a mean year [ms]. */
  readonly phaseMs: Float64Array;
  /** Distance [ms], at most half a year, from a phase to that of a scene. */
  seasonDistance(phaseMs: number, scene: number): number;
}

/** Frame of a stack, given what its scenes are like as a whole. */
export function sceneFrame(spec: StackSpec, levels: SceneLevels): SceneFrame {
  const { timesMs } = spec;
  const phaseMs = timesMs.map((time) => ((time % YEAR_MS) + YEAR_MS) % YEAR_MS);
  return {
    timesMs,
    design: seasonalDesign(timesMs),
    comparable: levels.comparable,
    median: levels.median,
    phaseMs,
    seasonDistance(phase, scene) {
      const apart = Math.abs(phase - phaseMs[scene]!);
      return apart > YEAR_MS / 2 ? YEAR_MS - apart : apart;
    },
  };
}
