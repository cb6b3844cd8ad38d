import { METHOD, MODEL_VERSION } from '../../change/parameters.ts';
import type { ChangeCard } from '../../contract/change-card.ts';
import { EXPERIENCE_CHANGES } from '../../contract/limits.ts';
import type { Principal } from '../access/principal.ts';
import type { Stores } from '../storage.ts';

/**
 * The card of the model that finds changes, in the format of the API. Callers who may read changes also see what came
 * of the confirmed changes in their areas.
 */
export async function changeCard(stores: Pick<Stores, 'changes'>, principal: Principal): Promise<ChangeCard> {
  const card = { model_version: MODEL_VERSION, method: METHOD };
  if (!principal.scopes.has('changes:read')) return card;
  const fates = await stores.changes.fates(principal, EXPERIENCE_CHANGES);
  return {
    ...card,
    experience: fates.map(({ takenBack, young, ...known }) => ({ ...known, taken_back: takenBack, young })),
  };
}
