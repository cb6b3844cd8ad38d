import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { DAY_MS } from '../../src/base/time.ts';
import type { ChangeObject } from '../../src/change/object/objects.ts';
import type { EventKind, PlantedEvent } from '../../src/sandbox/events.ts';
import { FIRST_DAY_MS } from '../../src/sandbox/weather.ts';
import { countryside, overlap } from './countryside.ts';
import { followAll } from './engine.ts';

const SEED = 7; // the region of every installation
const LARGEST_FALSE = 20; // pixels
const MOST_FALSE = 15; // change-v0.25.0 confirmed 42 objects off the events, change-v0.26.0 10

describe('the changes of the simulated region at the end of its history', () => {
  let events: readonly PlantedEvent[];
  let objects: readonly ChangeObject[];
  let confirmed: readonly ChangeObject[];
  before(() => {
    const made = countryside(SEED, ['ndvi', 'nbr', 'mndwi']);
    ({ events } = made);
    ({ objects } = followAll(made.stack));
    confirmed = objects.filter(({ status }) => status === 'confirmed');
  });

  /** Confirmed changes on each event of a kind: their types, the share of the event in them, and days until the first. */
  function changesOn(kind: EventKind): [types: readonly string[], share: number, days: number][] {
    return events
      .filter((event) => event.kind === kind)
      .map((event) => {
        const its = confirmed.filter((object) => overlap(object, event) > 0);
        const found = its.reduce((sum, object) => sum + overlap(object, event), 0);
        const begunMs = FIRST_DAY_MS + Math.min(...event.since) * DAY_MS;
        const days = Math.min(...its.map(({ confirmedMs }) => (confirmedMs! - begunMs) / DAY_MS));
        return [its.map(({ type }) => type), found / event.pixels.length, days];
      });
  }

  test('the fire is one burn, with all its pixels, within two months', () => {
    const [[types, share, days]] = changesOn('fire') as [ReturnType<typeof changesOn>[number]];
    assert.deepEqual(types, ['burn']);
    assert.ok(share >= 0.98, `${share} of its pixels`);
    assert.ok(days <= 61, `${days} days`);
  });

  test('each clearing is one loss, the reservoir one gain of water', () => {
    for (const [types, share] of changesOn('clearing')) {
      assert.deepEqual(types, ['vegetation_loss']);
      assert.ok(share >= 0.95, `${share} of its pixels`);
    }
    assert.deepEqual(
      changesOn('reservoir').map(([types, share]) => [types, share >= 0.95]),
      [[['water_gain'], true]],
    );
  });

  test('each building site is one loss: all of the larger one, and the meadows of the smaller one', () => {
    const sites = changesOn('construction');
    assert.deepEqual(
      sites.map(([types]) => types),
      [['vegetation_loss'], ['vegetation_loss']],
    );
    assert.ok(sites[0]![1] >= 0.9, `${sites[0]![1]} of its pixels`);
    // Half of the smaller one was a field whose crop was cut in the same month: bare soil and then roofs.
    assert.ok(sites[1]![1] >= 0.4, `${sites[1]![1]} of its pixels`);
  });

  test('the flood that drained is no change', () => {
    assert.deepEqual(
      changesOn('flood').map(([types]) => types),
      [[]],
    );
  });

  test('little is ever confirmed off the events in the whole region, and nothing large', () => {
    const sizes = objects
      .filter(({ confirmedMs }) => confirmedMs !== null)
      .filter((object) => events.every((event) => overlap(object, event) === 0))
      .map(({ pixels }) => pixels.length);
    assert.ok(sizes.length <= MOST_FALSE, `${sizes.length} objects of ${sizes.join()} pixels`);
    assert.ok(Math.max(0, ...sizes) <= LARGEST_FALSE, `${sizes.join()} pixels`);
  });
});
