import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookEvent } from '../../src/client/index.ts';
import { eventSubject, KEPT_EVENTS, withEvent } from './event-row.ts';

const testEvent = (id: string): WebhookEvent => ({
  id,
  type: 'webhook.test',
  created_at: '2026-11-01T00:00:00Z',
  environment: 'sandbox',
  data: {},
});

const crossing = (where: object): WebhookEvent => ({
  id: 'evt_1',
  type: 'risk.threshold_exceeded',
  created_at: '2026-11-01T00:00:00Z',
  environment: 'production',
  data: {
    peril: 'flood',
    threshold: 0.5,
    risk_score: 0.618,
    previous_score: 0.4,
    confidence: 0.7,
    model_version: 'flood-v1',
    ...where,
  },
});

test('the newest event comes first, a repeated event is kept once, and the oldest is dropped', () => {
  let known: readonly WebhookEvent[] = [];
  for (let i = 0; i < KEPT_EVENTS + 5; i++) known = withEvent(known, testEvent(`evt_${i}`));
  assert.deepEqual([known.length, known[0]?.id, known.at(-1)?.id], [200, 'evt_204', 'evt_5']);
  assert.equal(withEvent(known, testEvent('evt_100')), known);
});

test('a crossing links to its area, or to its place', () => {
  assert.deepEqual(eventSubject(crossing({ aoi_id: 'aoi_1' })), {
    text: 'Flood: 0.62, above 0.50',
    to: { pane: 'area', id: 'aoi_1' },
  });
  assert.deepEqual(eventSubject(crossing({ watch_id: 'rwt_1', lat: 46, lng: 14.5 })).to, {
    pane: 'place',
    at: { lat: 46, lng: 14.5 },
  });
  assert.equal(eventSubject(crossing({})).to, undefined);
});

test('a test event has no link', () => {
  assert.deepEqual(eventSubject(testEvent('evt_1')), { text: 'Nothing to act on' });
});
