import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OPERATIONS } from '../contract/operations.ts';
import { Groundwatch } from './groundwatch.ts';

/** Operations elsewhere are for programs that know them by their standards. */
const OF_CLIENT = OPERATIONS.filter(({ path }) => path.startsWith('/v1/'));

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly idempotencyKey: string | null;
}

/** Creates a client whose calls are answered by the function `answer` instead of a service. */
function client(answer: (sent: Sent) => unknown) {
  const seen: Sent[] = [];
  const groundwatch = new Groundwatch({
    baseUrl: 'https://gw.test',
    apiKey: 'k',
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const sent: Sent = {
        method: init?.method ?? 'GET',
        path: decodeURIComponent(url.pathname),
        query: url.searchParams,
        body: init?.body === undefined ? undefined : JSON.parse(init.body as string),
        idempotencyKey: new Headers(init?.headers).get('idempotency-key'),
      };
      seen.push(sent);
      return Response.json(answer(sent));
    },
  });
  return { groundwatch, seen };
}

test('every operation of the contract has a method of the same name that sends its request', async () => {
  for (const operation of OF_CLIENT) {
    if (operation.answers.some(({ eventStream }) => eventStream)) continue; // event streams are tested separately below
    const { example } = operation;
    const { groundwatch, seen } = client(() => example.answer ?? {});
    const method = (groundwatch as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[
      operation.id
    ];
    assert.ok(method, `${operation.id} is missing`);
    const given = Object.entries(example.parameters ?? {});
    const isInPath = ([name]: readonly [string, unknown]) => operation.path.includes(`{${name}}`);
    const inPath = given.filter(isInPath);
    const query = Object.fromEntries(given.filter((one) => !isInPath(one)));
    const input = [...inPath.map(([, value]) => value), operation.body ? example.body : query];
    const result = await method.apply(groundwatch, input);
    const sent = seen[0]!;
    assert.equal(sent.method, operation.method, operation.id);
    const path = inPath.reduce((text, [name, id]) => text.replace(`{${name}}`, String(id)), operation.path);
    assert.equal(sent.path, path, operation.id);
    assert.deepEqual(
      Object.fromEntries(sent.query),
      Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      operation.id,
    );
    assert.deepEqual(sent.body, example.body, operation.id);
    assert.equal(sent.idempotencyKey !== null, operation.creates === true, operation.id);
    if (operation.answers.some(({ media }) => media)) assert.ok(result instanceof Uint8Array, operation.id);
    else assert.deepEqual(result, example.answer ?? {}, operation.id);
  }
});

test('each iterator reads all pages and keeps its query', async () => {
  const walks: [string, (client: Groundwatch) => AsyncIterable<unknown>, string][] = [
    ['aois', (c) => c.aois({ limit: 2 }), '/v1/aois'],
    ['changes', (c) => c.changes({ aoi_id: 'a', limit: 2 }), '/v1/changes'],
    ['anomalies', (c) => c.anomalies({ limit: 2 }), '/v1/anomalies'],
    ['incidents', (c) => c.incidents({ limit: 2 }), '/v1/incidents'],
    ['subscriptions', (c) => c.subscriptions({ limit: 2 }), '/v1/anomalies/subscriptions'],
    ['watches', (c) => c.riskWatches({ limit: 2 }), '/v1/risk/watches'],
    ['stations', (c) => c.stations({ limit: 2 }), '/v1/stations'],
    ['keys', (c) => c.keys({ limit: 2 }), '/v1/keys'],
    ['clients', (c) => c.clients({ limit: 2 }), '/v1/clients'],
    ['webhooks', (c) => c.webhooks({ limit: 2 }), '/v1/webhooks'],
    ['deliveries', (c) => c.deliveries('wh_1', { limit: 2 }), '/v1/webhooks/wh_1/deliveries'],
    ['events', (c) => c.events({ limit: 2 }), '/v1/events'],
    ['series', (c) => c.series({ lat: 1, lng: 2, metric: 'ndvi', limit: 2 }), '/v1/historical'],
  ];
  for (const [field, walk, path] of walks) {
    const pages = [
      { [field]: [1, 2], next_cursor: 'p2' },
      { [field]: [3, 4], next_cursor: 'p3' },
      { [field]: [5] },
    ];
    const { groundwatch, seen } = client(() => pages[seen.length - 1]);
    const items: unknown[] = [];
    for await (const item of walk(groundwatch)) items.push(item);
    assert.deepEqual(items, [1, 2, 3, 4, 5], field);
    assert.deepEqual(
      seen.map((sent) => [sent.path, sent.query.get('cursor'), sent.query.get('limit')]),
      [
        [path, null, '2'],
        [path, 'p2', '2'],
        [path, 'p3', '2'],
      ],
    );
  }
});

test('events after a known one are requested by its identifier, then page by page', async () => {
  const pages = [{ events: [1], next_cursor: 'p2' }, { events: [2] }];
  const { groundwatch, seen } = client(() => pages[seen.length - 1]);
  const items: unknown[] = [];
  for await (const item of groundwatch.events({ after: 'evt_1' })) items.push(item);
  assert.deepEqual(items, [1, 2]);
  assert.deepEqual(
    seen.map(({ query }) => String(query)),
    ['after=evt_1', 'cursor=p2'],
  );
});

test('an iterator requests a page only when it is needed', async () => {
  const { groundwatch, seen } = client(() => ({ aois: [1, 2], next_cursor: `c${seen.length}` }));
  for await (const _ of groundwatch.aois()) break;
  assert.equal(seen.length, 1);
});

test('a page that returns its own cursor ends the iteration with an error', async () => {
  const { groundwatch } = client(() => ({ aois: [1], next_cursor: 'same' }));
  await assert.rejects(async () => {
    for await (const _ of groundwatch.aois());
  }, /same cursor twice/);
});

test('f requests GeoJSON, times may be dates, and an identifier is encoded as one path segment', async () => {
  const { groundwatch, seen } = client(() => ({ type: 'FeatureCollection', features: [] }));
  const collection = await groundwatch.listChanges({ aoi_id: 'a', since: new Date(0), f: 'geojson' });
  assert.equal(collection.features.length, 0);
  assert.equal(String(seen[0]!.query), 'aoi_id=a&since=1970-01-01T00%3A00%3A00.000Z&f=geojson');
  await groundwatch.getAoi('../keys?x=1');
  assert.equal(seen[1]!.path, '/v1/aois/../keys?x=1');
  assert.equal(String(seen[1]!.query), '');
  // URL parsers remove these path segments, which would turn the call into a different one.
  for (const none of ['', '.', '..']) assert.throws(() => groundwatch.deleteWebhook(none), TypeError);
});

test('a list of changes says how many suspicions it leaves out, when the service says so', async () => {
  const answers: Record<string, string>[] = [
    { 'x-suspected-omitted': '3' },
    { 'x-suspected-omitted': '0' },
    {},
  ];
  const groundwatch = new Groundwatch({
    baseUrl: 'https://gw.test',
    apiKey: 'k',
    fetch: async () => Response.json({ changes: [] }, { headers: answers.shift()! }),
  });
  const list = () => groundwatch.listChanges({ aoi_id: 'a' });
  assert.deepEqual(await list(), { changes: [], suspected_omitted: 3 });
  assert.deepEqual(await list(), { changes: [], suspected_omitted: 0 });
  assert.deepEqual(await list(), { changes: [] });
});

test('docs/client.md lists exactly the methods of the client', () => {
  const page = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
  const table = /\| Of \| Methods \|\n([\s\S]*?)\n\n/.exec(page)?.[1] ?? '';
  const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  assert.deepEqual(named.toSorted(), OF_CLIENT.map(({ id }) => id).toSorted());
});

test('the client loads only its own files at run time, so that it works and stays small in a browser', () => {
  const folder = new URL('.', import.meta.url);
  for (const file of readdirSync(folder).filter((name) => /(?<!\.test)\.ts$/.test(name))) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    for (const [statement, from] of source.matchAll(/^(?:im|ex)port [^;]*? from '([^']+)';/gm))
      if (!/^(?:im|ex)port type /.test(statement))
        assert.match(from!, /^\.\/[a-z-]+\.ts$/, `${file}: ${from!}`);
    assert.doesNotMatch(source, /\bprocess\.|\bBuffer\b|node:/, file);
  }
});
