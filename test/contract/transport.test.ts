import assert from 'node:assert/strict';
import { request as plainRequest } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { isId } from '../../src/base/ids.ts';
import { answerOf, type CallAnswer } from '../fixtures/http-caller.ts';
import { refusal } from './refusals.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

describe('transport: HTTPS, methods, headers, compression, caching', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));

  /** Sends bytes over TLS and returns everything received. */
  function raw(text: string): Promise<string> {
    const { port, ca } = world.service;
    return new Promise((resolve, reject) => {
      let got = '';
      const socket = connect({ port, host: 'localhost', ca }, () => socket.write(text));
      socket.setEncoding('latin1').on('data', (chunk: string) => (got += chunk));
      socket.once('error', reject).once('close', () => resolve(got));
    });
  }
  function parse(answer: string): CallAnswer {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const [status = '', ...lines] = head.split('\r\n');
    const headers = lines.map((line) => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 2),
    ]);
    return answerOf(Number(status.split(' ')[1]), Object.fromEntries(headers), Buffer.from(body, 'latin1'));
  }

  test('plain HTTP on the same port is 400 in the contract’s form, and the credential sent so is told of by its id', async () => {
    const { port } = world.service;
    const answer = await new Promise<CallAnswer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${world.tinyKey}` };
      plainRequest({ port, host: '127.0.0.1', path: '/v1/models', headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(chunks))),
        );
      })
        .once('error', reject)
        .end();
    });
    assert.match(refusal(answer, 400, 'plain HTTP').message, /HTTPS/);
    assert.equal(answer.headers['connection'], 'close');
    const keyId = /key_[0-9a-z]{26}/.exec(world.tinyKey)![0];
    for (let looks = 0; !world.service.log().includes(keyId) && looks < 1_500; looks++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.match(world.service.log(), new RegExp(`exposed: ${keyId}`));
    assert.ok(!world.service.log().includes(world.tinyKey.slice(-20)), 'the log holds a secret');
  });

  test('every answer has a request id of its own, HSTS and nosniff; under /v1 also both families of limits', async () => {
    const { service, key, tinyKey } = world;
    const ids = new Set<string>();
    const calls = [
      ['/v1/models', { key }],
      ['/v1/models', {}],
      ['/v1/models', { key: tinyKey }],
      ['/v1/models', { key, method: 'HEAD' }],
      ['/v1/aois', { key, method: 'POST', body: '{' }],
      ['/v1/aois', { key, method: 'POST', body: Buffer.alloc(3_000_000) }],
      ['/v1/nothing', { key }],
      ['/v1/models', { key, method: 'PUT' }],
      ['/v1/%zz', { key }],
      [`/v1/changes/${'a'.repeat(400)}`, { key }],
      ['/healthz', {}],
      ['/readyz', {}],
      ['/metrics', {}],
      ['/docs', {}],
      ['/openapi.json', {}],
    ] as const;
    for (const [path, options] of calls) {
      const { headers, status } = await service.call(path, options);
      const what = `${path} ${status}`;
      assert.ok(isId('request', headers['x-request-id'] ?? ''), what);
      ids.add(headers['x-request-id']!);
      assert.equal(headers['strict-transport-security'], 'max-age=31536000', what);
      assert.equal(headers['x-content-type-options'], 'nosniff', what);
      if (!path.startsWith('/v1')) continue;
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
        assert.match(headers[name] ?? '', /^\d+$/, `${what} ${name}`);
      assert.match(headers['ratelimit'] ?? '', /^"default";r=\d+;t=\d+$/, what);
      assert.match(headers['ratelimit-policy'] ?? '', /^"default";q=\d+;w=60$/, what);
    }
    assert.equal(ids.size, calls.length);
  });

  test('an unknown path or method is 404, with Allow where the path exists; a path that cannot be read is 400', async () => {
    const { service, key } = world;
    for (const path of [
      '/v1',
      '/v1/',
      '/v2/risk',
      '/v1/risk/',
      '/V1/risk',
      '/v1//risk',
      '/v1/risk%2Fbatch',
      '/v1/../v1/risk',
    ]) {
      const answer = await service.call(path, { key });
      refusal(answer, 404, path);
      assert.equal(answer.headers['allow'], undefined, path);
    }
    for (const [method, path, allow] of [
      ['PUT', '/v1/risk', 'GET, HEAD'],
      ['GET', '/v1/risk/batch', 'POST'],
      ['DELETE', '/v1/aois', 'GET, HEAD, POST'],
      ['POST', `/v1/aois/${world.aoi.id}`, 'DELETE, GET, HEAD, PATCH'],
      ['OPTIONS', '/v1/changes', 'GET, HEAD'],
      ['POST', '/healthz', 'GET, HEAD'],
    ] as const) {
      const answer = await service.call(path, { key, method });
      refusal(answer, 404, `${method} ${path}`);
      assert.equal(answer.headers['allow'], allow, `${method} ${path}`);
    }
    for (const path of ['/v1/%zz', '/v1/changes/%', '/v1/changes/%ed%a0%80', '/v1/changes/%ff'])
      refusal(await service.call(path, { key }), 400, path);
  });

  test('what is no HTTP is 400, an unknown method 404, in the contract’s form', async () => {
    for (const [text, status] of [
      ['GET nonsense\r\n\r\n', 400],
      ['GET /v1/models HTTP/9.9\r\nHost: x\r\n\r\n', 400],
      ['GET /v1/models HTTP/1.1\r\n\r\n', 400],
      [`GET /v1/models HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
      ['GET /v1/mod\0els HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['POST /v1/aois HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
      ['GET /v1/models HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
      [
        `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.key}\r\nauthorization: Bearer x\r\n\r\n`,
        400,
      ],
      [
        'POST /v1/risk/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}',
        400,
      ],
      [`GET /v1/models HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(3000)}\r\n`, 400],
      [`GET /v1/models HTTP/1.1\r\nHost: x\r\n${'field: of some length\r\n'.repeat(3000)}\r\n`, 400],
      ['FOO /v1/models HTTP/1.1\r\nHost: x\r\n\r\n', 404],
      ['PROPFIND /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
      ['QUERY /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
      ['DESCRIBE /v1/models HTTP/1.1\r\nHost: x\r\n\r\n', 404],
      [
        'PUT /v1/aois HTTP/1.1\r\nHost: x\r\nContent-Type: ;;\r\nContent-Length: 1\r\nConnection: close\r\n\r\n{',
        404,
      ],
      ['CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ] as const)
      refusal(parse(await raw(text)), status, text.slice(0, 60));
  });

  test('answers above 1 KiB come as brotli, zstd or gzip where that is accepted, and say the same', async () => {
    const { service, key } = world;
    const plain = await service.call('/v1/models', { key });
    assert.ok(plain.bytes.length > 1024);
    assert.equal(plain.headers['content-encoding'], undefined);
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['zstd', zstdDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const answer = await service.call('/v1/models', { key, headers: { 'accept-encoding': encoding } });
      assert.equal(answer.headers['content-encoding'], encoding);
      assert.ok(answer.bytes.length < plain.bytes.length, encoding);
      assert.equal(decompress(answer.bytes).toString('utf8'), plain.text, encoding);
      assert.equal(answer.headers['etag'], plain.headers['etag'], encoding);
      assert.match(answer.headers['vary'] ?? '', /accept-encoding/i);
      const short = await service.call('/v1/anomalies?limit=1', {
        key,
        headers: { 'accept-encoding': encoding },
      });
      assert.equal(short.headers['content-encoding'], undefined, 'a short answer is not worth it');
    }
    for (const accepted of ['identity', 'deflate;q=0.5, x', 'br;q=0, gzip;q=0, zstd;q=0'])
      assert.equal(
        (await service.call('/v1/models', { key, headers: { 'accept-encoding': accepted } })).text,
        plain.text,
        accepted,
      );
  });

  test('a GET that the caller holds already is 304 without a body; other methods know nothing of it', async () => {
    const { service, key, aoi } = world;
    const path = `/v1/aois/${aoi.id}`;
    const first = await service.call(path, { key });
    const etag = first.headers['etag']!;
    assert.match(etag, /^W\/"[\w-]+"$/);
    assert.equal(first.headers['cache-control'], 'private');
    for (const held of [etag, etag.slice(2), '*', `"other", ${etag}`]) {
      const answer = await service.call(path, { key, headers: { 'if-none-match': held } });
      assert.equal(answer.status, 304, held);
      assert.equal(answer.bytes.length, 0);
      assert.equal(answer.headers['etag'], etag);
      assert.ok(answer.headers['x-request-id']);
    }
    assert.equal((await service.call(path, { key, headers: { 'if-none-match': 'W/"other"' } })).status, 200);
    const headers = { 'if-none-match': '*' };
    const json = { locations: [{ lat: 1, lng: 1, peril: 'flood' }] };
    const posted = await service.call('/v1/risk/batch', { method: 'POST', key, json, headers });
    assert.equal(posted.status, 200);
    assert.equal(posted.headers['etag'], undefined);
    refusal(await service.call('/v1/aois/x', { key, headers }), 404, 'a refusal is never a 304');
  });

  test('a media type that is not offered is answered as JSON', async () => {
    for (const accept of [
      'text/html',
      'image/png',
      'application/geo+json;q=0',
      'application/geo+json;q=x',
      ';;,',
      'x',
      '*/*',
    ]) {
      const answer = await world.service.call('/v1/aois?limit=1', { key: world.key, headers: { accept } });
      assert.equal(answer.status, 200, accept);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', accept);
    }
    const json = await world.service.call('/v1/aois?f=xml', { key: world.key });
    assert.equal(refusal(json, 400, 'f=xml').param, 'f');
  });

  test('a batch of 1,000 equals 1,000 single calls', async () => {
    const { service, key } = world;
    const perils = ['flood', 'storm', 'wildfire', 'subsidence'] as const;
    // Additive sequences (steps: golden ratio and plastic number) spread 992 points evenly over the globe. The last
    // eight locations are two opposite corners of the coordinate range, for each peril.
    const locations = Array.from({ length: 992 }, (_, i) => ({
      lat: Math.asin(((i * 0.618_033_988_75) % 1) * 2 - 1) * (180 / Math.PI),
      lng: ((i * 0.754_877_666_25) % 1) * 360 - 180,
      peril: perils[i % 4]!,
    })).concat(
      perils.flatMap((peril) => [
        { lat: 90, lng: -180, peril },
        { lat: -90, lng: 180, peril },
      ]),
    );
    const batch = await service.call('/v1/risk/batch', { method: 'POST', key, json: { locations } });
    const results = batch.json()['results'] as readonly { risk_score: number; confidence: number }[];
    assert.equal(results.length, 1000);
    // Changes the order of the locations. 7 and 1,000 have no common factor, so every location occurs exactly once.
    const mixed = locations.map((_, i) => (7 * i + 3) % 1000);
    const again = await service.call('/v1/risk/batch', {
      method: 'POST',
      key,
      json: { locations: mixed.map((i) => locations[i]!) },
    });
    assert.deepEqual(
      again.json()['results'],
      mixed.map((i) => results[i]!),
      'in another order',
    );
    const at = async (i: number): Promise<void> => {
      const { lat, lng, peril } = locations[i]!;
      const { model_version: model, ...single } = (
        await service.call(`/v1/risk?lat=${lat}&lng=${lng}&peril=${peril}`, { key })
      ).json();
      assert.deepEqual(single, results[i], JSON.stringify(locations[i]));
      assert.match(String(model), new RegExp(`^${peril}-v`));
    };
    for (let from = 0; from < 1000; from += 20)
      await Promise.all(Array.from({ length: 20 }, (_, i) => at(from + i)));
  });
});
