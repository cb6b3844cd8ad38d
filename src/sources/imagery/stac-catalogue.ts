import { readFile, stat } from 'node:fs/promises';
import { InvalidInput, NotFound, UpstreamUnavailable } from '../../base/errors.ts';
import type { FoundScene } from '../../app/imagery/scene-source.ts';
import { type Bbox, bboxesOverlap, toGeoJsonBbox } from '../../geo/bbox.ts';
import { AddressRefused } from '../../net/guarded-connect.ts';
import { type GuardedReader, ReadFailed } from '../../net/guarded-reader.ts';
import { readStacItem } from './stac-item.ts';
import { objectHref, resolveHref } from './stac-link.ts';

type Json = Readonly<Record<string, unknown>>;

const MAX_PAGE_BYTES = 64 * 1024 * 1024; // maximum size of one response; a page of 100 items with all metadata has 3 MB
const PAGE_ITEMS = 100; // items requested per page; public catalogues allow this
const MAX_PAGES = 10_000; // maximum number of pages of one search; more means that the pages form a loop

/** Bounding box and time range of the requested scenes. */
export interface SceneQuery {
  readonly bounds: Bbox | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Finds the scenes of a box and time range in a STAC item, item collection, API collection or search. Items outside
 * the box or time range are dropped.
 * @param where an https address, or the path of a file
 * @throws InvalidInput when the address leads to none of these; UpstreamUnavailable when a server does not answer
 */
export async function* searchStac(
  reader: GuardedReader,
  where: string,
  query: SceneQuery,
): AsyncGenerator<FoundScene> {
  let next: Page | undefined = { href: isBareSearch(where) ? withQuery(where, query) : where };
  const seen = new Set<string>();
  for (let pages = 0; next !== undefined; pages++) {
    const address = JSON.stringify(next);
    if (pages === MAX_PAGES || seen.has(address))
      throw new UpstreamUnavailable(`${where}: the catalogue's pages do not end`);
    seen.add(address);
    const { json, base } = await load(reader, next);
    const items = itemsOf(json);
    if (items === undefined) {
      // A collection or a whole catalogue: continue with its search.
      if (pages > 0) throw new InvalidInput(`${where}: expected items, got ${kindOf(json)} at ${base}`);
      next = searchPage(where, json, base, query);
      continue;
    }
    for (const item of items) {
      const found = sceneOf(item, base);
      if (!found.ok || isAsked(found.item, query)) yield found;
    }
    next = nextPage(json, base, next);
  }
}

/** One page of a catalogue. */
export interface Page {
  readonly href: string;
  /** Body of a POST request; undefined for a GET request. */
  readonly body?: unknown;
}

/**
 * Reads one JSON object. Returns it with its address after redirects.
 * @throws the errors of `searchStac`, and NotFound
 */
export async function load(
  reader: GuardedReader,
  { href, body }: Page,
): Promise<{ readonly json: Json; readonly base: string }> {
  const [bytes, base] = await bytesOf(reader, remoteAddress(href) ?? href, body);
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return { json: json as Json, base };
  } catch {
    // invalid JSON is reported below
  }
  throw new InvalidInput(`${href}: expected a STAC item, collection or search as JSON`);
}

/**
 * The https address that the user or a catalogue named; undefined for the path of a file.
 * @throws InvalidInput for an address by another protocol
 */
export function remoteAddress(href: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(href)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (scheme === 'https') return href;
  if (scheme === 'http') throw new InvalidInput(`${href}: expected an https address or the path of a file`);
  return objectHref(href, scheme);
}

async function bytesOf(
  reader: GuardedReader,
  href: string,
  body: unknown,
): Promise<readonly [bytes: Buffer, base: string]> {
  try {
    if (!/^https:\/\//i.test(href)) return [await localBytes(href), href];
    const answer = await reader.read({
      url: href,
      accept: 'application/geo+json, application/json',
      maxBytes: MAX_PAGE_BYTES,
      ...(body === undefined ? {} : { json: body }),
    });
    return [answer.bytes, answer.url];
  } catch (error) {
    throw toServiceError(href, error);
  }
}

/** The content of a local file. @throws InvalidInput when it is larger than a page may be */
async function localBytes(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > MAX_PAGE_BYTES)
    throw new InvalidInput(`${path} has ${size} bytes; expected JSON of at most ${MAX_PAGE_BYTES}`);
  return await readFile(path);
}

/** Converts an error of the network or the file system to one of this service. */
export function toServiceError(href: string, error: unknown): Error {
  if (error instanceof AddressRefused)
    return new InvalidInput(
      `${href}: ${error.message}; GROUNDWATCH_SOURCE_ALLOW lists the private networks that may be read`,
      { cause: error },
    );
  if (error instanceof ReadFailed) {
    // Public object stores answer 403 also for missing files.
    if (
      error.status === 404 ||
      error.status === 403 ||
      error.status === 410 ||
      error.status === 401 ||
      isClosed(error)
    )
      return new NotFound(`${error.message}${accessHint(href, error.status)}`, { cause: error });
    const isRefused = error.status !== null && error.status < 500 && error.status !== 429;
    return isRefused
      ? new InvalidInput(error.message, { cause: error })
      : new UpstreamUnavailable(error.message, { cause: error });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES')
    return new InvalidInput(`${href} cannot be read: ${message}`, { cause: error });
  if (error instanceof InvalidInput || error instanceof NotFound) return error;
  return new UpstreamUnavailable(`${href}: ${message}`, { cause: error });
}

/** The settings that may open an address whose server refuses to answer everybody. */
const ACCESS: readonly (readonly [host: RegExp, settings: string])[] = [
  [/\.amazonaws\.com$/, 'GROUNDWATCH_S3_SIGNED and GROUNDWATCH_S3_REQUESTER_PAYS'],
  [/\.blob\.core\.windows\.net$/, 'GROUNDWATCH_PLANETARY_COMPUTER'],
  [/\.nasa\.gov$/, 'GROUNDWATCH_EARTHDATA_TOKEN'],
  [/\.copernicus\.eu$/, 'GROUNDWATCH_COPERNICUS_USER'],
];

/** What Azure answers about an account that is not public. */
function isClosed({ status, message }: ReadFailed): boolean {
  return status === 409 && message.includes('PublicAccessNotPermitted');
}

function accessHint(href: string, status: number | null): string {
  if (status !== 401 && status !== 403 && status !== 409) return '';
  const host = URL.parse(href)?.hostname ?? '';
  const [, settings] = ACCESS.find(([pattern]) => pattern.test(host)) ?? [];
  return settings === undefined ? '' : `. If it is there, but not for everybody: ${settings}`;
}

function itemsOf(json: Json): readonly unknown[] | undefined {
  if (json['type'] === 'Feature') return [json];
  const { features } = json;
  return json['type'] === 'FeatureCollection' && Array.isArray(features) ? features : undefined;
}

function sceneOf(item: unknown, base: string): FoundScene {
  try {
    return { ok: true, item: readStacItem(item, base) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const id = (item as Json | null)?.['id'];
    return { ok: false, id: typeof id === 'string' ? id : 'an item without id', reason: error.message };
  }
}

function isAsked(item: { readonly bounds: Bbox; readonly timeMs: number }, query: SceneQuery): boolean {
  if (item.timeMs < query.fromMs || item.timeMs >= query.toMs) return false;
  return query.bounds === undefined || bboxesOverlap(item.bounds, query.bounds);
}

/** The first page of a collection's items. @throws InvalidInput when the collection has no link to its items */
function searchPage(where: string, json: Json, base: string, query: SceneQuery): Page {
  if (json['type'] === 'Collection') {
    const items = linkTo(json, 'items');
    if (items !== undefined) return { href: withQuery(resolveHref(String(items['href']), base), query) };
    throw new InvalidInput(`${where}: this collection links no items; expected one of a STAC API`);
  }
  const children = linksOf(json)
    .filter(({ rel, href }) => rel === 'child' && typeof href === 'string')
    .map(({ href }) => String(href));
  throw new InvalidInput(
    `${where}: expected the address of a STAC item, search or collection, got ${kindOf(json)}` +
      (children.length > 0 ? `. Its collections: ${children.slice(0, 20).join(', ')}` : ''),
  );
}

function kindOf(json: Json): string {
  return typeof json['type'] === 'string' ? `a ${json['type']}` : 'JSON without a type';
}

/** Whether an address is a search endpoint without query parameters. */
function isBareSearch(where: string): boolean {
  return /^https:\/\/[^?]*\/(search|items)\/?$/i.test(where);
}

/** Adds box, time and page size to the address of an API. */
function withQuery(href: string, { bounds, fromMs, toMs }: SceneQuery): string {
  const url = new URL(href);
  url.searchParams.set('limit', String(PAGE_ITEMS));
  if (bounds !== undefined) url.searchParams.set('bbox', toGeoJsonBbox(bounds).join(','));
  const open = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : '..');
  if (Number.isFinite(fromMs) || Number.isFinite(toMs))
    url.searchParams.set('datetime', `${open(fromMs)}/${open(toMs)}`);
  return url.href;
}

/** Returns the next page, which the link `next` of STAC and OGC API points to; undefined after the last page. */
function nextPage(json: Json, base: string, { body }: Page): Page | undefined {
  const link = linkTo(json, 'next');
  if (link === undefined) return undefined;
  const href = resolveHref(String(link['href']), base);
  if (link['method'] !== 'POST') return { href };
  const merged = link['merge'] === true && typeof body === 'object' ? { ...body } : {};
  return { href, body: { ...merged, ...(link['body'] as Json | undefined) } };
}

function linkTo(json: Json, rel: string): Json | undefined {
  return linksOf(json).find((link) => link['rel'] === rel && typeof link['href'] === 'string');
}

function linksOf(json: Json): readonly Json[] {
  const { links } = json;
  return Array.isArray(links) ? links.filter((link) => typeof link === 'object' && link !== null) : [];
}
