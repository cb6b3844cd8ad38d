import type { ClassEdges } from './levels.ts';
import type { SceneLevels } from './like-pixels.ts';
import { type NearScenes, nearScenes } from './near-scenes.ts';
import { greenScenes } from '../pixel/phenology-class.ts';
import { seasonalDesign } from '../pixel/seasonal-fit.ts';
import type { StackSpec } from '../stack.ts';

/** Data that all pixels of a stack share, computed once. */
export interface SceneFrame {
  readonly timesMs: Float64Array;
  /** Smallest credible standard deviation of one clear observation [metric unit]. */
  readonly noiseFloor: number;
  readonly design: Float64Array;
  /** Edges between the rank classes of each scene; see `ClassEdges`. */
  readonly edges: ClassEdges;
  /** 1 where a scene is green; see `greenScenes`. */
  readonly isGreen: Uint8Array;
  /** 1 where a scene is comparable in season and state, `[class][scene]`. */
  readonly comparable: Uint8Array;
  /**
   * Level of a class in a scene, and minimum level for a scene to be comparable with this scene [metric unit],
   * `[class][scene]`.
   */
  readonly level: Float64Array;
  readonly least: Float64Array;
  /** Median of the class in a scene [metric unit], `[class][scene]`; not NaN if the scene is comparable. */
  readonly median: Float64Array;
  /** Width of the gap to the next class minus its usual width [metric unit], `[class][scene]`. */
  readonly widening: Float64Array;
  /** For each scene, the earlier scenes in the same season. */
  readonly near: NearScenes;
}

const known = new WeakMap<SceneLevels, SceneFrame>();

/** Returns the frame of a stack, given the levels of its scenes. The latest frame of the same levels is cached. */
export function sceneFrame({ timesMs }: StackSpec, levels: SceneLevels, noiseFloor: number): SceneFrame {
  const before = known.get(levels);
  if (before?.timesMs === timesMs && before.noiseFloor === noiseFloor) return before;
  const frame: SceneFrame = {
    timesMs,
    noiseFloor,
    design: seasonalDesign(timesMs),
    edges: levels.edges,
    isGreen: greenScenes(timesMs, levels.edges),
    comparable: levels.comparable,
    level: levels.level,
    least: levels.least,
    median: levels.median,
    widening: levels.widening,
    near: nearScenes(timesMs),
  };
  known.set(levels, frame);
  return frame;
}
