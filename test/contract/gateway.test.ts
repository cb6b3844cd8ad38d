import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';
import { DeclaredAnswers } from './declared-answers.ts';
import { refusal } from './refusals.ts';
import { noLayers, testApp } from '../fixtures/test-app.ts';

test('a deprecated operation goes on working, and announces its end in every answer of its own (RFC 9745, RFC 8594)', async () => {
  const deprecations = {
    listModels: { since: 1_767_225_600, sunset: 1_798_761_600, link: 'https://example.com/changes' },
  };
  await using app = await testApp({ layers: noLayers }, { deprecations });
  const answer = await app.call({ url: '/v1/models' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['deprecation'], '@1767225600');
  assert.equal(answer.headers['sunset'], 'Fri, 01 Jan 2027 00:00:00 GMT');
  assert.equal(answer.headers['link'], '<https://example.com/changes>; rel="deprecation"; type="text/html"');
  const refused = await app.call({ url: '/v1/models?x=1' });
  assert.equal(refused.status, 400);
  assert.equal(refused.headers['deprecation'], '@1767225600');
  const other = await app.call({ url: '/v1/risk' });
  assert.equal(other.headers['deprecation'], undefined);
  assert.equal(other.headers['sunset'], undefined);

  const document = openApiDocument({ deprecations });
  assert.equal(document.paths['/v1/models']!.get!.deprecated, true);
  const listModels = new DeclaredAnswers(document).operations.find(({ path }) => path === '/v1/models')!;
  assert.ok('headers' in listModels.declared.responses['200']!);
});

test('nothing is deprecated today', async () => {
  await using app = await testApp({ layers: noLayers });
  const answer = await app.call({ url: '/v1/models' });
  assert.equal(answer.headers['deprecation'], undefined);
  assert.equal(answer.headers['sunset'], undefined);
});

test('behind a proxy, what came to it over plain HTTP is refused, and its credential told of', async () => {
  const exposed: string[] = [];
  await using app = await testApp(
    { layers: noLayers },
    { trustProxy: ['127.0.0.1'], onExposedCredential: (authorization) => exposed.push(authorization) },
  );
  const via = (proto: string) =>
    app.call({ url: '/v1/models', headers: { 'x-forwarded-proto': proto }, key: 'k' });
  assert.equal((await via('https')).status, 200);
  assert.deepEqual(exposed, []);
  assert.match(refusal(await via('http'), 400, 'plain HTTP to the proxy').message, /https/);
  assert.deepEqual(exposed, ['Bearer k']);
  assert.equal((await via('HTTPS, https')).status, 200);
  // Each proxy may append its protocol to the list. In all these lists, the caller reached the first proxy over plain
  // HTTP.
  for (const proto of ['http, https', 'https,http', 'HTTP', 'http,']) refusal(await via(proto), 400, proto);
});

test('a caller behind proxies that forward ports is one caller, and each proxy is recognised', async () => {
  await using app = await testApp(
    { layers: noLayers },
    { trustProxy: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'] },
  );
  const left = async (addresses: string) => {
    const headers = { 'x-forwarded-for': addresses, 'x-forwarded-proto': 'https' };
    const { headers: answer, statusCode } = await app.app.inject({ url: '/v1/models', headers });
    assert.equal(statusCode, 401);
    return Number(answer['x-ratelimit-remaining']);
  };
  const first = await left('198.51.100.7:40001');
  assert.equal(await left('198.51.100.7:40002'), first - 1);
  assert.equal(await left('198.51.100.7:40003, 10.0.0.5:443'), first - 2);
  assert.equal(await left('203.0.113.9, 198.51.100.7, [2001:db8::5]:443'), first - 3);
  assert.equal(await left('198.51.100.8:40001'), first);
});

test('without a proxy that is trusted, X-Forwarded-Proto says nothing', async () => {
  await using app = await testApp({ layers: noLayers });
  assert.equal((await app.call({ url: '/v1/models', headers: { 'x-forwarded-proto': 'http' } })).status, 200);
});

test('a path that ends where an id belongs names nothing, and says so', async () => {
  await using app = await testApp({ layers: noLayers });
  for (const url of ['/v1/aois/', '/v1/changes/', '/v1/webhooks//deliveries'])
    assert.equal(
      refusal(await app.call({ url: `${url}?a=b` }), 404, url).message,
      `There is nothing at ${url}`,
    );
});

test('browsers may call from the origins listed, and read the headers; from no others, and from none by default', async () => {
  await using app = await testApp({ layers: noLayers }, { corsOrigins: ['https://app.example.com'] });
  const from = (origin: string) => app.call({ url: '/v1/models', headers: { origin } });
  const allowed = await from('https://app.example.com');
  assert.equal(allowed.headers['access-control-allow-origin'], 'https://app.example.com');
  for (const name of [
    'X-Request-Id',
    'X-RateLimit-Reset',
    'Retry-After',
    'Location',
    'Link',
    'Allow',
    'Content-Range',
  ])
    assert.match(allowed.headers['access-control-expose-headers'] ?? '', new RegExp(`\\b${name}\\b`));
  const preflight = await app.call({
    method: 'OPTIONS',
    url: '/v1/models',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' },
  });
  // Without it, browsers ask again after five seconds.
  assert.equal(preflight.headers['access-control-max-age'], '600');
  assert.equal((await from('https://evil.example.com')).headers['access-control-allow-origin'], undefined);
  await using closed = await testApp({ layers: noLayers });
  const answer = await closed.call({ url: '/v1/models', headers: { origin: 'https://app.example.com' } });
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
});

test('readiness says what is missing; liveness does not depend on it', async () => {
  await using app = await testApp({ ready: () => Promise.resolve('the database does not answer') });
  assert.equal((await app.call({ url: '/healthz' })).status, 200);
  const answer = await app.call({ url: '/readyz' });
  assert.equal(answer.status, 503);
  assert.deepEqual(answer.json(), { status: 'not ready', reason: 'the database does not answer' });
});
