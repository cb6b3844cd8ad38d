import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePlace, parseRoute, routeHref, type Route } from './route.ts';

test('every route is parsed from its own address', () => {
  const routes: readonly Route[] = [
    { pane: 'areas' },
    { pane: 'new-area' },
    { pane: 'area', id: 'aoi_1' },
    { pane: 'change', id: 'chg_1' },
    { pane: 'place', at: undefined },
    { pane: 'place', at: { lat: -46.05, lng: 179.5 } },
    { pane: 'place', at: { lat: 46, lng: 14 }, metric: 'river_flow' },
    { pane: 'watches' },
    { pane: 'watch', id: 'rw_1' },
    { pane: 'anomalies' },
    { pane: 'anomaly', id: 'an_/?#1' },
    { pane: 'incident', id: 'inc_1' },
    { pane: 'events' },
    { pane: 'webhooks' },
    { pane: 'webhook', id: 'wh_1' },
    { pane: 'delivery', webhookId: 'wh_1', id: 'dlv_1' },
    { pane: 'account' },
    { pane: 'members' },
    { pane: 'audit' },
  ];
  for (const route of routes) assert.deepEqual(parseRoute(routeHref(route)), route);
});

test('an address without a page shows the areas, and an unknown one that it is unknown', () => {
  for (const hash of ['', '#', '#/', '#/areas/%E0%A4%A'])
    assert.deepEqual(parseRoute(hash), { pane: 'areas' }, hash);
  for (const hash of ['#/nothing', '#/nothing/x', '#/changes', '#/place/91,0', '#/place/abc'])
    assert.deepEqual(parseRoute(hash), { pane: 'unknown' }, hash);
});

test('a place is a latitude and a longitude in range', () => {
  assert.deepEqual(parsePlace(' 46.05 , 14.47 '), { lat: 46.05, lng: 14.47 });
  assert.deepEqual(parsePlace('-90;180'), { lat: -90, lng: 180 });
  for (const text of ['91,0', '0,181', '46.05', '46.05,14.47,3', 'NaN,0', '1e1,0', ''])
    assert.equal(parsePlace(text), undefined, text);
});
