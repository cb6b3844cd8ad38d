import { isUtf8 } from 'node:buffer';
import { type ClientCredentials, type OAuthForm, OAuthRefusal } from '../../app/access/oauth.ts';

/** Parses a form (application/x-www-form-urlencoded). @throws OAuthRefusal for a repeated field or invalid UTF-8 */
export function readForm(body: Buffer): OAuthForm {
  if (!isUtf8(body)) throw new OAuthRefusal('invalid_request', 'The body is not valid UTF-8');
  const form = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    if (seen.has(name)) throw new OAuthRefusal('invalid_request', 'The body: expected each field once');
    seen.add(name);
    if (value !== '') form.set(name, value);
  }
  return form;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Returns the credentials of the client that sent a form. They are in the HTTP Basic header, where id and secret are
 * form-encoded (RFC 6749 section 2.3.1), in fields of the form, or an assertion that the client signed (RFC 7523).
 * @throws OAuthRefusal when the client uses none of the three or more than one
 */
export function clientOfForm(form: OAuthForm, authorization: string | undefined): ClientCredentials {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  const assertion = assertionOf(form);
  if (assertion !== undefined && (secret !== undefined || authorization !== undefined))
    throw new OAuthRefusal(
      'invalid_request',
      'client_assertion: expected no other proof of the client beside it',
    );
  if (authorization !== undefined) {
    const basic = readBasic(authorization);
    if (basic === undefined)
      throw new OAuthRefusal('invalid_client', 'Authorization: expected Basic with the client id and secret');
    if (secret !== undefined || (id !== undefined && id !== basic.id))
      throw new OAuthRefusal('invalid_request', 'The client: expected it in Authorization or in the body');
    return basic;
  }
  if (id === undefined && assertion === undefined)
    throw new OAuthRefusal('invalid_request', 'client_id: required, but missing');
  return { id, secret, assertion };
}

function assertionOf(form: OAuthForm): string | undefined {
  const [type, assertion] = [form.get('client_assertion_type'), form.get('client_assertion')];
  if (type === undefined && assertion === undefined) return undefined;
  if (type !== ASSERTION_TYPE)
    throw new OAuthRefusal('invalid_request', `client_assertion_type: expected ${ASSERTION_TYPE}`);
  if (assertion === undefined)
    throw new OAuthRefusal('invalid_request', 'client_assertion: required, but missing');
  return assertion;
}

/** Reads an HTTP Basic header: base64 of `id:secret` (RFC 7617). */
function readBasic(authorization: string): ClientCredentials | undefined {
  const [, token] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  if (token === undefined) return undefined;
  const bytes = Buffer.from(token, 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (!isUtf8(bytes) || colon < 0) return undefined;
  try {
    const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    return { id: id!, secret: secret!, assertion: undefined };
  } catch {
    return undefined; // id or secret is not form-encoded
  }
}
