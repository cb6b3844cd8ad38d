import type { Legend } from '../../contract/pictures/change-images.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import { rampOf, shownRange } from '../../raster/colour-ramp.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import { colourCubeId } from '../series/colour-cube.ts';
import type { Collection, Scene } from '../series/collection-store.ts';
import type { Colouring, GridSize, SceneAt } from './picture-maker.ts';

/** The part of some scenes whose values make the range of a ramp that has none. */
export interface Shown {
  readonly scenes: readonly SceneAt[];
  readonly window: GridWindow;
}

/** The colours of a collection. Where their ramp has no range, it is that of the values in what is shown. */
export async function legendOf(
  { pictures }: Pick<Deps, 'pictures'>,
  { accountId }: Owner,
  collection: Collection,
  shown: () => Promise<Shown> | Shown,
): Promise<Legend> {
  const { scale, offset, metric } = collection;
  const ramp = rampOf(metric);
  let { range } = ramp;
  if (range === null) {
    const task = { kind: 'samples', ...(await shown()), grid: sizeOf(collection) } as const;
    const raw = await pictures.make(accountId, task);
    range = shownRange(
      ramp,
      raw.map((value) => value * scale + offset),
    );
  }
  return { ramp: ramp.name, min: range[0], max: range[1], colours: [...ramp.colours] };
}

/** The same colours for raw samples. */
export function colouringOf({ colours, min, max }: Legend, { scale, offset }: Collection): Colouring {
  return { colours, raw: [(min - offset) / scale, (max - offset) / scale] };
}

export const sizeOf = ({ grid: { width, height } }: Pick<Collection, 'grid'>): GridSize => ({
  width,
  height,
});

/** Where the samples of a scene are. */
export const sceneAt = (
  { id: cubeId }: Collection,
  { key, sha256 }: Pick<SceneAt, 'key' | 'sha256'>,
): SceneAt => ({ cubeId, key, sha256 });

/** Where the picture of a scene in true colour is; null: it has none. */
export function colourAt({
  colourOf,
  key,
  sha256,
}: Pick<Scene, 'colourOf' | 'key' | 'sha256'>): SceneAt | null {
  return colourOf === undefined ? null : { cubeId: colourCubeId(colourOf), key, sha256 };
}
