import { METHOD, MODEL_VERSION, PARAMETERS } from '../../change/parameters.ts';
import type { ChangeCard } from '../../contract/change-card.ts';
import { EXPERIENCE_CHANGES } from '../../contract/limits.ts';
import type { Principal } from '../access/principal.ts';
import type { Stores } from '../storage.ts';

/**
 * The card of the model that finds changes, in the format of the API. Callers who may read changes also see what came
 * of the confirmed changes in their areas.
 */
export async function changeCard(stores: Pick<Stores, 'changes'>, principal: Principal): Promise<ChangeCard> {
  const { minObjectPixels, minObjectAreaM2, singlePixelAreaM2 } = PARAMETERS;
  const smallest = {
    pixels: minObjectPixels,
    area_m2: minObjectAreaM2,
    single_pixel_area_m2: singlePixelAreaM2,
  };
  const card = { model_version: MODEL_VERSION, method: METHOD, smallest };
  if (!principal.scopes.has('changes:read')) return card;
  const fates = await stores.changes.fates(principal, EXPERIENCE_CHANGES);
  return {
    ...card,
    experience: fates.map(({ takenBack, young, ...known }) => ({ ...known, taken_back: takenBack, young })),
  };
}
