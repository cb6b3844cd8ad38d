import type { Environment } from '../owner.ts';
import { type Bbox, toGeoJsonBbox } from '../../geo/bbox.ts';
import type { LayerCard, LayerReader } from '../risk/layer-reader.ts';
import { layersServing, listModels, perilsReading } from '../risk/list-models.ts';

/** A map from which risk is assessed. */
export interface ServedLayer {
  readonly card: LayerCard;
  /** Perils whose models read it. */
  readonly perils: readonly string[];
  /** The box around it: west, south, east, north, west above east across the antimeridian [degrees]. */
  readonly coverage: Bbox;
}

/** Lists the maps that the models read in an environment, in the order in which they name them. */
export function listServedLayers(
  { layers }: { readonly layers: LayerReader },
  environment: Environment,
): readonly ServedLayer[] {
  const snapshot = layers.snapshot(environment);
  const cards = new Set(listModels().flatMap((model) => layersServing(snapshot, model)));
  return [...cards].map((card) => ({
    card,
    perils: perilsReading(card.layer),
    coverage: toGeoJsonBbox(snapshot.coverage(card)),
  }));
}
