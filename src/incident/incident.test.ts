import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeIncident } from './incident.ts';
import type { Member } from './member.ts';
import { changeSeverity } from './severity.ts';

function member(over: Partial<Member> & { readonly from: string; readonly to?: string | null }): Member {
  const { from, to = from, ...rest } = over;
  return {
    kind: 'anomaly',
    id: 'an_1',
    what: 'precipitation',
    sign: 1,
    peril: 'flood',
    severity: 'medium',
    fromMs: Date.parse(from),
    toMs: to === null ? Infinity : Date.parse(to),
    overMs: to === null ? Infinity : Date.parse(to),
    ground: [14, 46, 14.1, 46.1],
    extent: [14, 46, 14.1, 46.1],
    areas: [{ id: 'aoi_a', name: 'River plain' }],
    areaM2: 0,
    departure: null,
    ...rest,
  };
}
const titleOf = (...members: Member[]): string => describeIncident(members).title;

test('a title says what, where and when', () => {
  const rain = member({ from: '2024-10-05T14:00:00Z', to: '2024-10-08T14:00:00Z', severity: 'critical' });
  const river = member({ from: '2024-10-07', to: '2024-10-17', what: 'river_flow' });
  assert.equal(titleOf(rain, river), 'Heavy rain and high water at River plain, 5 to 17 October 2024');
  assert.equal(titleOf(rain), 'Heavy rain at River plain, 5 to 8 October 2024');
  assert.equal(
    titleOf(member({ from: '2024-09-30', to: '2024-10-02' })),
    'Heavy rain at River plain, 30 September to 2 October 2024',
  );
  assert.equal(
    titleOf(member({ from: '2023-12-30', to: '2024-01-02', what: 'temperature', sign: -1 })),
    'A cold spell at River plain, 30 December 2023 to 2 January 2024',
  );
  assert.equal(
    titleOf(member({ from: '2024-10-05', to: null })),
    'Heavy rain at River plain, since 5 October 2024',
  );
  assert.equal(
    titleOf(member({ from: '2024-10-05', what: 'chlorophyll_a' })),
    'Unusual chlorophyll a at River plain, 5 October 2024',
  );
});

test('a clearing stands until it recovers; what else is over is closed', () => {
  const change = { kind: 'change', peril: null, what: 'vegetation_loss', from: '2024-08-10' } as const;
  const states = (...members: Member[]) => {
    const { status, endMs } = describeIncident(members);
    return [status, endMs === null ? null : new Date(endMs).toISOString().slice(0, 10)];
  };
  const standing = member({ ...change, overMs: Infinity });
  const recovered = member({ ...change, overMs: Date.parse('2025-06-01') });
  const rain = member({ from: '2024-08-05', to: '2024-08-08' });
  assert.deepEqual(states(standing), ['standing', null]);
  assert.deepEqual(states(rain, standing), ['standing', null]);
  assert.deepEqual(states(rain, recovered), ['closed', '2025-06-01']);
  assert.deepEqual(states(member({ from: '2024-08-05', to: null }), standing), ['open', null]);
  assert.equal(titleOf(standing), 'Loss of vegetation at River plain, first seen on 10 August 2024');
});

test('a change of the ground cover was first seen on a day; ground goes on moving', () => {
  const change = { kind: 'change', peril: null } as const;
  assert.equal(
    titleOf(member({ ...change, what: 'burn', from: '2024-08-10' })),
    'Burnt ground at River plain, first seen on 10 August 2024',
  );
  assert.equal(
    titleOf(
      member({ ...change, what: 'burn', from: '2024-08-10' }),
      member({ ...change, what: 'burn', from: '2024-08-15' }),
    ),
    'Burnt ground at River plain, first seen 10 to 15 August 2024',
  );
  assert.equal(
    titleOf(member({ ...change, what: 'ground_subsidence', from: '2023-10-11', to: null })),
    'Sinking ground at River plain, since 11 October 2023',
  );
});

test('a title names the two strongest phenomena and the main area', () => {
  const [plain, ridge, town] = ['River plain', 'Forest ridge', 'Harbour town'].map((name) => ({
    id: name,
    name,
  }));
  const wind = (areas: Member['areas']) =>
    member({ from: '2024-03-17', to: '2024-03-25', what: 'gust', severity: 'high', areas });
  const damp = member({
    from: '2024-03-17',
    to: '2024-03-29',
    what: 'humidity',
    severity: 'low',
    areas: [town!],
  });
  const rain = member({ from: '2024-03-19', to: '2024-03-21', areas: [plain!] });
  assert.equal(
    titleOf(wind([plain!]), wind([ridge!]), wind([ridge!]), damp, rain),
    'Strong wind and heavy rain at Forest ridge and 2 more areas, 17 to 29 March 2024',
  );
  assert.equal(
    titleOf(wind([ridge!, plain!])),
    'Strong wind at Forest ridge and 1 more area, 17 to 25 March 2024',
  );
});

test('severity, perils, kinds, times and ground come from the members', () => {
  const facts = describeIncident([
    member({ from: '2024-10-01', to: '2024-10-03', severity: 'low', peril: 'storm', what: 'gust' }),
    member({ from: '2024-10-02', to: '2024-10-09', severity: 'high', what: 'river_level' }),
    member({
      from: '2024-10-05',
      kind: 'change',
      id: 'chg_small',
      what: 'water_gain',
      peril: null,
      areaM2: 400,
      severity: 'low',
    }),
    member({
      from: '2024-10-06',
      kind: 'change',
      id: 'chg_large',
      what: 'water_gain',
      peril: null,
      areaM2: 900,
      severity: 'low',
      extent: [14.2, 46, 14.3, 46.2],
    }),
  ]);
  const { title: _, ...rest } = facts;
  assert.deepEqual(rest, {
    severity: 'high',
    perils: ['flood', 'storm'],
    kinds: ['gust', 'river_level', 'water_gain'],
    startMs: Date.parse('2024-10-01'),
    status: 'closed',
    endMs: Date.parse('2024-10-09'),
    bounds: [14, 46, 14.3, 46.2],
    areas: [{ id: 'aoi_a', name: 'River plain' }],
    anomalies: 2,
    changes: 2,
    picturedChange: 'chg_large',
  });
});

test('a change counts by its area', () => {
  assert.deepEqual([9_999, 10_000, 99_999, 100_000, 999_999, 1_000_000].map(changeSeverity), [
    'low',
    'medium',
    'medium',
    'high',
    'high',
    'critical',
  ]);
});
