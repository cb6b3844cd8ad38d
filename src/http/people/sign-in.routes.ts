import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditTrail } from '../../app/access/audit-trail.ts';
import type { Membership } from '../../app/access/member-store.ts';
import { openSession, type People, readSession, SignInRefused } from '../../app/access/sign-in.ts';
import type { Clock } from '../../app/clock.ts';
import type { Storage } from '../../app/storage.ts';
import { NotFound, RateLimited, Unauthorized, UpstreamUnavailable } from '../../base/errors.ts';
import { SESSION_COOKIE, type SessionState } from '../../contract/people/session.ts';
import type { Log } from '../answer/log.ts';
import type { RateLimits } from '../rate-limit.ts';
import { readCookie, setCookies, SIGN_IN_COOKIE } from './cookies.ts';
import { isFromOwnPage } from './own-page.ts';
import { PLAIN_PAGE_CSP } from '../plain-page.ts';
import { refusalPage } from './refusal-page.ts';

/** Dependencies of the sign-in. */
interface SignInParts {
  /** Undefined: no provider is set. */
  readonly people?: People | undefined;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly trail: AuditTrail;
  readonly log: Log;
}

/** No step is cached, names itself to other sites, or is carried out by a HEAD request. */
const OPTIONS = {
  exposeHeadRoute: false,
  onRequest: (_request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    reply.header('Cache-Control', 'no-store').header('Referrer-Policy', 'no-referrer');
    next();
  },
} as const;

/**
 * Registers the sign-in of people: `/auth/sign-in` sends the browser to the provider, `/auth/callback` is where the
 * provider sends it back, `/auth/session` tells who is signed in, and `/auth/sign-out` ends the session. None takes an
 * address to go to, so none can send a browser elsewhere: after a sign-in the browser is at the console.
 */
export function signInRoutes(app: FastifyInstance, parts: SignInParts): void {
  const { people, storage, clock, limits, trail } = parts;
  const note = (request: FastifyRequest, action: string, members: readonly Membership[]): void => {
    for (const { id: actor, accountId } of members)
      trail.note({ actor, action, accountId, environment: null, address: request.ip, result: 'done' });
  };

  app.get('/auth/session', OPTIONS, async (request, reply): Promise<SessionState> => {
    await limits.showAddress(reply);
    const secret = people && readCookie(request, SESSION_COOKIE);
    if (people === undefined || secret === undefined || !isFromOwnPage(request, people.baseUrl()))
      return { sign_in: people !== undefined, members: null };
    const members = await readSession(people, storage, secret, clock.now());
    if (members === undefined || members.length === 0) {
      await limits.chargeFailure(reply);
      setCookies(reply, { [SESSION_COOKIE]: undefined });
      return { sign_in: true, members: null };
    }
    return { sign_in: true, members: members.map(present) };
  });
  if (people === undefined) {
    app.get('/auth/sign-in', OPTIONS, async (_request, reply) => {
      await limits.showAddress(reply);
      throw new NotFound('No OpenID provider is set (GROUNDWATCH_OIDC_ISSUER): people cannot sign in');
    });
    return;
  }

  app.get('/auth/sign-in', OPTIONS, (request, reply) =>
    answerPerson(parts, people, request, reply, async () => {
      await limits.chargeFailure(reply);
      if (request.url.includes('?')) throw new SignInRefused('The sign-in takes no parameters.');
      const { url, ticket } = await people.provider.begin();
      setCookies(reply, { [SIGN_IN_COOKIE]: ticket });
      return reply.redirect(url, 303);
    }),
  );
  app.get('/auth/callback', OPTIONS, (request, reply) =>
    answerPerson(parts, people, request, reply, async () => {
      await limits.chargeFailure(reply);
      const answer = new URL(request.url, 'https://any.invalid').searchParams;
      const person = await people.provider.complete(answer, readCookie(request, SIGN_IN_COOKIE));
      const former = readCookie(request, SESSION_COOKIE);
      const { secret, memberships } = await openSession(people, storage, person, clock.now(), former);
      setCookies(reply, { [SESSION_COOKIE]: secret, [SIGN_IN_COOKIE]: undefined });
      note(request, 'signIn', memberships);
      return reply.redirect(`${people.baseUrl()}/`, 303);
    }),
  );
  app.post('/auth/sign-out', OPTIONS, async (request, reply) => {
    await limits.showAddress(reply);
    if (!isFromOwnPage(request, people.baseUrl()))
      throw new Unauthorized('Only pages of this service can sign out', 'invalid_request');
    const secret = readCookie(request, SESSION_COOKIE);
    if (secret !== undefined) {
      note(request, 'signOut', (await readSession(people, storage, secret, clock.now())) ?? []);
      await storage.sessions.end(people.sessionHash(secret));
    }
    setCookies(reply, { [SESSION_COOKIE]: undefined });
    return reply.code(204).send();
  });
}

/** Answers a person with the result of a step, or with a page that says why the step failed. */
async function answerPerson(
  { trail, log }: SignInParts,
  people: People,
  request: FastifyRequest,
  reply: FastifyReply,
  step: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await step();
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined) throw error;
    const { message } = error as Error;
    const who = { actor: 'anonymous', accountId: null, environment: null, address: request.ip };
    if (error instanceof SignInRefused) trail.note({ ...who, action: 'signIn', result: message });
    if (!(error instanceof RateLimited) && (error as Error).cause !== undefined)
      log.warn({ request_id: request.id, err: error }, 'sign-in failed');
    setCookies(reply, { [SIGN_IN_COOKIE]: undefined });
    return reply
      .code(status)
      .header('Content-Security-Policy', PLAIN_PAGE_CSP)
      .type('text/html; charset=utf-8')
      .send(refusalPage(message, `${people.baseUrl()}/`));
  }
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof SignInRefused) return 403;
  if (error instanceof RateLimited) return 429;
  return error instanceof UpstreamUnavailable ? 502 : undefined;
}

function present({ id, accountId, accountName, email, role }: Membership) {
  return { id, account: { id: accountId, name: accountName }, email, role };
}
