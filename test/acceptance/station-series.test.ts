import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startService, type TestService } from '../fixtures/service.ts';

const DAY_MS = 86_400_000;

describe('a feed of a station, through a service started as a user starts it', () => {
  let service: TestService;
  let folder: string;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-station-'));
    await chmod(folder, 0o755); // PostgreSQL runs as another user when the tests run as root
    // In a data folder of its own, the service makes its database itself.
    service = await startService({ GROUNDWATCH_DATA: join(folder, 'data') });
    await service.cli('accounts', 'create', 'river');
    ({ key } = (await service.cli('keys', 'create', '--account', 'river', '--scopes', 'all')) as {
      key: string;
    });
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  const get = async (path: string) => {
    const answer = await service.call(path, { key });
    return { status: answer.status, body: answer.json() };
  };
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  test('is in the series, the metrics, the list of collections and the measurements of the service', async () => {
    const now = Date.now();
    const days = Array.from({ length: 60 }, (_, i) =>
      new Date(now - (80 - i) * DAY_MS).toISOString().slice(0, 10),
    );
    const path = await file(
      'flow.csv',
      `Tag;Abfluss\n${days.map((date, i) => `${date};${i},5`).join('\n')}\n`,
    );
    const options = [
      '--collection',
      'river',
      '--metric',
      'river_flow',
      '--file',
      path,
      '--lat',
      '46',
      '--lng',
      '14',
    ];
    const told = await service.cli(
      'ingest',
      'points',
      ...options,
      '--column',
      'Abfluss',
      '--time',
      'Tag',
      '--unit',
      'l/s',
    );
    assert.deepEqual(
      [told['stations'], told['observations'], told['added'], told['unit']],
      [1, 60, 60, 'l/s'],
    );
    assert.match(String(told['form']), /decimal commas/);

    const near = await get(`/v1/historical?lat=46.02&lng=14&metric=river_flow&to=${days[1]}`);
    assert.deepEqual(near, {
      status: 200,
      body: {
        series: [
          { t: days[0], v: 0.0005 },
          { t: days[1], v: 0.0015 },
        ],
      },
    });
    assert.deepEqual(
      (await get('/v1/historical?lat=46.1&lng=14&metric=river_flow')).body,
      { series: [] },
      'out of its reach',
    );
    const { metrics } = (await get('/v1/metrics')).body as unknown as {
      metrics: readonly { key: string; collections: number; perils: readonly string[]; reach_m: number }[];
    };
    const card = metrics.find(({ key: name }) => name === 'river_flow')!;
    assert.deepEqual([card.collections, card.perils, card.reach_m], [1, ['flood'], 5000]);

    const { collections } = (await service.cli('collections', 'list')) as unknown as {
      collections: readonly Record<string, unknown>[];
    };
    assert.deepEqual(
      collections.map(({ name, kind, stations, observations, to, silent }) => [
        name,
        kind,
        stations,
        observations,
        to,
        silent,
      ]),
      [['river', 'points', 1, 60, days.at(-1), false]],
      'what is three weeks old was a record, not a feed',
    );
    assert.deepEqual((await service.cli('collections', 'check', '--collection', 'river'))['whole'], true);
    const metricsText = await service.call('/metrics');
    assert.match(metricsText.text, /groundwatch_feeds_silent 0\n/);
  });

  test('that cannot be used is refused by the command, with the place', async () => {
    const path = await file('bad.csv', 'date,wind\n2020-01-01,3\n2020-13-01,4\n');
    await assert.rejects(
      service.cli(
        'ingest',
        'points',
        '--collection',
        'bad',
        '--metric',
        'wind',
        '--file',
        path,
        '--lat',
        '46',
        '--lng',
        '14',
      ),
      /ended with code 2: .*bad\.csv, line 3, time: .*got \\?"2020-13-01/s,
    );
    await assert.rejects(
      service.cli('collections', 'check', '--collection', 'bad'),
      /There is no collection bad/,
    );
  });

  test('is removed with all it holds', async () => {
    const told = await service.cli('collections', 'remove', '--collection', 'river');
    assert.deepEqual(told['removed'], ['river_flow']);
    assert.deepEqual((await get('/v1/historical?lat=46&lng=14&metric=river_flow')).body, { series: [] });
  });
});
