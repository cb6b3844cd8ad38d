import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_COOKIE } from '../../contract/people/session.ts';
import { SESSION_HOURS, SIGN_IN_MINUTES } from '../../contract/limits.ts';

/**
 * Cookie that ties a sign-in to the browser that began it. The browser sends it when the provider sends the person
 * back, which a strict cookie would not allow.
 */
export const SIGN_IN_COOKIE = '__Host-groundwatch-sign-in';

/** Our cookies: how long each lives [s], and on which requests from other sites a browser sends it. */
const COOKIES = {
  [SESSION_COOKIE]: { maxAge: SESSION_HOURS.most * 3600, sameSite: 'Strict' },
  [SIGN_IN_COOKIE]: { maxAge: SIGN_IN_MINUTES * 60, sameSite: 'Lax' },
} as const;

type CookieName = keyof typeof COOKIES;

/** Returns the value of one of our cookies; undefined when the request has none. */
export function readCookie({ headers }: FastifyRequest, name: CookieName): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [given, value] = pair.trim().split('=', 2);
    if (given === name && value) return value;
  }
  return undefined;
}

/** Sets cookies, which scripts cannot read; an undefined value removes the cookie. */
export function setCookies(
  reply: FastifyReply,
  values: Readonly<Partial<Record<CookieName, string | undefined>>>,
): void {
  const lines = (Object.keys(values) as CookieName[]).map((name) => {
    const { maxAge, sameSite } = COOKIES[name];
    const value = values[name];
    return `${name}=${value ?? ''}; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=${value === undefined ? 0 : maxAge}`;
  });
  reply.header('Set-Cookie', lines);
}
