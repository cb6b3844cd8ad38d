import { seasonalDesign } from './seasonal-fit.ts';
import type { StackSpec } from './stack.ts';

const YEAR_MS = 365.25 * 86_400_000; // Julian year [ms]

/** What all pixels of a stack share, worked out once. */
export interface SceneFrame {
  readonly timesMs: Float64Array;
  readonly design: Float64Array;
  /** 1 where a scene is comparable in season and state. */
  readonly comparable: Uint8Array;
  /** Time since the turn of a mean year [ms]. */
  readonly phaseMs: Float64Array;
  /** Distance [ms], at most half a year, from a phase to that of a scene. */
  seasonDistance(phaseMs: number, scene: number): number;
}

/** Frame of a stack, given which of its scenes are comparable. */
export function sceneFrame(spec: StackSpec, comparable: Uint8Array): SceneFrame {
  const { timesMs } = spec;
  const phaseMs = timesMs.map((time) => ((time % YEAR_MS) + YEAR_MS) % YEAR_MS);
  return {
    timesMs,
    design: seasonalDesign(timesMs),
    comparable,
    phaseMs,
    seasonDistance(phase, scene) {
      const apart = Math.abs(phase - phaseMs[scene]!);
      return apart > YEAR_MS / 2 ? YEAR_MS - apart : apart;
    },
  };
}
