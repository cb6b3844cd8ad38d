import { isId } from '../base/ids.ts';
import { apiKeyId } from './api-key.ts';

/**
 * Returns the public id in a text that looks like one of our credentials, for logs: the id of an API key, or the id
 * of the client to which an access token was issued. The credential is not verified.
 */
export function credentialId(authorization: string): string | undefined {
  const key = apiKeyId(authorization);
  if (key !== undefined) return key;
  const [, payload] = /\b[\w-]+\.([\w-]+)\.[\w-]+/.exec(authorization) ?? [];
  if (payload === undefined) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as unknown;
    const id = (claims as { readonly client_id?: unknown } | null)?.client_id;
    return typeof id === 'string' && isId('client', id) ? id : undefined;
  } catch {
    return undefined; // not an access token
  }
}
