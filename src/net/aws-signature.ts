import { createHash, createHmac } from 'node:crypto';

/** Keys of an AWS account. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys only. */
  readonly sessionToken: string | undefined;
}

/**
 * Signs a request by Signature Version 4.
 * @param request `headers` have lower-case names; `host` and `x-amz-date` are added
 * @returns all headers to send but `host`
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 */
export function signAwsRequest(
  request: {
    readonly method: string;
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array;
  },
  scope: { readonly region: string; readonly service: string },
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { method, url, body } = request;
  const at = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = at.slice(0, 8);
  const sent = {
    ...request.headers,
    'x-amz-date': at,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ ...sent, host: url.host }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const credential = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const key = credential
    .split('/')
    .reduce<string | Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${secretAccessKey}`,
    );
  const signature = createHmac('sha256', key)
    .update(['AWS4-HMAC-SHA256', at, credential, sha256(canonical)].join('\n'))
    .digest('hex');
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The path with everything encoded but letters, digits and `-._~`: an address may have some of it as it is. */
function canonicalPath({ pathname }: URL): string {
  return pathname
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/');
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Hash of a body, in hexadecimal digits. */
export function sha256(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
