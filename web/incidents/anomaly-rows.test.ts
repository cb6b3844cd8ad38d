import assert from 'node:assert/strict';
import { test } from 'node:test';
import { incidentMembers } from '../../src/contract/example-resources.ts';
import { anomalyRows } from './anomaly-rows.ts';
import { membersInWords } from './incident-words.ts';

const [example] = incidentMembers.anomalies as unknown as Parameters<typeof anomalyRows>[0];

test('anomalies are gathered by their metrics, the most severe first', () => {
  const rain = {
    ...example!,
    metric: 'precipitation',
    severity: 'medium',
    ended_at: '2024-10-08T00:00:00.000Z',
  } as const;
  const river = { ...example!, metric: 'river_flow', severity: 'high', ended_at: null } as const;
  const rows = anomalyRows([
    { ...rain, started_at: '2024-10-05T00:00:00.000Z' },
    { ...river, started_at: '2024-10-07T00:00:00.000Z' },
    {
      ...rain,
      started_at: '2024-10-02T00:00:00.000Z',
      severity: 'low',
      ended_at: '2024-10-04T00:00:00.000Z',
    },
  ]);
  assert.deepEqual(
    rows.map(({ members, ...row }) => ({ ...row, members: members.length })),
    [
      { metric: 'river_flow', severity: 'high', from: '2024-10-07T00:00:00.000Z', to: null, members: 1 },
      {
        metric: 'precipitation',
        severity: 'medium',
        from: '2024-10-02T00:00:00.000Z',
        to: '2024-10-08T00:00:00.000Z',
        members: 2,
      },
    ],
  );
});

test('what an incident consists of, in words', () => {
  assert.equal(membersInWords({ anomaly_count: 11, change_count: 1 }), '11 anomalies and 1 change');
  assert.equal(membersInWords({ anomaly_count: 1, change_count: 0 }), '1 anomaly');
  assert.equal(membersInWords({ anomaly_count: 0, change_count: 3 }), '3 changes');
});
