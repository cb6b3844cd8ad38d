import type { Collection } from '../../src/client/index.ts';
import type { Bounds } from '../map/bounds.ts';

/** Metrics by how well their colours show the ground to somebody who does not know them; others come after. */
const CLEAREST = ['ndvi', 'evi', 'nbr', 'mndwi', 'ndwi', 'ndmi', 'moisture', 'ndbi', 'vv', 'vh'];

/**
 * Returns the collections with scenes whose bounds meet a view, those that show the ground best first; collections of
 * one kind by their last scene.
 */
export function collectionsIn(view: Bounds, collections: readonly Collection[]): readonly Collection[] {
  return collections
    .filter(({ bounds, last_at }) => last_at !== null && meet(view, bounds))
    .toSorted((a, b) => rank(a.metric) - rank(b.metric) || Date.parse(b.last_at!) - Date.parse(a.last_at!));
}

/** A choice of images: a collection, in the colours of its metric or in true colour. */
export interface ImageChoice {
  readonly key: string;
  readonly collection: Collection;
  readonly colours: 'metric' | 'true';
}

/**
 * Returns the images to offer in a view, the first one first: true colour, once for all metrics of one name, then each
 * metric.
 */
export function choicesIn(view: Bounds, collections: readonly Collection[]): readonly ImageChoice[] {
  const shown = collectionsIn(view, collections);
  const coloured = new Map(
    shown
      .filter(({ true_colour }) => true_colour)
      .toReversed()
      .map((one) => [one.name, one]),
  );
  return [
    ...[...coloured.values()]
      .toReversed()
      .map((collection) => ({ key: `${collection.id} true`, collection, colours: 'true' as const })),
    ...shown.map((collection) => ({ key: collection.id, collection, colours: 'metric' as const })),
  ];
}

/** The choice that shows the scenes of a collection best: in true colour, else in the colours of its metric. */
export function choiceFor(id: string, choices: readonly ImageChoice[]): ImageChoice | undefined {
  const own = choices.find(({ key }) => key === id);
  return (
    choices.find(
      ({ colours, collection }) => colours === 'true' && collection.name === own?.collection.name,
    ) ?? own
  );
}

/** Index of the scene to show first: the first since a time, else the last one of which most is clear. */
export function sceneToShow(
  scenes: readonly { readonly datetime: string; readonly clear_fraction: number }[],
  since: string | undefined,
): number {
  if (since !== undefined) {
    const at = scenes.findIndex(({ datetime }) => Date.parse(datetime) >= Date.parse(since));
    return at < 0 ? scenes.length - 1 : at;
  }
  const clearest = Math.max(0, ...scenes.map(({ clear_fraction }) => clear_fraction));
  return scenes.findLastIndex(({ clear_fraction }) => clear_fraction >= 0.9 * clearest);
}

function rank(metric: string): number {
  const at = CLEAREST.indexOf(metric);
  return at < 0 ? CLEAREST.length : at;
}

/** Whether two boxes share a point; boxes across the antimeridian are compared a turn to either side too. */
function meet([west, south, east, north]: Bounds, [left, bottom, right, top]: readonly number[]): boolean {
  const [end, other] = [west > east ? east + 360 : east, left! > right! ? right! + 360 : right!];
  return (
    south <= top! &&
    north >= bottom! &&
    [-360, 0, 360].some((turn) => west <= other + turn && end >= left! + turn)
  );
}
