import type { CubeScene } from '../app/series/cube-store.ts';
import type { SceneEntry } from './scene-record.ts';

/**
 * The live scenes of a cube (neither superseded nor removed) in order of time, and where the scenes of each source are
 * in that order.
 */
export interface Placement {
  readonly scenes: readonly CubeScene[];
  readonly byKey: ReadonlyMap<string, CubeScene>;
  /**
   * For each source (segment or log): the index in `scenes` of each of its entries; -1 for a superseded or removed
   * entry.
   */
  readonly slots: readonly Int32Array[];
}

/** A live scene and the source that contains its samples. */
interface Placed {
  readonly scene: CubeScene;
  readonly source: number;
  /** Index of the scene in the entries of its source. */
  readonly at: number;
}

function compareScenes(a: CubeScene, b: CubeScene): number {
  return a.timeMs - b.timeMs || (a.key < b.key ? -1 : Number(a.key > b.key));
}

/** Finds the live scenes of several sources. Later sources and later entries supersede earlier ones of the same key. */
export function place(sources: readonly (readonly SceneEntry[])[]): Placement {
  const live = new Map<string, Placed>();
  for (const [source, entries] of sources.entries()) {
    for (const [at, { key, timeMs, sha256, removed }] of entries.entries()) {
      if (removed === true) live.delete(key);
      else live.set(key, { scene: { key, timeMs, sha256 }, source, at });
    }
  }
  const placed = [...live.values()].sort((a, b) => compareScenes(a.scene, b.scene));
  const slots = sources.map((entries) => new Int32Array(entries.length).fill(-1));
  for (const [slot, { source, at }] of placed.entries()) slots[source]![at] = slot;
  return {
    scenes: placed.map(({ scene }) => scene),
    byKey: new Map(placed.map(({ scene }) => [scene.key, scene])),
    slots,
  };
}

/** Indices of the live entries of one source, in order of time. */
export function liveEntries(slots: Int32Array): readonly number[] {
  return [...slots.keys()].filter((i) => slots[i]! >= 0).sort((a, b) => slots[a]! - slots[b]!);
}
