import type { Clock } from '../app/clock.ts';
import type { MemberStore } from '../app/access/member-store.ts';
import type { Principal } from '../app/access/principal.ts';
import type { SessionStore } from '../app/access/session-store.ts';
import { endOfSession, type People, type SessionChoice } from '../app/access/sign-in.ts';
import { Unauthorized } from '../base/errors.ts';
import { RATE_LIMIT_UNITS } from '../contract/limits.ts';
import { ROLE_SCOPES } from '../contract/people/roles.ts';
import { lastUse } from './last-use.ts';
import { rechecked } from './rechecked.ts';
import { secretHash } from './secret-hash.ts';
import { isSessionSecret } from './session-secret.ts';

/** Verifies calls with a session: the session, the membership in the account, and the role, once a second. */
export function sessionVerifier(
  sessions: Pick<SessionStore, 'find' | 'touch'>,
  members: Pick<MemberStore, 'inAccount'>,
  clock: Clock,
): People['authenticate'] {
  const used = lastUse((hash, at) => sessions.touch(Buffer.from(hash, 'base64'), at));
  const verify = rechecked(async (key: string): Promise<Principal> => {
    const { secret, accountId, environment } = JSON.parse(key) as SessionChoice & { secret: string };
    const hash = secretHash(secret);
    const session = isSessionSecret(secret) ? await sessions.find(hash) : undefined;
    const now = clock.now();
    if (session === undefined || endOfSession(session) <= now)
      throw new Unauthorized('The session has ended: sign in again', 'invalid_token');
    const member = await members.inAccount(session, accountId);
    if (member === undefined)
      throw new Unauthorized('The session is of nobody in this account', 'invalid_token');
    await used(hash.toString('base64'), now);
    return Object.freeze({
      accountId,
      environment,
      keyId: member.id,
      scopes: new Set<string>(ROLE_SCOPES[member.role]),
      rateLimit: RATE_LIMIT_UNITS,
    });
  }, clock);
  return (secret, { accountId, environment }) => verify(JSON.stringify({ secret, accountId, environment }));
}
