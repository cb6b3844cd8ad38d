import type { ClassEdges } from './levels.ts';
import type { SceneLevels } from './like-pixels.ts';
import { seasonalDesign } from './seasonal-fit.ts';
import type { StackSpec } from './stack.ts';

const YEAR_MS = 365.25 * 86_400_000; // Julian year [ms]

/** What all pixels of a stack share, worked out once. */
export interface SceneFrame {
  readonly timesMs: Float64Array;
  readonly design: Float64Array;
  /** What divides a scene's pixels into classes; see `RankClass`. */
  readonly edges: ClassEdges;
  /** 1 where a scene is comparable in season and state, `[class][scene]`. */
  readonly comparable: Uint8Array;
  /** Level of a scene and the least that it asks of others to be comparable with it [metric unit], `[class][scene]`. */
  readonly level: Float64Array;
  readonly least: Float64Array;
  /** Median of the class in a scene [metric unit], `[class][scene]`; a number wherever it is comparable. */
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
    edges: levels.edges,
    comparable: levels.comparable,
    level: levels.level,
    least: levels.least,
    median: levels.median,
    phaseMs,
    seasonDistance(phase, scene) {
      const apart = Math.abs(phase - phaseMs[scene]!);
      return apart > YEAR_MS / 2 ? YEAR_MS - apart : apart;
    },
  };
}
