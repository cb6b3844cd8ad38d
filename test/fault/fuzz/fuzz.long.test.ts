import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Agent } from 'undici';
import { openApiDocument } from '../../../src/contract/openapi/openapi.ts';
import { startService, type TestService } from '../../fixtures/service.ts';
import { chance, mutate, type RawRequest } from './mutations.ts';

/** Number of requests; for example, `GROUNDWATCH_TEST_FUZZ=100000` sends 100,000 requests. */
const REQUESTS = Number(process.env['GROUNDWATCH_TEST_FUZZ'] ?? 1500);
/** Seed of the random numbers. Every failure message contains the seed and the number of the failed request. */
const SEED = Number(process.env['GROUNDWATCH_TEST_FUZZ_SEED'] ?? 20_261_123);
const AT_ONCE = 8;
const HANG_MS = 60_000; // timeout of one response, on a busy machine
const GROWTH_KIB = 150 * 1024; // maximum growth of the result of `heldKiB` after the first tenth of the requests

/**
 * Returns the requests to mutate: the example of every operation except the event stream, three requests to the OAuth
 * endpoints, and requests of the public pages.
 */
function corpus(key: string): readonly RawRequest[] {
  const document = openApiDocument();
  const json = [
    ['authorization', `Bearer ${key}`],
    ['content-type', 'application/json'],
  ] as const;
  const requests: RawRequest[] = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]): RawRequest[] => {
      const success = operation.responses['200'];
      if (success && 'content' in success && success.content?.['text/event-stream']) return []; // it never ends
      const parameters = (operation.parameters ?? []).filter((one) => 'in' in one);
      let url = path;
      const query: string[] = [];
      for (const { name, in: place, example } of parameters) {
        const value = encodeURIComponent(
          typeof example === 'number' ? example : JSON.stringify(example ?? '').replaceAll('"', ''),
        );
        if (place === 'path') url = url.replace(`{${name}}`, value);
        else if (place === 'query' && example !== undefined) query.push(`${name}=${value}`);
      }
      const example = operation.requestBody?.content['application/json']?.example;
      return [
        {
          method: method.toUpperCase(),
          path: query.length > 0 ? `${url}?${query.join('&')}` : url,
          headers: example === undefined ? json.slice(0, 1) : json,
          body: example === undefined ? undefined : Buffer.from(JSON.stringify(example)),
        },
      ];
    }),
  );
  const form = [['content-type', 'application/x-www-form-urlencoded']] as const;
  for (const body of [
    'grant_type=client_credentials&client_id=cli_01k9q3v8gze7q8w1n5s0t4b6y9&client_secret=x',
    'grant_type=refresh_token&refresh_token=gwrt_x&client_id=cli_01k9q3v8gze7q8w1n5s0t4b6y9',
    'token=x&client_id=cli_01k9q3v8gze7q8w1n5s0t4b6y9',
  ])
    requests.push({
      method: 'POST',
      path: body.startsWith('token') ? '/oauth/revoke' : '/oauth/token',
      headers: form,
      body: Buffer.from(body),
    });
  for (const path of ['/healthz', '/readyz', '/docs', '/openapi.json', '/.well-known/jwks.json'])
    requests.push({ method: 'GET', path, headers: [], body: undefined });
  return requests;
}

/**
 * Creates resources and replaces the identifiers in the examples by the identifiers of these resources, except in
 * DELETE requests, which would delete the resources.
 */
async function withReal(
  service: TestService,
  key: string,
  seeds: readonly RawRequest[],
): Promise<RawRequest[]> {
  const real = new Map<string, string>();
  const settle = (text: string): string =>
    text.replaceAll(/\b(\w+?)_01k9q3v8gze7q8w1n5s0t4b6y\w\b/g, (id, kind: string) => real.get(kind) ?? id);
  for (const path of [
    '/v1/aois',
    '/v1/keys',
    '/v1/clients',
    '/v1/webhooks',
    '/v1/anomalies/subscribe',
    '/v1/risk/watches',
  ]) {
    const seed = seeds.find((one) => one.method === 'POST' && one.path === path);
    if (seed === undefined) continue;
    const made = await service.call(path, { method: 'POST', key, body: settle(seed.body!.toString('utf8')) });
    for (const value of Object.values(made.json()))
      if (typeof value === 'string' && /^\w+_[0-9a-z]{26}$/.test(value))
        real.set(value.split('_')[0]!, value);
  }
  return seeds.map((seed) =>
    seed.method === 'DELETE'
      ? seed
      : {
          ...seed,
          path: settle(seed.path),
          body: seed.body && Buffer.from(settle(seed.body.toString('utf8'))),
        },
  );
}

/**
 * Returns the anonymous memory of the service's process [KiB], without mapped files and shared memory; undefined on
 * systems other than Linux.
 */
function heldKiB({ pid }: TestService): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

test(
  'mutated requests get no 5xx, hang nothing, and leave no memory behind',
  { timeout: 3_600_000 },
  async (t) => {
    const service = await startService();
    t.after(() => service.stop());
    await service.cli('accounts', 'create', 'fuzz');
    const made = await service.cli('keys', 'create', '--account', 'fuzz', '--scopes', 'all', '--limit', '0');
    const key = String(made['key']);
    const seeds = await withReal(service, key, corpus(key));
    const agent = new Agent({ connect: { ca: service.ca }, headersTimeout: HANG_MS, bodyTimeout: HANG_MS });
    t.after(() => agent.destroy());
    const statuses = new Map<number, number>();
    let begun = 0;
    let held: number | undefined;

    const send = async (number: number): Promise<void> => {
      const random = chance(SEED + number);
      const request = mutate(seeds[Math.floor(random() * seeds.length)]!, random);
      const where = `request ${number} of seed ${SEED}: ${request.method} ${request.path.slice(0, 200)}`;
      const { method, path, headers, body } = request;
      const allowed = method !== 'GET' && method !== 'HEAD' && method !== 'TRACE';
      try {
        const answer = await agent.request({
          origin: service.baseUrl,
          path,
          method,
          headers: headers.filter(([name]) => name !== 'expect').flat(),
          ...(allowed && body !== undefined && { body }),
        });
        const text = await answer.body.text();
        assert.ok(
          answer.statusCode < 500,
          `${where} was answered ${answer.statusCode}: ${text.slice(0, 300)}`,
        );
        assert.ok(answer.headers['x-request-id'], `${where} has no request id`);
        const isPlain = answer.headers['content-encoding'] === undefined;
        if (answer.statusCode >= 400 && text !== '' && isPlain) JSON.parse(text);
        statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
      } catch (error) {
        // The HTTP client refuses to send some invalid requests; they count as status 0.
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'UND_ERR_INVALID_ARG') statuses.set(0, (statuses.get(0) ?? 0) + 1);
        else throw new Error(where, { cause: error });
      }
    };
    const worker = async (): Promise<void> => {
      while (begun < REQUESTS) {
        const number = begun++;
        if (number === Math.ceil(REQUESTS / 10)) held = heldKiB(service);
        await send(number);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    assert.equal((await service.call('/readyz')).status, 200);
    assert.doesNotMatch(service.log(), /request failed/);
    t.diagnostic(
      `answers by status: ${JSON.stringify(Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)))}`,
    );
    assert.ok((statuses.get(200) ?? 0) > 0 && (statuses.get(400) ?? 0) > 0, 'every request failed alike');
    const after = heldKiB(service);
    if (held !== undefined && after !== undefined) {
      t.diagnostic(
        `memory: ${Math.round(held / 1024)} MiB after a tenth, ${Math.round(after / 1024)} MiB at the end`,
      );
      assert.ok(after - held < GROWTH_KIB, `it grew by ${after - held} KiB`);
    }
  },
);
