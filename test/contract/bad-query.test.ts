import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { refusal } from './refusals.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

describe('bad input in paths and queries is told as such, and never a 500', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));
  const get = (path: string) => world.service.call(path, { key: world.key });
  const refuses = async (path: string, param: string | undefined, message?: RegExp): Promise<void> => {
    const error = refusal(await get(path), 400, path);
    assert.equal(error.param, param, path);
    if (message) assert.match(error.message, message);
  };

  test('numbers follow the grammar of JSON and lie in range', async () => {
    for (const lat of [
      'NaN',
      'nan',
      'Infinity',
      '-Infinity',
      '0x10',
      '1e',
      '.5',
      '5.',
      '+5',
      '1_0',
      '1,5',
      '01',
      '--1',

      '',
      '%20',
      '%201',
      '1%20',
      'null',
      'true',
      '[1]',
      '91',
      '-90.0000001',
      '1e400',
      '-1e400',
      '9'.repeat(400),
      '%EF%BC%91',
      '%00',
      '1%00', // the last three values contain a full-width digit 1 or a NUL character
    ])
      await refuses(`/v1/risk?lat=${lat}&lng=4&peril=flood`, 'lat');
    for (const lng of ['180.5', '-181', 'x']) await refuses(`/v1/risk?lat=4&lng=${lng}&peril=flood`, 'lng');
    await refuses('/v1/historical?lat=91&lng=0&metric=ndvi', 'lat', /from -90 to 90, got 91/);
    for (const number of ['5e-7', '-0', '0', '90', '-90', '1E1', '4.0000000000000001', '%31'])
      assert.equal((await get(`/v1/risk?lat=${number}&lng=180&peril=flood`)).status, 200, number);
  });

  test('what is required, unknown, repeated or no value of its kind is named', async () => {
    await refuses('/v1/risk?lng=4&peril=flood', 'lat', /^lat: required/);
    await refuses('/v1/risk?lat=4&peril=flood', 'lng');
    await refuses('/v1/risk?lat=4&lng=4', 'peril');
    await refuses('/v1/changes', 'aoi_id');
    await refuses('/v1/historical?lat=4&lng=4', 'metric');
    await refuses('/v1/risk?lat=4&lng=4&peril=flood&units=m', 'units', /unknown parameter/);
    await refuses('/v1/risk?lat=4&lng=4&peril=flood&__proto__=1', '__proto__');
    await refuses('/v1/risk?lat=4&lng=4&peril=flood&%zz=1', '%zz');
    await refuses('/v1/risk?lat=4&lat=4&lng=4&peril=flood', 'lat', /once, got 2 times/);
    await refuses(`/v1/risk?lat=4&lng=4&peril=flood${'&x=1'.repeat(1500)}`, 'x', /got 1500 times/);
    await refuses('/v1/risk?lat=4&lng=4&peril=flood&explain=1', 'explain');
    await refuses('/v1/risk?lat=4&lng=4&peril=flood&explain=TRUE', 'explain');
    for (const peril of ['Flood', 'FLOOD', 'fire', '', 'flood,storm', '%00'])
      await refuses(`/v1/risk?lat=4&lng=4&peril=${peril}`, 'peril', /flood, subsidence, wildfire, storm/);
    for (const path of [
      '/v1/models?x=1',
      '/v1/metrics?x=1',
      `/v1/anomalies/subscriptions/${newId('subscription')}?x=1`,
    ])
      await refuses(path, 'x');
  });

  test('a box is four numbers in their order', async () => {
    for (const bbox of ['', '1,2,3', '1,2,3,4,5', '1,2,x,4', '1,,3,4', '0x1,2,3,4', '181,0,1,1', '0,5,1,4'])
      await refuses(`/v1/stations?bbox=${bbox}`, 'bbox');
    await refuses('/v1/stations?bbox=1,2,x,4', 'bbox', /four numbers west,south,east,north; got "1,2,x,4"$/);
    for (const bbox of ['179,-1,-179,1', '-180,-90,180,90', '0,0,0,0', '-1e1,0,1.5,1'])
      assert.equal((await get(`/v1/stations?bbox=${bbox}`)).status, 200, bbox);
  });

  test('limits are whole and from 1 to 1,000; of a series to 10,000', async () => {
    for (const list of [
      '/v1/aois?',
      '/v1/anomalies?',
      '/v1/anomalies/subscriptions?',
      '/v1/webhooks?',
      '/v1/stations?',
    ]) {
      for (const limit of ['0', '1001', '1.5', '-1', '', 'all', '1e9'])
        await refuses(`${list}limit=${limit}`, 'limit');
      for (const limit of ['1', '1000', '1e3'])
        assert.equal((await get(`${list}limit=${limit}`)).status, 200, limit);
    }
    await refuses(`/v1/changes?aoi_id=${world.aoi.id}&limit=1001`, 'limit');
    const series = '/v1/historical?lat=46.01&lng=14.01&metric=ndvi&limit=';
    await refuses(`${series}10001`, 'limit');
    assert.equal((await get(`${series}10000`)).status, 200);
  });

  test('nonsense times are refused, real ones taken in every spelling of RFC 3339', async () => {
    const places = [
      `/v1/changes?aoi_id=${world.aoi.id}&since=`,
      `/v1/changes?aoi_id=${world.aoi.id}&published_since=`,
      '/v1/anomalies?since=',
      '/v1/anomalies?published_since=',
      '/v1/historical?lat=46.01&lng=14.01&metric=ndvi&from=',
    ];
    for (const place of places) {
      const name = /(\w+)=$/.exec(place)![1];
      for (const time of [
        '2025-02-30',
        '2025-13-01',
        '2025-00-10',
        '2025-1-1',
        '20250101',
        '2025',
        'yesterday',
        '',
        '0',
        '1735689600',
        '2025-01-01T25:00:00Z',
        '2025-01-01T00:60:00Z',
        '2025-01-01T00:00Z',
        '2025-01-01T00:00:00+24:00',
        '+002025-01-01',
        '-000001-01-01',
        '2025-01-01%00',
        'infinity',
        '-infinity',
        'now',
        'NaN',
      ])
        await refuses(`${place}${time}`, name, /RFC 3339/);
      for (const time of [
        '2025-02-28',
        '2024-02-29',
        '2025-01-01T00:00:00Z',
        '2025-01-01t00:00:00.123456789z',

        '2025-01-01T00:00:00+02:00',
        '2025-01-01T00:00:00%2B02:00',
        '2025-01-01T00:00:00',
        '2016-12-31T23:59:60Z',
        // The earliest times that can be written; the offset moves the second one into the year before 0000. The latest
        // time is tested below.
        '0000-01-01',
        '0000-01-01T00:00:00%2B23:59',
        '0001-01-01',
      ])
        assert.equal((await get(`${place}${time}`)).status, 200, `${place}${time}`);
    }
    for (const place of places.slice(0, 4))
      assert.equal((await get(`${place}9999-12-31T23:59:59-23:59`)).status, 200);
    await refuses('/v1/historical?lat=4&lng=4&metric=ndvi&from=2025-02-01&to=2025-01-01', 'from');
    await refuses('/v1/historical?lat=4&lng=4&metric=ndvi&from=2999-01-01', 'from');
    await refuses('/v1/historical?lat=4&lng=4&metric=ndvi&from=2025-01-02&to=2025-01-01', 'from');
    await refuses('/v1/incidents?since=2025-01-02&until=2025-01-01', 'since');
  });

  test('an unknown metric is told which are known; a known one without observations is an empty series', async () => {
    for (const path of ['/v1/historical?lat=4&lng=4', '/v1/stations?bbox=0,0,1,1']) {
      for (const metric of ['NDVI', 'ndvi%20', 'albedo', '%F0%9F%98%80', '__proto__'])
        await refuses(`${path}&metric=${metric}`, 'metric', /displacement, .*evi, .*moisture.*ndvi/);
      for (const metric of ['%00', 'a%00b', '', 'a'.repeat(101)])
        await refuses(`${path}&metric=${metric}`, 'metric');
    }
    assert.deepEqual((await get('/v1/stations?metric=moisture')).json(), { stations: [] });
    assert.deepEqual((await get('/v1/historical?lat=4&lng=4&metric=moisture')).json(), { series: [] });
    assert.deepEqual((await get('/v1/historical?lat=-60&lng=4&metric=ndvi')).json(), { series: [] });
    assert.deepEqual((await get('/v1/historical?lat=46.01&lng=14.01&metric=ndvi')).json(), {
      series: [
        { t: '2026-01-01', v: 0.5 },
        { t: '2026-01-03', v: 0.7012 },
        { t: '2026-01-04', v: -0.01 },
      ],
    });
  });

  test('a cursor that we did not write is refused by every list, also when its parts look right', async () => {
    const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const days = ['0000-01-01', '9999-12-31T23:59:59-23:59', 'infinity', '2025-02-30', "2025-01-01'--"];
    const lists: readonly (readonly [path: string, forged: readonly unknown[]])[] = [
      [
        '/v1/aois?',
        [
          ['aois'],
          ['aois', 'aoi_1'],
          ['aois', newId('aoi'), 1],
          ['webhooks', newId('webhook')],
          ['aois', '\0'],
        ],
      ],
      [
        '/v1/webhooks?',
        [
          ['webhooks', newId('aoi')],
          ['webhooks', null],
        ],
      ],
      [
        '/v1/anomalies/subscriptions?',
        [
          ['subscriptions', '\ud800'],
          ['aois', newId('aoi')],
        ],
      ],
      [`/v1/changes?aoi_id=${world.aoi.id}&`, days.map((day) => ['changes', day, newId('change')])],
      ['/v1/anomalies?', days.map((day) => ['anomalies', day, newId('anomaly')])],
      [
        '/v1/historical?lat=46.01&lng=14.01&metric=ndvi&',
        [...days.map((day) => ['series', day, '1']), ['series', '2026-01-01T00:00:00.000Z', '-1']],
      ],
    ];
    for (const [path, forged] of lists) {
      for (const cursor of ['x', '%00', '....', 'W10', 'a'.repeat(500), ...forged.map(forge)])
        await refuses(`${path}cursor=${cursor}`, 'cursor');
      await refuses(`${path}cursor=`, 'cursor');
    }
  });

  test('identifiers that are malformed, unknown or of another kind are 404 alike', async () => {
    const ids = [
      'x',
      '1',
      newId('event'),
      newId('request'),
      'chg_',
      `chg_${'z'.repeat(26)}`,
      `chg_${'0'.repeat(25)}`,
    ];
    const odd = ['%00', '%F0%9F%98%80', '..%2f..', "'%20or%201=1--", '%2e%2e', 'a'.repeat(3000), '*', '%25'];
    for (const collection of ['aois', 'changes', 'anomalies', 'anomalies/subscriptions', 'webhooks']) {
      for (const id of [...ids, ...odd])
        refusal(await get(`/v1/${collection}/${id}`), 404, `/v1/${collection}/${id.slice(0, 40)}`);
    }
    for (const id of ids) refusal(await get(`/v1/changes?aoi_id=${id}`), 404, id);
    await refuses('/v1/changes?aoi_id=', 'aoi_id');
    await refuses('/v1/changes?aoi_id=aoi_%00', 'aoi_id');
  });

  test('what is of another account, or of another environment, is 404 and never 403', async () => {
    const { aoi, change, anomalyId, subscriptionId, key, strangerKey, sandboxKey, service } = world;
    const hook = await service.call('/v1/webhooks', {
      method: 'POST',
      key,
      json: { url: 'https://hooks.example.com/theirs', events: ['*'] },
    });
    const webhook = String(hook.json()['id']);
    const calls = [
      ['GET', `/v1/aois/${aoi.id}`],
      ['PATCH', `/v1/aois/${aoi.id}`, { name: 'mine' }],
      ['DELETE', `/v1/aois/${aoi.id}`],
      ['GET', `/v1/changes?aoi_id=${aoi.id}`],
      ['GET', `/v1/changes/${change.id}`],
      ['GET', `/v1/anomalies/${anomalyId}`],
      ['POST', '/v1/anomalies/subscribe', { aoi_id: aoi.id, perils: ['flood'] }],
      ['GET', `/v1/anomalies/subscriptions/${subscriptionId}`],
      ['PATCH', `/v1/anomalies/subscriptions/${subscriptionId}`, { status: 'paused' }],
      ['DELETE', `/v1/anomalies/subscriptions/${subscriptionId}`],
      ['GET', `/v1/webhooks/${webhook}`],
      ['PATCH', `/v1/webhooks/${webhook}`, { status: 'disabled' }],
      ['POST', `/v1/webhooks/${webhook}/test`],
      ['GET', `/v1/webhooks/${webhook}/deliveries`],
      ['DELETE', `/v1/webhooks/${webhook}`],
    ] as const;
    for (const [method, path, json] of calls) {
      for (const other of [strangerKey, sandboxKey])
        refusal(await service.call(path, { method, key: other, json }), 404, `${method} ${path}`);
    }
    for (const other of [strangerKey, sandboxKey]) {
      for (const list of ['/v1/aois', '/v1/webhooks', '/v1/anomalies', '/v1/anomalies/subscriptions']) {
        const answer = (await service.call(list, { key: other })).json();
        assert.deepEqual(Object.values(answer), [[]], `${list} shows what is of others`);
      }
    }
    for (const path of [
      `/v1/aois/${aoi.id}`,
      `/v1/webhooks/${webhook}`,
      `/v1/anomalies/subscriptions/${subscriptionId}`,
    ])
      assert.equal((await get(path)).status, 200, `${path} was touched`);
  });
});
