/** How WebCrypto signs with each kind of key, and what JOSE calls that (RFC 7518, RFC 8037). */
const SIGNATURES: Readonly<Record<string, { readonly alg: string; readonly params: SignatureParams }>> = {
  ECDSA: { alg: 'ES256', params: { name: 'ECDSA', hash: 'SHA-256' } },
  Ed25519: { alg: 'EdDSA', params: { name: 'Ed25519' } },
  'RSA-PSS': { alg: 'PS256', params: { name: 'RSA-PSS', saltLength: 32 } }, // 32: the length of SHA-256
  'RSASSA-PKCS1-v1_5': { alg: 'RS256', params: { name: 'RSASSA-PKCS1-v1_5' } },
};

interface SignatureParams {
  readonly name: string;
  readonly hash?: string;
  readonly saltLength?: number;
}

const ASSERTION_S = 60; // lifetime of an assertion [s]; the service allows more, but an assertion is sent at once
const PUBLIC = ['kty', 'crv', 'x', 'y', 'n', 'e']; // members of a public JWK (RFC 7518 section 6)

/** Moment and id of a signed text. */
interface Stamp {
  readonly nowMs: number;
  readonly id: string;
}

/** A key of WebCrypto, as browsers and Node call it. */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key pair that access tokens are bound to. */
export interface ProofKey {
  readonly privateKey: SigningKey;
  readonly publicKey: SigningKey;
}

/** A key by which an OAuth client proves itself in place of a secret (`private_key_jwt`). */
export interface AssertionKey {
  /** ECDSA P-256, Ed25519, RSA-PSS or RSASSA-PKCS1-v1_5 with SHA-256. It need not be extractable. */
  readonly privateKey: SigningKey;
  /** The `kid` of the key; needed if the client has several keys. */
  readonly id?: string;
}

/**
 * Makes a key pair that access tokens can be bound to (DPoP, RFC 9449). Its private key cannot be read, also not by a
 * script that runs in the same page.
 */
export function newProofKey(): Promise<ProofKey> {
  return crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
}

/**
 * Signs the proof of a call (RFC 9449): the caller holds the key that its token is bound to.
 * @param call `url` is the whole address; `token` is absent when a token is asked for
 * @throws TypeError for a key of another kind
 */
export async function proofOfPossession(
  { privateKey, publicKey }: ProofKey,
  call: { readonly method: string; readonly url: string; readonly token?: string },
  { nowMs, id }: Stamp,
): Promise<string> {
  const exported = (await crypto.subtle.exportKey('jwk', publicKey)) as Readonly<Record<string, unknown>>;
  const jwk = Object.fromEntries(
    PUBLIC.filter((name) => name in exported).map((name) => [name, exported[name]]),
  );
  const { origin, pathname } = new URL(call.url);
  return signed(
    privateKey,
    { typ: 'dpop+jwt', jwk },
    {
      jti: id,
      htm: call.method,
      htu: origin + pathname,
      iat: Math.floor(nowMs / 1000),
      ...(call.token !== undefined && { ath: base64url(await sha256(call.token)) }),
    },
  );
}

/**
 * Signs an assertion by which a client proves itself (RFC 7523).
 * @param audience address of the token endpoint
 * @throws TypeError for a key of another kind
 */
export function clientAssertion(
  { privateKey, id: kid }: AssertionKey,
  { clientId, audience }: { readonly clientId: string; readonly audience: string },
  { nowMs, id }: Stamp,
): Promise<string> {
  const now = Math.floor(nowMs / 1000);
  const claims = { iss: clientId, sub: clientId, aud: audience, jti: id, iat: now, exp: now + ASSERTION_S };
  return signed(privateKey, kid === undefined ? {} : { kid }, claims);
}

/** Signs a JWT (RFC 7515, compact). */
async function signed(key: SigningKey, header: object, claims: object): Promise<string> {
  const signature = SIGNATURES[key.algorithm.name];
  if (signature === undefined)
    throw new TypeError(
      `expected a key of ${Object.keys(SIGNATURES).join(', ')}, got one of ${key.algorithm.name}`,
    );
  const { alg, params } = signature;
  const text = [{ alg, ...header }, claims].map((part) => base64url(bytesOf(JSON.stringify(part)))).join('.');
  const bytes = await crypto.subtle.sign(params, key, bytesOf(text));
  return `${text}.${base64url(new Uint8Array(bytes))}`;
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text)));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
