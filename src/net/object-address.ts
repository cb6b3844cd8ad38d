/** Where an object store keeps a bucket, as far as it is known. */
export interface BucketPlace {
  /** Region of the bucket, such as `us-west-2`. */
  readonly region?: string | undefined;
  /** Account of a container in Azure. */
  readonly account?: string | undefined;
  /** Address of another store that speaks S3, optionally with `{bucket}`, `{region}` and `{account}`. */
  readonly platform?: string | undefined;
}

const AZURE_HOST = 'blob.core.windows.net';
/** The address of a bucket, in any region, with the bucket in the name of the host. */
const S3_HOST = /^(?<bucket>[^/]+)\.s3(?:[.-](?<region>[a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com$/;
/** The address of all buckets of a region, with the bucket in the path. */
const S3_PATH_HOST = /^s3(?:[.-](?<region>[a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com$/;

/**
 * Returns the https address of an object that a link names by its bucket: `s3://`, `gs://`, `az://`, `abfs://` and
 * `abfss://`. Undefined for a link with another scheme.
 * @throws RangeError when the link lacks a bucket or a key, or nobody knows the account of a container
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
 * @see https://cloud.google.com/storage/docs/request-endpoints
 * @see https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
 */
export function objectAddress(href: string, place: BucketPlace = {}): string | undefined {
  const [, scheme, authority = '', path = ''] =
    /^(s3a?|gs|az|azure|abfss?):\/\/([^/?#]*)(?:\/([^]*))?$/i.exec(href) ?? [];
  if (scheme === undefined) return undefined;
  const kind = scheme.toLowerCase();
  const [, container, host] = /^([^@]+)@([^@]+)$/.exec(authority) ?? [undefined, authority, undefined];
  const isShared = host !== undefined && !/^(az|ab)/.test(kind);
  if (isShared || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(container) || path === '')
    throw new RangeError(`expected ${kind}://BUCKET/KEY, got ${href.slice(0, 200)}`);
  const key = encodeKey(path);
  if (kind === 'gs') return `https://storage.googleapis.com/${container}/${key}`;
  if (kind.startsWith('s3')) return `${s3Base(container, place)}/${key}`;
  const account = host?.split('.')[0] ?? place.account;
  if (account === undefined || !/^[a-z0-9]{3,24}$/.test(account))
    throw new RangeError(
      `${href.slice(0, 200)}: this link does not tell the storage account; expected ${kind}://CONTAINER@ACCOUNT.${AZURE_HOST}/KEY`,
    );
  return `https://${account}.${AZURE_HOST}/${container}/${key}`;
}

function s3Base(bucket: string, { region, platform }: BucketPlace): string {
  if (platform !== undefined) {
    const base = platform.replaceAll('{bucket}', bucket).replaceAll('{region}', region ?? '');
    const isOwn = platform.includes('{bucket}') || S3_HOST.test(URL.parse(base)?.hostname ?? '');
    if (URL.parse(base)?.protocol === 'https:' && !base.includes('{'))
      return `${base.replace(/\/+$/, '')}${isOwn ? '' : `/${bucket}`}`;
  }
  const isRegion = region !== undefined && /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region);
  const host = `s3${isRegion ? `.${region}` : ''}.amazonaws.com`;
  // The certificate of the store does not cover the name of a bucket with dots.
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

/** Encodes all that Amazon's signature expects encoded. `.` and `..` are parts of a key, not of a path. */
function encodeKey(path: string): string {
  return path
    .split('/')
    .map((part) => (/^\.{1,2}$/.test(part) ? part.replaceAll('.', '%2E') : encodePart(part)))
    .join('/');
}

function encodePart(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The bucket that an address of Amazon S3 names, and its region where the address tells it. */
export function s3Bucket(
  url: URL,
): { readonly bucket: string; readonly region: string | undefined } | undefined {
  const own = S3_HOST.exec(url.hostname)?.groups;
  if (own !== undefined) return { bucket: own['bucket']!, region: own['region'] };
  const shared = S3_PATH_HOST.exec(url.hostname);
  const bucket = url.pathname.split('/')[1];
  if (shared === null || bucket === undefined || bucket === '') return undefined;
  return { bucket: decodeURIComponent(bucket), region: shared.groups?.['region'] };
}

/**
 * Returns the address of the same object in the region that Amazon S3 named in its answer; undefined when the address
 * is none of Amazon's, or has that region.
 */
export function inRegion(url: URL, region: string): URL | undefined {
  const found = s3Bucket(url);
  if (found === undefined || found.region === region || !/^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region))
    return undefined;
  const there = new URL(url);
  there.hostname = url.hostname.replace(
    /s3(?:[.-][a-z]{2}(?:-[a-z]+)+-\d)?\.amazonaws\.com$/,
    `s3.${region}.amazonaws.com`,
  );
  return there;
}
