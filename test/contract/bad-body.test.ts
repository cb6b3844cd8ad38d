// Long file: it has tables of invalid bodies for every operation that takes a body.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { square } from '../fixtures/records.ts';
import type { CallOptions } from '../fixtures/http-caller.ts';
import { refusal } from './refusals.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

const POINT = { lat: 46, lng: 14, peril: 'flood' };

describe('bad input in bodies is told as such, and never a 500', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));
  const post = (path: string, options: CallOptions) =>
    world.service.call(path, { method: 'POST', key: world.key, ...options });
  const refuses = async (path: string, json: unknown, param: string | undefined, message?: RegExp) => {
    const what = `${path} ${JSON.stringify(json).slice(0, 200)}`;
    const error = refusal(await post(path, { json }), 400, what);
    assert.equal(error.param, param, `${what}: ${error.message}`);
    if (message) assert.match(error.message, message);
    return error;
  };
  const batch = (location: unknown) => ({ locations: [location] });

  test('numbers in a body are numbers: nothing is coerced', async () => {
    for (const lat of [null, '1', '', true, false, [1], {}, 91, -90.5, 1e300]) {
      await refuses('/v1/risk/batch', batch({ ...POINT, lat }), 'locations[0].lat');
      await refuses(
        '/v1/risk/batch',
        batch({ ...POINT, lng: lat === 91 ? 181 : lat === -90.5 ? -181 : lat }),
        'locations[0].lng',
      );
    }
    for (const literal of ['NaN', 'Infinity', '0x10', '.5', '01', '1e400', '-1e400', '+1'])
      refusal(
        await post('/v1/risk/batch', { body: `{"locations":[{"lat":${literal},"lng":1,"peril":"flood"}]}` }),
        400,
        literal,
      );
    await refuses(
      '/v1/risk/batch',
      batch({ ...POINT, peril: 'Flood' }),
      'locations[0].peril',
      /flood, subsidence/,
    );
    await refuses(
      '/v1/risk/batch',
      batch({ ...POINT, altitude: 3 }),
      'locations[0].altitude',
      /unknown field/,
    );
    await refuses('/v1/risk/batch', batch({ lat: 1, lng: 1 }), 'locations[0].peril', /required/);
    for (const location of [null, [], 'x', 7, [46, 14]])
      await refuses('/v1/risk/batch', batch(location), 'locations[0]');
    assert.equal(
      (await post('/v1/risk/batch', { body: '{"locations":[{"lat":5e-7,"lng":-0,"peril":"flood"}]}' }))
        .status,
      200,
    );
  });

  test('a batch holds 1 to 1,000 locations, and every bad one is named by its index', async () => {
    const many = (count: number) => ({ locations: Array.from({ length: count }, () => POINT) });
    await refuses('/v1/risk/batch', many(0), 'locations', /1 to 1000 items, got 0/);
    await refuses('/v1/risk/batch', many(1001), 'locations', /1 to 1000 items, got 1001/);
    await refuses('/v1/risk/batch', { locations: POINT }, 'locations', /an array, got an object/);
    await refuses('/v1/risk/batch', {}, 'locations', /required/);
    await refuses('/v1/risk/batch', { ...many(1), model: 'x' }, 'model', /unknown field/);
    const one = many(1000);
    one.locations[617] = { ...POINT, lat: 90.01 };
    const single = await refuses('/v1/risk/batch', one, 'locations[617].lat');
    assert.deepEqual(
      single.details?.map(({ param }) => param),
      ['locations[617].lat'],
    );
    const bad = many(1000);
    for (let i = 0; i < 1000; i += 5) bad.locations[i] = { ...POINT, lng: 1000 };
    const all = await refuses('/v1/risk/batch', bad, 'locations[0].lng');
    assert.deepEqual(
      all.details?.map(({ param }) => param),
      Array.from({ length: 100 }, (_, i) => `locations[${i * 5}].lng`),
    );
    assert.equal((await post('/v1/risk/batch', { json: many(1000) })).status, 200);
  });

  test('a body that would take long to parse is refused before, by what is too much in it', async () => {
    const fields = (count: number, name: (i: number) => string): string =>
      `{${Array.from({ length: count }, (_, i) => `"${name(i)}":1`).join(',')}}`;
    const bodies: [string, RegExp][] = [
      [
        fields(150_000, (i) => `k${i}`),
        /^The body: expected at most 1000 different names of fields, got more$/,
      ],
      [`{"name":"x","geometry":${fields(1100, (i) => `k${i}`)}}`, /1000 different names/],
      [`[${'{"a":1},'.repeat(20_000)}{}]`, /at most 16384 fields, got more/],
      [`[${'{},'.repeat(70_000)}{}]`, /at most 65536 arrays and objects, got more/],
      [`[${'"a",'.repeat(40_000)}1]`, /at most 32768 texts, got more/],
      [`[${'1,'.repeat(140_000)}1]`, /at most 131072 commas, got more/],
      ['['.repeat(65) + ']'.repeat(65), /at most 64 levels of arrays and objects, got more/],
    ];
    for (const [body, message] of bodies)
      for (const path of ['/v1/aois', '/v1/risk/batch', '/v1/webhooks'])
        assert.match(refusal(await post(path, { body }), 400, path).message, message);
  });

  test('a body that is no JSON object in UTF-8 is refused, whatever its form', async () => {
    const bodies = [
      '',
      ' ',
      '{',
      '{"locations":',
      "{'locations':[]}",
      '{"locations":[],}',
      '\ufeff{}',
      '{}{}',
      'undefined',
      '//',
      'null',
      'true',
      '1',
      '"x"',
      '[]',
      '[{}]',
      '{"locations":[]',

      '{"__proto__":{"locations":[]}}',
      '{"locations":[],"constructor":{"prototype":{}}}',
      '{"a":{"__proto__":null}}',
    ];
    for (const path of ['/v1/risk/batch', '/v1/aois', '/v1/webhooks', '/v1/anomalies/subscribe']) {
      for (const body of bodies) refusal(await post(path, { body }), 400, `${path} ${body}`);
      refusal(await post(path, {}), 400, `${path} without a body`);
      const half = Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.from([0xff, 0xed, 0xa0]),
        Buffer.from('"}'),
      ]);
      assert.match(refusal(await post(path, { body: half }), 400, path).message, /UTF-8/);
    }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'x',
      'multipart/form-data',
    ])
      assert.match(
        refusal(await post('/v1/risk/batch', { body: '{}', headers: { 'content-type': type } }), 400, type)
          .message,
        /application\/json/,
      );
    const taken = { locations: [POINT] };
    assert.match(
      refusal(
        await post('/v1/risk/batch', { json: taken, headers: { 'content-encoding': 'gzip' } }),
        400,
        'gzip',
      ).message,
      /Content-Encoding: expected none, got "gzip"/,
    );
    const utf8 = { 'content-type': 'application/json; charset=utf-8' };
    assert.equal((await post('/v1/risk/batch', { json: taken, headers: utf8 })).status, 200);
  });

  test('a refused body is told where it breaks, or what its media type was', async () => {
    for (const [body, type, said] of [
      ['{"name": NaN}', 'application/json', /^The body is not valid JSON: Unexpected token 'N'/],
      ['{"name": "x"', 'application/json', /at position 12/],
      ['{"__proto__": 1}', 'application/json', /^The body: expected no field named __proto__/],
      ['name=x', 'text/plain', /^Content-Type: expected application\/json, got "text\/plain"$/],
    ] as const) {
      const answer = await post('/v1/aois', { body, headers: { 'content-type': type } });
      assert.match(refusal(answer, 400, body).message, said);
    }
  });

  test('a member that comes twice in one object is refused by its name', async () => {
    for (const [path, body, param] of [
      ['/v1/aois', '{"name":"a","name":"b","geometry":{}}', 'name'],
      [
        '/v1/aois',
        '{"name":"a","geometry":{"type":"Polygon","coordinates":[],"type":"Point"}}',
        'geometry.type',
      ],
      ['/v1/keys', '{"scopes":["risk:read"],"\\u0073copes":["risk:read"]}', 'scopes'],
      [
        '/v1/risk/batch',
        '{"locations":[{"lat":1,"lng":1,"peril":"flood"},{"lat":1,"lng":1,"peril":"flood","lat":2}]}',
        'locations[1].lat',
      ],
    ] as const) {
      const error = refusal(await post(path, { body }), 400, body);
      assert.equal(error.param, param, error.message);
      assert.match(error.message, /: expected once, got twice in the same object$/);
    }
    const once = '{"locations":[{"lat":1,"lng":1,"peril":"flood"},{"lat":1,"lng":1,"peril":"flood"}]}';
    assert.equal((await post('/v1/risk/batch', { body: once })).status, 200);
  });

  test('names hold no control characters and none that change the direction of text, wherever one is given', async () => {
    const { service, key } = world;
    for (const [character, code] of [
      ['\n', 'U+000A'],
      ['\u001b', 'U+001B'],
      ['\u0085', 'U+0085'],
      ['\u200f', 'U+200F'],
      ['\u202e', 'U+202E'],
      ['\u2066', 'U+2066'],
    ] as const) {
      const name = `a${character}b`;
      const message = new RegExp(
        `^name: expected text without control characters .*, got U\\+${code.slice(2)}$`,
      );
      await refuses('/v1/aois', { name, geometry: square(1, 1) }, 'name', message);
      await refuses('/v1/keys', { name, scopes: ['risk:read'] }, 'name', message);
      await refuses('/v1/clients', { name, scopes: ['risk:read'] }, 'name', message);
      const path = `/v1/aois/${world.aoi.id}`;
      const renamed = await service.call(path, { method: 'PATCH', key, json: { name } });
      assert.match(refusal(renamed, 400, code).message, message);
    }
    // Joiners are part of names in some scripts.
    const persian = 'می\u200cخواهم';
    assert.equal((await post('/v1/aois', { json: { name: persian, geometry: square(30, 41) } })).status, 201);
  });

  test('no bytes are no body, whatever media type is named: wrappers name one with every call', async () => {
    const { service, key } = world;
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const made = await post('/v1/aois', { json: { name: 'x', geometry: square(30, 40) } });
      const path = `/v1/aois/${String(made.json()['id'])}`;
      const headers = { 'content-type': type };
      const gone = await service.call(path, { method: 'DELETE', key, headers, body: '' });
      assert.equal(gone.status, 204, gone.text);
      const without = await post('/v1/aois', { headers, body: '' });
      assert.equal(refusal(without, 400, type).message, 'The body: expected an object, got nothing');
    }
  });

  test('bodies that are huge, deep or made to be slow are refused soon, and the service goes on', async () => {
    const megabytes = Buffer.alloc(10_000_000, ' ');
    for (const path of ['/v1/risk/batch', '/v1/aois'])
      assert.match(refusal(await post(path, { body: megabytes }), 400, '10 MB').message, /2 MiB/);
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    for (const levels of [20, 5000, 900_000]) {
      refusal(await post('/v1/risk/batch', { body: nested(levels) }), 400, `${levels} levels`);
      for (const headers of [{}, { 'idempotency-key': `deep-${levels}` }]) {
        const body = `{"name":"deep","geometry":${nested(levels)}}`;
        refusal(await post('/v1/aois', { body, headers }), 400, `${levels} levels of geometry`);
        const inside = `{"name":"deep","geometry":{"type":"Polygon","coordinates":${nested(levels)}}}`;
        refusal(await post('/v1/aois', { body: inside, headers }), 400, `${levels} levels of coordinates`);
      }
    }
    const flood = `{"x":1,"locations":[${'{},'.repeat(600_000)}{}]}`;
    refusal(await post('/v1/risk/batch', { body: flood }), 400, '600,001 empty locations');
    const perils = `{"aoi_id":"x","perils":[${'"flood",'.repeat(200_000)}"flood"]}`;
    refusal(await post('/v1/anomalies/subscribe', { body: perils }), 400, '200,001 perils');
    assert.equal((await world.service.call('/healthz')).status, 200);
  });

  test('texts that cannot be kept as they are, or are too long, are refused in every field', async () => {
    const texts = ['\0', 'a\0b', '\ud800', 'x\udc00y'];
    for (const text of texts) {
      await refuses('/v1/aois', { name: text, geometry: square(1, 1) }, 'name');
      await refuses('/v1/webhooks', { url: `https://example.com/${text}`, events: ['*'] }, 'url');
      await refuses('/v1/webhooks', { url: 'https://example.com/', events: [text] }, 'events[0]');
      await refuses('/v1/anomalies/subscribe', { aoi_id: text, perils: ['flood'] }, 'aoi_id');
      await refuses('/v1/anomalies/subscribe', { aoi_id: world.aoi.id, perils: [text] }, 'perils[0]');
      const answer = await world.service.call(`/v1/aois/${world.aoi.id}`, {
        method: 'PATCH',
        key: world.key,
        json: { name: text },
      });
      refusal(answer, 400, JSON.stringify(text));
      await refuses('/v1/aois', { name: 'x', geometry: { type: text, coordinates: [] } }, 'geometry');
      refusal(await post('/v1/aois', { json: { [text]: 1 } }), 400, 'a name of a field');
    }
    for (const name of ['', '   ', '\t\n', 'x'.repeat(201), 'x'.repeat(1_000_000), 7, null])
      await refuses('/v1/aois', { name, geometry: square(1, 1) }, 'name');
    await refuses('/v1/webhooks', { url: `https://example.com/${'x'.repeat(2048)}`, events: ['*'] }, 'url');
    refusal(
      await post('/v1/anomalies/subscribe', { json: { aoi_id: 'x'.repeat(100_000), perils: ['flood'] } }),
      404,
      'a long id',
    );
    const kept = await post('/v1/aois', { json: { name: '  Šmarna gora 😀 地  ', geometry: square(1, 1) } });
    assert.equal(kept.json()['name'], 'Šmarna gora 😀 地');
  });

  test('perils and events are lists of known names, each once', async () => {
    for (const perils of [[], ['flood', 'flood'], ['fire'], 'flood', [null], [['flood']]])
      refusal(
        await post('/v1/anomalies/subscribe', { json: { aoi_id: world.aoi.id, perils } }),
        400,
        JSON.stringify(perils),
      );
    for (const events of [[], ['*', '*'], ['change'], ['change.*'], '*', [''], null])
      refusal(
        await post('/v1/webhooks', { json: { url: 'https://example.com/', events } }),
        400,
        JSON.stringify(events),
      );
    const hook = await post('/v1/webhooks', {
      json: { url: 'https://example.com/', events: ['change.detected', '*'] },
    });
    const path = `/v1/webhooks/${String(hook.json()['id'])}`;
    for (const json of [
      {},
      { secret: 'x' },
      { status: 'paused' },
      { events: [] },
      { url: 'http://example.com/' },
    ])
      refusal(
        await world.service.call(path, { method: 'PATCH', key: world.key, json }),
        400,
        JSON.stringify(json),
      );
  });

  test('a webhook goes to a public HTTPS address, however a private one is spelt', async () => {
    for (const url of [
      'http://example.com/',
      'ftp://example.com/',
      'example.com',
      '/hook',
      '',
      'https://',
      'javascript:alert(1)',
      'https://user@example.com/',
      'https://user:secret@example.com/',
      'https://:x@example.com/',

      'https://example.com:80/',
      'https://example.com:22/',
      'https://example.com:1023/',
      'https://example.com:0/',

      'https://127.0.0.1/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0177.0.0.1/',

      'https://127。0。0。1/',
      'https://%31%32%37.0.0.1/',
      'https://127.0.0.1./',
      'https://0/',
      'https://0.0.0.0/',

      'https://10.0.0.1/',
      'https://172.16.0.1/',
      'https://192.168.1.1/',
      'https://169.254.169.254/',
      'https://100.64.0.1/',

      'https://[::1]/',
      'https://[::]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:7f00:1]/',
      'https://[fe80::1]/',

      'https://[fc00::1]/',
      'https://[ff02::1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://224.0.0.1/',
      'https://255.255.255.255/',
      'https://198.18.0.1/',
      'https://192.0.2.1/',
      'https://[2001:db8::1]/',
      'https://[2002:7f00:1::]/',
    ])
      await refuses('/v1/webhooks', { url, events: ['*'] }, 'url');
    for (const url of [
      'https://example.com/',
      'https://example.com:443/',
      'https://example.com:1024/x?y=z',
      'https://8.8.8.8/',
    ])
      assert.equal((await post('/v1/webhooks', { json: { url, events: ['*'] } })).status, 201, url);
  });
});
