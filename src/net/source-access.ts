import { readFile } from 'node:fs/promises';
import { type AwsCredentials, sha256, signAwsRequest } from './aws-signature.ts';
import type { Authorise, Granted, GuardedReader } from './guarded-reader.ts';
import { ReadFailed } from './read-failure.ts';
import { s3Bucket } from './object-address.ts';

/** A secret, or the file that holds it. The file is read for each use, so that it can be renewed. */
export type Secret = { readonly text: string } | { readonly file: string };

/** A bucket that is read with the operator's keys. */
export interface SignedBucket {
  readonly bucket: string;
  /** Host of another store that speaks S3; undefined: Amazon's. */
  readonly host: string | undefined;
  /** Whether the owner of the keys pays for the requests. */
  readonly paysRequests: boolean;
}

/** Access to catalogues and stores that do not give their files to everybody. */
export interface SourceAccessSettings {
  readonly s3:
    | { readonly buckets: readonly SignedBucket[]; readonly credentials: AwsCredentials }
    | undefined;
  /** Microsoft's Planetary Computer; `key` is that of a subscription, if there is one. */
  readonly planetaryComputer: { readonly key: Secret | undefined } | undefined;
  readonly earthdata: Secret | undefined;
  readonly copernicus: { readonly user: string; readonly password: Secret } | undefined;
}

/** @see https://planetarycomputer.microsoft.com/docs/concepts/sas */
const PLANETARY_COMPUTER = 'https://planetarycomputer.microsoft.com/api/sas/v1/token';
/** @see https://documentation.dataspace.copernicus.eu/APIs/Token.html */
const COPERNICUS_TOKENS =
  'https://identity.dataspace.copernicus.eu/auth/realms/CDSE/protocol/openid-connect/token';
/** Hosts that take the token of Copernicus Data Space. */
const COPERNICUS_HOSTS = /^(download|zipper|catalogue)\.dataspace\.copernicus\.eu$/;
/**
 * Hosts that take the token of NASA's Earthdata Login: not the one that signs people in.
 * @see https://urs.earthdata.nasa.gov/documentation
 */
const EARTHDATA_HOSTS = /^(?!urs\.).*\.(earthdatacloud|earthdata|eosdis)\.nasa\.gov$/;
const AZURE_HOST = /^(?<account>[a-z0-9]{3,24})\.blob\.core\.windows\.net$/;
const AWS_REGION = 'us-east-1'; // region of addresses that name none
const MOST_TOKEN_BYTES = 65_536; // maximum size of an answer with a token
/** Stands for the token of a container that the Planetary Computer does not know: it may be public. */
const NO_TOKEN = '';
const NO_TOKEN_MS = 3_600_000; // time until it is asked again
const EARLY_MS = 60_000; // a token is renewed this long before it expires

/** A token that expires. */
interface Token {
  readonly text: string;
  readonly endMs: number;
}

/** Whether any access is set. */
export function hasAccess({ s3, planetaryComputer, earthdata, copernicus }: SourceAccessSettings): boolean {
  return [s3, planetaryComputer, earthdata, copernicus].some((one) => one !== undefined);
}

/**
 * Makes the function that adds credentials to requests. A host gets its own credentials only, and a bucket only where
 * it is named in the settings.
 * @param reader asks for tokens
 */
export function sourceAccess(
  settings: SourceAccessSettings,
  reader: Pick<GuardedReader, 'read'>,
  now: () => number = Date.now,
): Authorise {
  const tokens = new Map<string, Promise<Token>>();
  /** The kept token; a new one when there is none, it expires soon, or it is the one that the server has refused. */
  const token = async (
    key: string,
    isRefused: (text: string) => boolean,
    ask: () => Promise<Token>,
  ): Promise<string> => {
    const kept = tokens.get(key);
    const known = await kept?.catch(() => undefined);
    if (known !== undefined && known.endMs - EARLY_MS > now() && !isRefused(known.text)) return known.text;
    // Requests that wait at the same time share one new token.
    const asked = tokens.get(key);
    if (asked !== undefined && asked !== kept) return (await asked).text;
    const made = ask();
    tokens.set(key, made);
    return (await made).text;
  };
  return async (address, refused) => {
    const url = new URL(address);
    const { s3, planetaryComputer, earthdata, copernicus } = settings;
    const signed = s3 && signedBucket(url, s3.buckets);
    if (s3 !== undefined && signed !== undefined)
      return refused === undefined ? signS3(url, signed, s3.credentials, now()) : undefined;
    const account = AZURE_HOST.exec(url.hostname)?.groups?.['account'];
    const container = url.pathname.split('/')[1];
    // An address that is signed already is left as it is.
    if (
      planetaryComputer !== undefined &&
      account !== undefined &&
      container &&
      !url.searchParams.has('sig')
    ) {
      const text = await token(
        `${account}/${container}`,
        (kept) => refused?.url.endsWith(kept) === true,
        async () => planetaryComputerToken(reader, account, container, planetaryComputer.key, now()),
      );
      if (text === NO_TOKEN) return undefined;
      return { url: `${address}${url.search === '' ? '?' : '&'}${text}`, headers: {} };
    }
    if (copernicus !== undefined && COPERNICUS_HOSTS.test(url.hostname))
      return bearer(
        address,
        await token('copernicus', isBearer(refused), () => copernicusToken(reader, copernicus, now())),
        'copernicus',
      );
    if (earthdata !== undefined && EARTHDATA_HOSTS.test(url.hostname)) {
      const text = await secretText(earthdata); // its file may have a new one since
      return isBearer(refused)(text) ? undefined : bearer(address, text, 'earthdata');
    }
    return undefined;
  };
}

function bearer(url: string, token: string, provider: string): Granted {
  return { url, headers: { authorization: `Bearer ${token}` }, provider };
}

const isBearer =
  (refused: Granted | undefined) =>
  (token: string): boolean =>
    refused?.headers['authorization'] === `Bearer ${token}`;

function signedBucket(url: URL, buckets: readonly SignedBucket[]): SignedBucket | undefined {
  const amazon = s3Bucket(url);
  const first = url.pathname.split('/')[1];
  return buckets.find(({ bucket, host }) =>
    host === undefined ? amazon?.bucket === bucket : host === url.hostname && first === bucket,
  );
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function signS3(
  url: URL,
  { paysRequests }: SignedBucket,
  credentials: AwsCredentials,
  nowMs: number,
): Granted {
  const headers = {
    'x-amz-content-sha256': sha256(''),
    ...(paysRequests && { 'x-amz-request-payer': 'requester' }),
  };
  const scope = { region: s3Bucket(url)?.region ?? AWS_REGION, service: 's3' };
  return {
    url: url.href,
    headers: signAwsRequest({ method: 'GET', url, headers, body: '' }, scope, credentials, nowMs),
  };
}

async function planetaryComputerToken(
  reader: Pick<GuardedReader, 'read'>,
  account: string,
  container: string,
  key: Secret | undefined,
  nowMs: number,
): Promise<Token> {
  const answer = await answerOf(reader, {
    url: `${PLANETARY_COMPUTER}/${account}/${encodeURIComponent(container)}`,
    ...(key !== undefined && { headers: { 'ocp-apim-subscription-key': await secretText(key) } }),
  }).catch((error: unknown) => {
    if (error instanceof ReadFailed && error.status === 404) return undefined;
    throw error;
  });
  if (answer === undefined) return { text: NO_TOKEN, endMs: nowMs + NO_TOKEN_MS };
  const { token, 'msft:expiry': expiry } = answer;
  if (typeof token !== 'string' || !/^[\w%&=.~:+/-]+$/.test(token))
    throw new RangeError(`${PLANETARY_COMPUTER}: expected a token for ${account}/${container}, got none`);
  const endMs = Date.parse(String(expiry));
  return { text: token, endMs: Number.isNaN(endMs) ? nowMs : endMs };
}

async function copernicusToken(
  reader: Pick<GuardedReader, 'read'>,
  { user, password }: { readonly user: string; readonly password: Secret },
  nowMs: number,
): Promise<Token> {
  const { access_token: text, expires_in: lives } = await answerOf(reader, {
    url: COPERNICUS_TOKENS,
    form: {
      grant_type: 'password',
      client_id: 'cdse-public',
      username: user,
      password: await secretText(password),
    },
  });
  if (typeof text !== 'string' || !/^[\w.~+/=-]+$/.test(text))
    throw new RangeError(`${COPERNICUS_TOKENS}: expected an access token, got none`);
  return { text, endMs: nowMs + (typeof lives === 'number' ? lives * 1000 : 0) };
}

async function answerOf(
  reader: Pick<GuardedReader, 'read'>,
  request: Omit<Parameters<GuardedReader['read']>[0], 'maxBytes'>,
): Promise<Readonly<Record<string, unknown>>> {
  const { bytes } = await reader.read({ ...request, accept: 'application/json', maxBytes: MOST_TOKEN_BYTES });
  try {
    const answer: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  } catch {
    throw new ReadFailed(request.url, 'expected a token as JSON', null);
  }
}

/** Returns the text of a secret. */
export async function secretText(secret: Secret): Promise<string> {
  return 'text' in secret ? secret.text : (await readFile(secret.file, 'utf8')).trim();
}
