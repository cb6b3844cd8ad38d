import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { MODEL_VERSION } from '../../src/change/parameters.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { clearedStack } from '../fault/cleared-stack.ts';
import { dropDatabase, emptyDatabase } from '../fixtures/database.ts';
import { square } from '../fixtures/records.ts';
import { releaseBefore } from '../fixtures/release-before.ts';
import { startService, type TestService } from '../fixtures/service.ts';

const VERSION = packageJson.version;
const PAUSE_MS = 30; // pause of each caller between two rounds of calls
const PATIENCE_MS = 300_000; // timeout for the search of the former release, on a busy machine
const BESIDE_MS = 1_000; // time for which both releases answer

test('calls go through the change from the release before to this one, none fails', async (t) => {
  const before = await releaseBefore();
  if (typeof before === 'string') return t.skip(before);
  const databaseUrl = await emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-two-releases-'));
  const nodes: TestService[] = [];
  const over = new AbortController();
  const callers: Promise<void>[] = [];
  t.after(async () => {
    over.abort();
    await Promise.allSettled(callers);
    for (const node of nodes) await node.stop();
    await dropDatabase(databaseUrl);
    await rm(folder, { recursive: true, force: true });
    await before.remove();
  });
  const settings = {
    DATABASE_URL: databaseUrl,
    GROUNDWATCH_DATA: folder,
    GROUNDWATCH_AUTH_URL: 'https://auth.example.com',
  };
  const former = await startService(settings, before.program);
  nodes.push(former);
  await former.cli('accounts', 'create', 'acme');
  const made = await former.cli('keys', 'create', '--account', 'acme', '--scopes', 'all', '--limit', '0');
  const key = String(made['key']);
  const failed: string[] = [];
  let done = 0;
  const aois: string[] = [];

  /** Calls a node in rounds until it is to be stopped. */
  const callInRounds = async (node: TestService, name: string, stop: AbortSignal): Promise<void> => {
    const call = async (wanted: number, path: string, options: Parameters<typeof node.call>[1] = {}) => {
      const answer = await node.call(path, { key, ...options }).catch((error: unknown) => String(error));
      done++;
      if (typeof answer !== 'string' && answer.status === wanted)
        return answer.text === '' ? {} : answer.json();
      failed.push(
        `${name}: ${options.method ?? 'GET'} ${path}: ${typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`}`,
      );
      return {};
    };
    while (!stop.aborted) {
      const geometry = square(Math.random() * 100, Math.random() * 50);
      const aoi = await call(201, '/v1/aois', { method: 'POST', json: { name, geometry } });
      const id = String(aoi['id']);
      aois.push(id);
      await call(200, `/v1/aois/${aois[Math.floor(Math.random() * aois.length)]}`);
      await call(200, '/v1/aois?limit=20');
      await call(200, `/v1/changes?aoi_id=${id}`);
      await call(200, '/v1/anomalies?limit=20');
      await call(200, '/v1/events?limit=20');
      await call(200, '/v1/risk?lat=29.95&lng=-90.07&peril=flood');
      const hook = await call(201, '/v1/webhooks', {
        method: 'POST',
        json: { url: 'https://hooks.example.com/', events: ['*'] },
      });
      await call(200, '/v1/webhooks?limit=5');
      await call(204, `/v1/webhooks/${String(hook['id'])}`, { method: 'DELETE' });
      await call(200, '/v1/keys?limit=5');
      await sleep(PAUSE_MS);
    }
  };
  // The worker of the former release publishes the changes of a collection that it was given, then the present one does:
  // jobs that the present release queues are not seen by the former.
  const stack = clearedStack();
  const values = join(folder, 'values.tif');
  const dates = join(folder, 'dates.csv');
  await writeFile(values, stack.values);
  await writeFile(dates, stack.dates);
  const area = { name: 'cleared', geometry: JSON.parse(stack.area) as unknown };
  const { id: cleared } = (await former.call('/v1/aois', { method: 'POST', key, json: area })).json();
  aois.push(String(cleared));
  const ingest = [
    'ingest',
    'stack',
    '--collection',
    'cleared',
    '--metric',
    'ndvi',
    '--values',
    values,
    '--dates',
    dates,
    '--scale',
    '0.0001',
  ];
  await former.cli(...ingest, '--no-wait');
  const formerOver = new AbortController();
  callers.push(callInRounds(former, before.version, AbortSignal.any([over.signal, formerOver.signal])));
  await sleep(500);
  // The new release migrates the database while the former one answers.
  const present = await startService(settings, undefined, ['--no-worker']);
  nodes.push(present);
  callers.push(callInRounds(present, 'present', over.signal));
  const listed = async (node: TestService): Promise<readonly string[]> => {
    const { changes } = (await node.call(`/v1/changes?aoi_id=${String(cleared)}`, { key })).json();
    return (changes as { readonly id: string }[]).map(({ id }) => id);
  };
  const end = performance.now() + PATIENCE_MS;
  while ((await listed(present)).length === 0) {
    assert.ok(performance.now() < end, `the former release published nothing: ${former.log()}`);
    await sleep(200);
  }
  assert.deepEqual(await listed(former), await listed(present));
  const report = await present.cli(...ingest);
  assert.equal((report['changes'] as { readonly inserted: number }).inserted, 0, JSON.stringify(report));
  const told = new Map<string, string[]>();
  for (let after = ''; ;) {
    const page = (await present.call(`/v1/events?limit=1000${after}`, { key })).json();
    for (const { type, data } of page['events'] as { type: string; data: { id: string } }[])
      told.set(data.id, [...(told.get(data.id) ?? []), type]);
    if (page['next_cursor'] === undefined) break;
    after = `&cursor=${page['next_cursor'] as string}`;
  }
  assert.deepEqual(await listed(former), await listed(present));
  for (const id of await listed(present)) {
    assert.equal(told.get(id)!.filter((type) => type === 'change.detected').length, 1, id);
    const { versions } = (await present.call(`/v1/changes/${id}`, { key })).json() as {
      readonly versions: readonly { readonly software_version: string; readonly model_version: string }[];
    };
    assert.equal(versions.at(-1)!.model_version, MODEL_VERSION);
    assert.deepEqual(
      versions.map(({ software_version: by }) => by),
      [`groundwatch ${before.version}`, `groundwatch ${VERSION}`],
    );
  }
  await sleep(BESIDE_MS);
  const beside = done;
  formerOver.abort();
  await callers[0];
  await former.stop();
  await sleep(500);
  over.abort();
  await Promise.all(callers);
  assert.deepEqual(failed, []);
  assert.ok(
    beside > 100 && done > beside,
    `${done} calls, ${beside} of them until the former release was stopped`,
  );
  // What each release has created is there.
  const created: string[] = [];
  for (let path = '/v1/aois?limit=1000'; ;) {
    const page = (await present.call(path, { key })).json();
    created.push(...(page['aois'] as { id: string }[]).map(({ id }) => id));
    if (page['next_cursor'] === undefined) break;
    path = `/v1/aois?limit=1000&cursor=${page['next_cursor'] as string}`;
  }
  assert.deepEqual(created.toSorted(), aois.toSorted());
  assert.equal((await present.cli('audit', 'verify'))['intact'], true);
});
