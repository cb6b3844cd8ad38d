import { NotFound } from '../../base/errors.ts';
import { resolveEnvironment } from './installed-layer.ts';
import type { InstalledLayer, LayerEnvironment, LayerShelf, ShelfFinding } from './layer-shelf.ts';
import type { Environment } from '../owner.ts';
import type { LayerCard } from '../risk/layer-reader.ts';

interface ShelfDeps {
  readonly shelf: LayerShelf;
}

/**
 * Removes a version of a layer with all its pieces from one environment. Removes one return period, or all return
 * periods when none is given.
 * @returns the cards that were removed
 * @throws NotFound when no such version is installed for the environment
 */
export async function removeLayer(
  { shelf }: ShelfDeps,
  given: {
    readonly layer: string;
    readonly version: string;
    readonly returnPeriodYears?: number | undefined;
    readonly environment?: LayerEnvironment | undefined;
  },
): Promise<readonly LayerCard[]> {
  let removed: readonly LayerCard[] = [];
  await shelf.update((layers) => {
    const named = layers.filter(
      ({ card }) =>
        card.layer === given.layer &&
        card.version === given.version &&
        (given.returnPeriodYears === undefined || card.returnPeriodYears === given.returnPeriodYears),
    );
    const environment = resolveEnvironment(named, given.environment);
    const meant = new Set(named.filter((layer) => layer.environment === environment));
    removed = [...meant].map(({ card }) => card);
    if (removed.length === 0) {
      throw new NotFound(
        `no layer ${given.layer} of version ${given.version} is installed for ${environment}: see groundwatch layers list`,
      );
    }
    return layers.filter((layer) => !meant.has(layer));
  });
  return removed;
}

/**
 * Lists the shipped layers, and the installed layers of one environment or of all environments. The installed layers
 * are sorted, newest first.
 */
export async function listLayers(
  { shelf }: ShelfDeps,
  only?: Environment,
): Promise<{
  readonly installed: readonly InstalledLayer[];
  readonly shipped: readonly LayerCard[];
}> {
  const serves = ({ environment }: InstalledLayer): boolean =>
    only === undefined || environment === 'all' || environment === only;
  return { installed: (await shelf.installed()).filter(serves).toReversed(), shipped: await shelf.shipped() };
}

/** Reads every served file and yields one finding each. */
export function checkLayers({ shelf }: ShelfDeps): AsyncIterable<ShelfFinding> {
  return shelf.check();
}
