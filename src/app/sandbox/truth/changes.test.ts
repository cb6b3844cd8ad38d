import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlantedEvent } from '../../../sandbox/events.ts';
import { dayOf } from '../../../sandbox/weather.ts';
import { isOnEvent, judgeEvent, mapChange, sharedPixels } from './changes.ts';
import type { ChangeRecord } from '../../changes/change-store.ts';

const BEGAN = dayOf(2024, 2, 12);
const clearing: PlantedEvent = {
  id: 'clearing-1',
  kind: 'clearing',
  pixels: Uint32Array.of(1000, 1001, 1002, 1003),
  since: Int32Array.of(BEGAN, BEGAN, BEGAN + 2, BEGAN + 3),
  until: null,
};

function change(over: Partial<ChangeRecord>, runs: readonly number[]): ChangeRecord {
  return {
    type: 'vegetation_loss',
    status: 'confirmed',
    metric: 'ndvi',
    firstAnomalyAt: '2024-02-16',
    confirmedAt: '2024-05-22',
    ...over,
    provenance: { pixels: { seed: runs[0]!, runs } },
  } as unknown as ChangeRecord;
}

test('an event is found by the change that covers most of it, with its lag', () => {
  const changes = [change({}, [1000, 3]), change({ status: 'recovered' }, [1003, 1])].map(mapChange);
  const judged = judgeEvent(clearing, changes, BEGAN + 300);
  assert.deepEqual(judged, {
    id: 'clearing-1',
    kind: 'clearing',
    began: '2024-02-12',
    pixels: 4,
    foundAs: 'vegetation_loss',
    status: 'confirmed',
    share: 1,
    firstAnomalyAt: '2024-02-16',
    confirmedAt: '2024-05-22',
    lagDays: 100,
    whyNot: null,
  });
});

test('changes of another type, elsewhere or only suspected do not find an event, and the reason is given', () => {
  const others = [
    change({ type: 'water_gain' }, [1000, 4]),
    change({}, [2000, 4]),
    change({ status: 'suspected' }, [1000, 2]),
  ].map(mapChange);
  assert.equal(judgeEvent(clearing, others, BEGAN + 300).foundAs, null);
  const why = (event: PlantedEvent, day: number): string | null => judgeEvent(event, others, day).whyNot;
  assert.match(
    why(clearing, BEGAN + 23)!,
    /20 days ago, and a change is confirmed after 90; 50 % of it is suspected/,
  );
  assert.match(why(clearing, BEGAN + 300)!, /4 pixels are too few/);
  const larger = {
    ...clearing,
    pixels: Uint32Array.from({ length: 8 }, (_, i) => 1000 + i),
    since: new Int32Array(8).fill(BEGAN),
  };
  assert.match(why(larger, BEGAN + 300)!, /^missed; 25 % of it is suspected/);
  const flood = { ...larger, kind: 'flood', until: BEGAN + 22 } as const;
  assert.match(judgeEvent(flood, [], BEGAN + 300).whyNot!, /over after 22 days/);
});

test('an event of which less than half is confirmed is missed, and the share is given', () => {
  const wide = {
    ...clearing,
    pixels: Uint32Array.from({ length: 20 }, (_, i) => 1000 + i),
    since: new Int32Array(20).fill(BEGAN),
  };
  const judged = judgeEvent(wide, [mapChange(change({}, [1000, 9]))], BEGAN + 300);
  assert.equal(judged.foundAs, null);
  assert.equal(judged.confirmedAt, null);
  assert.equal(judged.share, 0.45);
  assert.equal(judged.whyNot, 'missed; 45 % of it is confirmed, as vegetation_loss');
  assert.equal(judgeEvent(wide, [mapChange(change({}, [1000, 10]))], BEGAN + 300).whyNot, null);
});

test('a change is correct when half of its pixels lie on events that match its type', () => {
  assert.equal(isOnEvent(mapChange(change({}, [1002, 4])), [clearing]), true);
  assert.equal(isOnEvent(mapChange(change({}, [1003, 4])), [clearing]), false);
  assert.equal(sharedPixels(mapChange(change({ type: 'burn' }, [1000, 4])), [clearing]), 0);
  const early = change({ confirmedAt: '2024-02-11' }, [1000, 4]);
  assert.equal(isOnEvent(mapChange(early), [clearing]), false, 'it was settled the day before');
  assert.equal(judgeEvent(clearing, [mapChange(early)], BEGAN + 300).foundAs, null);
});

test('a radar pixel covers four pixels of the region', () => {
  assert.deepEqual(mapChange(change({ metric: 'displacement' }, [151, 1])).pixels, [602, 603, 902, 903]);
});
