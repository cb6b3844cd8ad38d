import type { FastifyRequest } from 'fastify';
import type { Authenticator, LookUp, Principal } from '../../app/access/principal.ts';
import type { People } from '../../app/access/sign-in.ts';
import type { Environment } from '../../app/owner.ts';
import { Unauthorized } from '../../base/errors.ts';
import { ACCOUNT_HEADER, ENVIRONMENT_HEADER, SESSION_COOKIE } from '../../contract/people/session.ts';
import { ENVIRONMENTS } from '../../contract/vocabulary.ts';
import { readCookie } from './cookies.ts';
import { isFromOwnPage } from './own-page.ts';

/** What authenticates callers: programs by their credential, people by their session if a provider is set. */
export interface Authenticating {
  readonly authenticator: Authenticator;
  readonly people?: People | undefined;
}

/**
 * Returns the caller of a request: by the header `Authorization` if there is one, otherwise by the session cookie.
 * @param isAgain whether the same call was authenticated before, so that a proof of possession is not asked for again
 * @throws Unauthorized
 */
export function authenticate(
  request: FastifyRequest,
  { authenticator, people }: Authenticating,
  isAgain = false,
): Principal | LookUp {
  const { authorization } = request.headers;
  if (authorization === undefined && people !== undefined) {
    const secret = readCookie(request, SESSION_COOKIE);
    if (secret !== undefined) return ofSession(request, people, secret);
  }
  return authenticator.authenticate(authorization, isAgain ? undefined : request);
}

/**
 * Authenticates a call with a session. Both headers are required: they name what the call is about, and a page of
 * another site cannot send them without leave.
 */
function ofSession(request: FastifyRequest, people: People, secret: string): Principal | LookUp {
  if (!isFromOwnPage(request, people.baseUrl()))
    throw new Unauthorized('A session works only from pages of this service', 'invalid_request');
  const accountId = request.headers[ACCOUNT_HEADER.toLowerCase()];
  const environment = request.headers[ENVIRONMENT_HEADER.toLowerCase()];
  if (typeof accountId !== 'string' || !isEnvironment(environment))
    throw new Unauthorized(
      `Expected the headers ${ACCOUNT_HEADER} and ${ENVIRONMENT_HEADER} with a session: an account, and one of ${ENVIRONMENTS.join(', ')}`,
      'invalid_request',
    );
  return people.authenticate(secret, { accountId, environment });
}

function isEnvironment(text: unknown): text is Environment {
  return (ENVIRONMENTS as readonly unknown[]).includes(text);
}
