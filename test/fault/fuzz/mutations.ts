/** Creates a generator of random numbers in [0, 1) from a seed: mulberry32 (public domain). */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A request exactly as it is sent. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Body of the request; undefined for a request without a body. */
  readonly body: Buffer | undefined;
}

/** Texts that parsers often handle wrongly. */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  '%00',
  '%',
  '%zz',
  '%c0%af',
  '../../etc/passwd',
  '..%2f..%2f',
  "' or 1=1 --",
  '${7*7}',
  '{{7*7}}',
  '<script>',
  '\u202e',
  '\ud800',
  '💥'.repeat(50),
  'a'.repeat(5000),
  '-0',
  '1e999',
  '-1e-999',
  '9007199254740993',
  '0x10',
  'NaN',
  'Infinity',
  'null',
  'true',
  '[]',
  '{}',
  '2025-02-30',
  '0000-00-00',
  '+275760-09-13T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '1970-01-01T00:00:00+99:99',
  '__proto__',
  'constructor',
  'key_00000000000000000000000000',
  'aoi_7zzzzzzzzzzzzzzzzzzzzzzzzz',
];

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0.1,
  1e308,
  -1e308,
  9_007_199_254_740_992,
  [],
  {},
  [[]],
  [null],
  { __proto__: null },
  Array.from({ length: 300 }, () => 0),
  ...ODD_TEXTS,
];

const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/geo+json',
  '',
  ';;;',
];

/** Changes a request in one to three ways. */
export function mutate(request: RawRequest, random: () => number): RawRequest {
  let mutated = request;
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--)
    mutated = pick(MUTATIONS, random)(mutated, random);
  return mutated;
}

type Mutation = (request: RawRequest, random: () => number) => RawRequest;

const MUTATIONS: readonly Mutation[] = [
  mutateJson,
  mutateJson,
  mutateBytes,
  mutateQuery,
  mutateQuery,
  mutatePath,
  mutateHeader,
  (request, random) => ({
    ...request,
    method: pick(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'TRACE'], random),
  }),
  (request, random) => ({
    ...request,
    headers: [
      ...request.headers.filter(([name]) => name !== 'content-type'),
      ['content-type', pick(TYPES, random)],
    ],
  }),
];

function mutateJson(request: RawRequest, random: () => number): RawRequest {
  if (request.body === undefined) return mutateQuery(request, random);
  let value: unknown;
  try {
    value = JSON.parse(request.body.toString('utf8'));
  } catch {
    return mutateBytes(request, random);
  }
  const text = JSON.stringify(alter(value, random));
  return { ...request, body: Buffer.from(text ?? 'null') };
}

/**
 * Makes one random change somewhere in a JSON value: replaces, removes or adds a part, or repeats an array three times.
 */
function alter(value: unknown, random: () => number): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.15) return pick(ODD_VALUES, random);
  if (Array.isArray(value)) {
    const at = Math.floor(random() * (value.length + 1));
    const how = random();
    if (how < 0.2) return value.toSpliced(at, 1);
    if (how < 0.4) return value.toSpliced(at, 0, pick(ODD_VALUES, random));
    if (how < 0.5) return [...value, ...value, ...value];
    return value.map((item, i) => (i === at ? alter(item, random) : item));
  }
  const entries = Object.entries(value);
  const at = Math.floor(random() * entries.length);
  const how = random();
  if (how < 0.2) return Object.fromEntries(entries.toSpliced(at, 1));
  if (how < 0.4) return { ...value, [pick(ODD_TEXTS, random)]: pick(ODD_VALUES, random) };
  return Object.fromEntries(entries.map(([name, item], i) => [name, i === at ? alter(item, random) : item]));
}

/**
 * Changes a body in one of four ways: replaces a byte, cuts the body short, replaces it by 20,000 opening brackets, or
 * puts a copy of its start before it and an odd text after it.
 */
function mutateBytes(request: RawRequest, random: () => number): RawRequest {
  const body = Buffer.from(request.body ?? pick(ODD_TEXTS, random));
  if (body.length === 0) return { ...request, body: Buffer.from(pick(ODD_TEXTS, random)) };
  const at = Math.floor(random() * body.length);
  const how = random();
  if (how < 0.4) body[at] = Math.floor(random() * 256);
  else if (how < 0.6) return { ...request, body: body.subarray(0, at) };
  else if (how < 0.7) return { ...request, body: Buffer.from('['.repeat(20_000)) };
  else
    return {
      ...request,
      body: Buffer.concat([body.subarray(0, at), body, Buffer.from(pick(ODD_TEXTS, random))]),
    };
  return { ...request, body };
}

function mutateQuery(request: RawRequest, random: () => number): RawRequest {
  const [path, query = ''] = request.path.split('?', 2) as [string, string?];
  const pairs = query === '' ? [] : query.split('&');
  const at = Math.floor(random() * pairs.length);
  const odd = () =>
    random() < 0.5
      ? encodeURIComponent(pick(ODD_TEXTS, random).toWellFormed())
      : wire(pick(ODD_TEXTS, random));
  const name = pairs[at]?.split('=')[0] ?? pick(['limit', 'cursor', 'since', 'f', 'lat'], random);
  const how = random();
  if (how < 0.5) pairs[Math.max(at, 0)] = `${name}=${odd()}`;
  else if (how < 0.65) pairs.push(`${name}=${odd()}`);
  else if (how < 0.8) pairs.push(`${pick(['limit', 'cursor', 'since', 'f', 'explain'], random)}=${odd()}`);
  else if (how < 0.9) pairs.splice(at, 1);
  else pairs.push(odd());
  return { ...request, path: `${path}?${pairs.join('&')}` };
}

function mutatePath(request: RawRequest, random: () => number): RawRequest {
  const [path, query] = request.path.split('?', 2) as [string, string?];
  const parts = path.split('/');
  const at = 1 + Math.floor(random() * (parts.length - 1));
  const how = random();
  if (how < 0.5) parts[at] = wire(pick(ODD_TEXTS, random));
  else if (how < 0.7) parts.splice(at, 0, wire(pick(ODD_TEXTS, random)));
  else if (how < 0.85) parts.splice(at, 1);
  else
    parts[at] = Buffer.from(parts[at] ?? '')
      .toString('hex')
      .replaceAll(/../g, '%$&');
  return { ...request, path: `/${parts.slice(1).join('/')}${query === undefined ? '' : `?${query}`}` };
}

function mutateHeader(request: RawRequest, random: () => number): RawRequest {
  const name = pick(
    [
      'accept',
      'accept-encoding',
      'if-none-match',
      'idempotency-key',
      'authorization',
      'x-forwarded-for',
      'range',
      'expect',
      'cookie',
      'origin',
      'x-odd',
    ],
    random,
  );
  // Characters that are invalid in a header are removed. In particular, a line break would start another header or
  // another request.
  const value = pick([...ODD_TEXTS, 'application/geo+json', 'gzip;q=9', '*', 'W/"x"', 'Basic Og=='], random)
    .replaceAll(/[^\x20-\x7e]/g, '')
    .slice(0, 2000);
  return { ...request, headers: [...request.headers, [name, value]] };
}

/** Encodes a text for the request line: `#` and all characters except visible ASCII are percent-encoded. */
function wire(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x21-\x7e]|#/gu, (c) => encodeURIComponent(c));
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!;
}
