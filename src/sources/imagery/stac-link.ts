import { InvalidInput } from '../../base/errors.ts';
import { type BucketPlace, objectAddress } from '../../net/object-address.ts';
import { type Json, MOST_TEXT, textAt } from './stac-json.ts';

/**
 * The address of an asset: its own link where that is https, else an alternate link by https, else the https address of
 * the object that it names.
 * @see https://github.com/stac-extensions/alternate-assets
 */
export function assetHref(asset: Json, properties: Json, base: string): string {
  const href = textAt(asset['href'], 'href');
  if (schemeOf(href) !== undefined && !isHttps(href)) {
    const { alternate } = asset;
    const others = typeof alternate === 'object' && alternate !== null ? Object.values(alternate) : [];
    const link = others
      .map((other) => (other as Json | null)?.['href'])
      .find((other) => isHttps(String(other)));
    if (link !== undefined) return resolveHref(textAt(link, 'alternate.href'), base);
  }
  return resolveHref(href, base, placeOf(asset, properties));
}

/**
 * Where the storage extension says that an asset is stored, in its versions 1 and 2.
 * @see https://github.com/stac-extensions/storage
 */
function placeOf(asset: Json, properties: Json): BucketPlace {
  const schemes = properties['storage:schemes'];
  const refs = asset['storage:refs'];
  const named: readonly Json[] =
    Array.isArray(refs) && typeof schemes === 'object' && schemes !== null
      ? refs.flatMap((ref) => {
          const found: unknown = Object.hasOwn(schemes, String(ref)) && (schemes as Json)[String(ref)];
          return typeof found === 'object' && found !== null ? [{ ...found }] : [];
        })
      : [];
  const scheme = named[0] ?? {};
  const text = (...values: readonly unknown[]): string | undefined =>
    values.find((value) => typeof value === 'string' && value.length < MOST_TEXT) as string | undefined;
  return {
    region: text(scheme['region'], asset['storage:region'], properties['storage:region']),
    account: text(scheme['account']),
    platform: text(scheme['platform']),
  };
}

const schemeOf = (href: string): string | undefined =>
  /^([a-z][a-z0-9+.-]+):\/\//i.exec(href)?.[1]?.toLowerCase();
const isHttps = (href: string): boolean => schemeOf(href) === 'https';

/**
 * Resolves a link against the address of the document that contains it. A link by http is followed by https, and the
 * link to an object in a bucket at the https address of its store.
 * @throws InvalidInput when the link is none of these and no path
 */
export function resolveHref(href: string, base: string, place: BucketPlace = {}): string {
  const scheme = schemeOf(href);
  if (scheme === 'https') return href;
  if (scheme === 'http') {
    const url = URL.parse(href);
    // Nothing is read without encryption. A server that has only http is refused when it is called.
    if (url !== null && url.port === '') return Object.assign(url, { protocol: 'https:' }).href;
    throw new InvalidInput(`href: expected https, got http with a port: ${href}`);
  }
  if (scheme !== undefined) return objectHref(href, scheme, place);
  if (isHttps(base)) return new URL(href, base).href;
  return href.startsWith('/') ? href : `${base.replace(/[^/]*$/, '')}${href}`;
}

/** The https address of an object. @throws InvalidInput */
export function objectHref(href: string, scheme: string, place: BucketPlace = {}): string {
  let found: string | undefined;
  try {
    found = objectAddress(href, place);
  } catch (error) {
    throw new InvalidInput(`href: ${(error as Error).message}`, { cause: error });
  }
  if (found !== undefined) return found;
  throw new InvalidInput(
    `href: expected https, s3, gs or az, got ${scheme}: ${href}. Use a catalogue that links its files by one of them`,
  );
}
