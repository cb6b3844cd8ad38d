import type { Membership } from '../../src/contract/people/session.ts';
import { ENVIRONMENTS } from '../../src/contract/vocabulary.ts';

/** The account and the environment that a person looks at. */
export interface Choice {
  readonly accountId: string;
  readonly environment: string;
}

const FIRST_ENVIRONMENT = 'production';

/**
 * Chooses the membership and the environment for a person who signed in: what the person chose last if that is still
 * possible, otherwise the first account and production.
 * @param kept text of the last choice
 * @returns undefined when the person is a member of no account
 */
export function chosen(
  memberships: readonly Membership[],
  kept: string | null,
): { readonly membership: Membership; readonly environment: string } | undefined {
  const last = parsed(kept);
  const membership = memberships.find(({ account }) => account.id === last.accountId) ?? memberships[0];
  if (membership === undefined) return undefined;
  const environment = ENVIRONMENTS.find((one) => one === last.environment) ?? FIRST_ENVIRONMENT;
  return { membership, environment };
}

function parsed(kept: string | null): Partial<Choice> {
  try {
    return (JSON.parse(kept ?? '{}') as Partial<Choice> | null) ?? {};
  } catch {
    return {};
  }
}
