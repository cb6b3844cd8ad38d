import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RiskWatch, WebhookEvent } from '../../src/client/index.ts';
import { crossingsOf, standingOf } from './watch-crossings.ts';

const watch = (over: Partial<RiskWatch>): RiskWatch => ({
  id: 'rw_1',
  peril: 'flood',
  threshold: 0.7,
  status: 'active',
  risk_score: 0.5,
  confidence: 0.4,
  above: false,
  model_version: 'flood-v1.0.0',
  scored_at: '2026-11-01T00:00:00Z',
  created_at: '2026-11-01T00:00:00Z',
  ...over,
});

const event = (id: string, of: object): WebhookEvent => ({
  id,
  type: 'risk.threshold_exceeded',
  created_at: '2026-11-02T00:00:00Z',
  environment: 'production',
  data: {
    peril: 'flood',
    threshold: 0.7,
    risk_score: 0.72,
    previous_score: 0.5,
    confidence: 0.4,
    model_version: 'flood-v1.0.0',
    ...of,
  },
});

const idsOf = (of: RiskWatch, events: readonly WebhookEvent[]) => crossingsOf(of, events).map(({ id }) => id);

test('a watch has the crossings whose events name it', () => {
  const other: WebhookEvent = {
    id: 'e4',
    type: 'webhook.test',
    created_at: '2026-11-02T00:00:00Z',
    environment: 'production',
    data: {},
  };
  const events = [
    event('e1', { watch_id: 'rw_2', lat: 1, lng: 2 }),
    event('e2', { watch_id: 'rw_1', lat: 1, lng: 2 }),
    event('e3', { subscription_id: 'sub_1', aoi_id: 'aoi_1' }),
    other,
  ];
  assert.deepEqual(idsOf(watch({ lat: 1, lng: 2 }), events), ['e2']);
});

test('a watch of a subscription has the crossings of its peril in its area', () => {
  const events = [
    event('e1', { subscription_id: 'sub_1', aoi_id: 'aoi_1', peril: 'storm' }),
    event('e2', { subscription_id: 'sub_1', aoi_id: 'aoi_1' }),
    event('e3', { subscription_id: 'sub_2', aoi_id: 'aoi_1' }),
  ];
  assert.deepEqual(idsOf(watch({ subscription_id: 'sub_1', aoi_id: 'aoi_1' }), events), ['e2']);
});

test('a watch that is paused or has no data is neither above nor below', () => {
  assert.equal(standingOf(watch({})).word, 'below');
  assert.equal(standingOf(watch({ above: true })).word, 'above threshold');
  assert.equal(standingOf(watch({ above: true, status: 'paused' })).word, 'paused');
  assert.equal(standingOf(watch({ confidence: 0 })).word, 'no data');
});
