import { InvalidInput } from '../base/errors.ts';
import { whole } from '../contract/limits.ts';
import type { Owner } from './owner.ts';

/** What an account may keep a limited number of. */
export type Kept = 'areas' | 'vertices' | 'watches' | 'subscriptions' | 'webhooks' | 'keys' | 'clients';

/** How many of each kind an account may have; 0: unlimited. */
export type KeptLimits = Readonly<Record<Kept, number>>;

/** Counts what accounts keep. */
export interface AccountUseStore {
  /**
   * Counts `amount` more of a kind, in all environments of an account together. Calls that do this for the same
   * account and kind wait for each other until their transactions end, so that two cannot pass the limit together.
   * @param most the limit; 0: unlimited
   * @returns undefined, or how many there are when there is no room for the amount; nothing is then counted
   */
  claim(owner: Owner, kind: Kept, amount: number, most: number): Promise<number | undefined>;
}

/** No limits, for what the operator or the service itself creates. It is counted all the same. */
export const WITHOUT_LIMITS: KeptLimits = {
  areas: 0,
  vertices: 0,
  watches: 0,
  subscriptions: 0,
  webhooks: 0,
  keys: 0,
  clients: 0,
};

const NAMES: Readonly<Record<Kept, string>> = {
  areas: 'areas of interest',
  vertices: 'vertices in its areas of interest',
  watches: 'risk watches',
  subscriptions: 'anomaly subscriptions',
  webhooks: 'webhooks',
  keys: 'keys',
  clients: 'OAuth clients',
};

/** Counts what a call creates. @throws InvalidInput that names the limit, the number there is, and the setting */
export async function claim(
  { accountUse }: { readonly accountUse: AccountUseStore },
  owner: Owner,
  kind: Kept,
  limits: KeptLimits,
  amount = 1,
): Promise<void> {
  const most = limits[kind];
  const there = await accountUse.claim(owner, kind, amount, most);
  if (there === undefined) return;
  const more = amount === 1 ? 'one more' : `${whole(amount)} more`;
  throw new InvalidInput(
    `This account has ${whole(there)} ${NAMES[kind]} and may have ${whole(most)} in all its environments, so ${more} cannot be created. ` +
      `Delete some, or ask the operator for more (GROUNDWATCH_ACCOUNT_${kind.toUpperCase()})`,
  );
}
