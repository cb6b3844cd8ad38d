import type { BlockList } from 'node:net';
import { isIP } from 'node:net';
import { isAllowed, specialUse } from './address-guard.ts';

const MAX_URL_LENGTH = 2048; // maximum length of a URL [characters]; proxies and browsers support this length
const DEFAULT_PORT = 443; // of https: RFC 9110 section 4.2.2
const FIRST_USER_PORT = 1024; // RFC 6335 section 6: lower numbers are system ports
const LOOPBACK = ['127.0.0.1', '::1'];

export type CallbackUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: string };

/**
 * Checks whether a URL is allowed as a callback: HTTPS, port 443 or from 1024 on, no credentials, and no literal IP
 * address outside the public Internet in any notation (octal, hexadecimal, one number, mapped), nor `localhost`. Other
 * host names are not resolved here: their addresses are checked at each delivery.
 */
export function checkCallbackUrl(text: string, allow: BlockList): CallbackUrl {
  if (text.length > MAX_URL_LENGTH)
    return refuse(`expected at most ${MAX_URL_LENGTH} characters, got ${text.length}`);
  // The URL parser removes leading and trailing spaces and all line breaks, so the URL that is called would differ
  // from the given URL.
  if (/[\s\p{Cc}]/u.test(text)) return refuse('expected a URL without spaces and control characters');
  if (!URL.canParse(text)) return refuse('expected an absolute URL such as https://example.com/hook');
  const url = new URL(text);
  if (url.protocol !== 'https:') return refuse(`expected an https URL, got ${url.protocol.slice(0, -1)}`);
  if (url.username !== '' || url.password !== '') return refuse('expected a URL without credentials in it');
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  if (port !== DEFAULT_PORT && port < FIRST_USER_PORT)
    return refuse(`expected port ${DEFAULT_PORT} or one from ${FIRST_USER_PORT} on, got ${port}`);
  const address = literalAddress(url);
  if (address !== undefined && !isAllowed(address, allow)) {
    const use = specialUse(address);
    if (use !== undefined) return refuse(`expected a public address, got ${address}, which lies in ${use}`);
  }
  if (isLoopbackName(url.hostname) && !LOOPBACK.some((loopback) => isAllowed(loopback, allow)))
    return refuse(`expected a public host, got ${url.hostname}, which is this machine itself (RFC 6761)`);
  return { ok: true, url };
}

/** Whether a host name means the loopback addresses everywhere: RFC 6761 section 6.3. */
function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}

/** Returns the IP address in a URL, as normalized by the URL parser; undefined when the URL has a host name. */
function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? undefined : host;
}

function refuse(reason: string): CallbackUrl {
  return { ok: false, reason };
}
