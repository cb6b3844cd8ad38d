import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { confirmedEvent } from '../../../test/fixtures/pixel-event.ts';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { type PixelEvent, eventAt, eventCount, packEvents } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import { confirmTogether } from './joint-confirmation.ts';

/** A grid of 6 x 5 pixels, with a scene every 30 days. */
const timesMs = Float64Array.from({ length: 40 }, (_, t) => t * 30 * DAY_MS);
const spec: StackSpec = { width: 6, height: 5, pixelAreaM2: 900, metric: 'ndvi', timesMs };

/** A departure that was flagged in scene 12 and is plain since a given scene; -1 if it is not plain. */
function plain(pixel: number, sure: number, overrides: Partial<PixelEvent> = {}): PixelEvent {
  return confirmedEvent(pixel, { status: 'suspected', confirmed: -1, sure, ...overrides });
}

/** A departure that is evident since a given scene, and plain never or since another. */
function evident(pixel: number, scene: number, overrides: Partial<PixelEvent> = {}): PixelEvent {
  return plain(pixel, -1, { evident: scene, ...overrides });
}

/** Confirms events together. Returns pixel, status and scene of the confirmation of each. */
function together(...events: readonly PixelEvent[]): [number, string, number][] {
  const confirmed = confirmTogether(spec, packEvents(events.toSorted((a, b) => a.pixel - b.pixel)));
  return Array.from({ length: eventCount(confirmed) }, (_, i) => eventAt(confirmed, i)).map((event) => [
    event.pixel,
    event.status,
    event.confirmed,
  ]);
}

test('a group is confirmed in the scene in which its third pixel became plain, and later pixels when they do', () => {
  assert.deepEqual(together(plain(0, 16), plain(1, 14), plain(7, 15), plain(2, 20)), [
    [0, 'confirmed', 16],
    [1, 'confirmed', 16],
    [2, 'confirmed', 20],
    [7, 'confirmed', 16],
  ]);
});

test('two neighbours do not suffice, nor does a third that is not plain, is far away or rises', () => {
  const two = [plain(0, 14), plain(1, 15)];
  const unchanged = [
    [0, 'suspected', -1],
    [1, 'suspected', -1],
  ];
  assert.deepEqual(together(...two), unchanged);
  assert.deepEqual(together(...two, plain(2, -1)), [...unchanged, [2, 'suspected', -1]]);
  assert.deepEqual(together(...two, plain(3, 15)), [...unchanged, [3, 'suspected', -1]]);
  assert.deepEqual(together(...two, plain(2, 15, { direction: 1 })), [...unchanged, [2, 'suspected', -1]]);
});

test('events more than a season apart do not confirm each other', () => {
  const later = plain(2, 17, { firstAnomaly: 14, flagged: 15 }); // 120 days after the others
  assert.deepEqual(together(plain(0, 14), plain(1, 15), later), [
    [0, 'suspected', -1],
    [1, 'suspected', -1],
    [2, 'suspected', -1],
  ]);
  const inSeason = plain(2, 17, { firstAnomaly: 13, flagged: 15 }); // 90 days
  assert.deepEqual(
    together(plain(0, 14), plain(1, 15), inSeason).map(([, , confirmed]) => confirmed),
    [17, 17, 17],
  );
});

test('a pixel that was confirmed by itself counts, and keeps its earlier confirmation', () => {
  const alone = plain(0, -1, { status: 'confirmed', confirmed: 13 });
  assert.deepEqual(together(alone, plain(1, 15), plain(2, 16)), [
    [0, 'confirmed', 13],
    [1, 'confirmed', 16],
    [2, 'confirmed', 16],
  ]);
  const late = plain(0, 15, { status: 'confirmed', confirmed: 25 });
  assert.deepEqual(together(late, plain(1, 15), plain(2, 16))[0], [0, 'confirmed', 16]);
});

test('a rejected pixel of a group has recovered, unless it was rejected before the group was confirmed', () => {
  const rejected = (scene: number): PixelEvent => plain(0, 14, { status: 'rejected', rejected: scene });
  const others = [plain(1, 15), plain(2, 16), plain(6, 16)];
  const events = confirmTogether(spec, packEvents([rejected(20), ...others]));
  const { status, confirmed, recovered, rejected: until } = eventAt(events, 0);
  assert.deepEqual([status, confirmed, recovered, until], ['recovered', 16, 20, -1]);
  assert.deepEqual(together(rejected(15), ...others)[0], [0, 'rejected', -1]);
  const back = plain(0, 14, { status: 'recovered', confirmed: 19, recovered: 22 });
  const again = confirmTogether(spec, packEvents([back, ...others]));
  const event = eventAt(again, 0);
  assert.deepEqual([event.status, event.confirmed, event.recovered], ['recovered', 16, 22]);
});

test('no confirmation is dated before the scene in which its evidence was there', () => {
  // Pixels 0, 2 and 4 do not touch. Pixels 1 and 3, which connect them, are plain later.
  const apart = [plain(0, 14), plain(2, 14), plain(4, 14)];
  assert.deepEqual(together(...apart, plain(1, 20), plain(3, 22)), [
    [0, 'confirmed', 20],
    [1, 'confirmed', 20],
    [2, 'confirmed', 20],
    [3, 'confirmed', 22],
    [4, 'confirmed', 22],
  ]);
  // A pixel that was rejected before two others became plain is no evidence for them.
  const gone = plain(0, 14, { status: 'rejected', rejected: 15 });
  assert.deepEqual(together(gone, plain(1, 16), plain(2, 17)), [
    [0, 'rejected', -1],
    [1, 'suspected', -1],
    [2, 'suspected', -1],
  ]);
});

test('events that are confirmed together are not changed by a second time', () => {
  const events = packEvents([
    plain(0, 16),
    plain(1, 14),
    plain(2, 20, { status: 'rejected', rejected: 21 }),
    plain(7, 15),
  ]);
  const once = confirmTogether(spec, events);
  assert.notDeepEqual(once, events);
  assert.deepEqual(confirmTogether(spec, once), once);
  const soon = packEvents([0, 1, 2, 6, 7].map((pixel) => evident(pixel, 13)));
  const sooner = confirmTogether(spec, soon);
  assert.notDeepEqual(sooner, soon);
  assert.deepEqual(confirmTogether(spec, sooner), sooner);
  const empty = packEvents([], 2);
  assert.equal(confirmTogether(spec, empty), empty);
});

test('five evident neighbours confirm each other sooner than three plain ones, and four do not', () => {
  const four = [evident(0, 13), evident(1, 14), evident(2, 13), evident(7, 13)];
  assert.ok(together(...four).every(([, status]) => status === 'suspected'));
  assert.deepEqual(together(...four, evident(8, 15), evident(13, 19)), [
    [0, 'confirmed', 15],
    [1, 'confirmed', 15],
    [2, 'confirmed', 15],
    [7, 'confirmed', 15],
    [8, 'confirmed', 15],
    [13, 'confirmed', 19],
  ]);
  const isPlain = four.map((event) => ({ ...event, sure: 17 }));
  assert.ok(together(...isPlain).every(([, status, scene]) => status === 'confirmed' && scene === 17));
});

test('evident neighbours that were rejected before do not count, nor does a pixel twice', () => {
  const four = [evident(0, 13), evident(1, 14), evident(2, 13), evident(7, 13)];
  const gone = evident(8, 13, { status: 'rejected', rejected: 14, flagged: 11 });
  assert.ok(together(...four, gone).every(([, status]) => status !== 'confirmed'));
  const twice = four.map((event) => ({ ...event, sure: event.pixel === 0 ? 16 : -1 }));
  assert.ok(together(...twice).every(([, status]) => status === 'suspected'));
});

/** Departures and notes at random pixels, scenes and dates. */
function randomEvents(seed: number): PixelEvent[] {
  const next = uniform(seed);
  const upTo = (n: number): number => Math.floor(next() * n);
  return Array.from({ length: 30 }, (_, pixel) => pixel).flatMap((pixel) => {
    if (next() < 0.2) return [];
    const firstAnomaly = 5 + upTo(8);
    const flagged = firstAnomaly + 1 + upTo(3);
    const dates = { firstAnomaly, flagged };
    const direction = next() < 0.2 ? 1 : -1;
    if (next() < 0.4)
      return [
        plain(pixel, -1, { ...dates, evident: flagged, early: true, status: 'rejected', rejected: flagged }),
      ];
    const since = flagged + upTo(6);
    const isRejected = next() < 0.3;
    return [
      plain(pixel, next() < 0.5 ? since + upTo(5) : -1, {
        ...dates,
        direction,
        evident: next() < 0.7 ? since : -1,
        status: isRejected ? 'rejected' : 'suspected',
        rejected: isRejected ? since + 6 + upTo(6) : -1,
      }),
    ];
  });
}

/** What is known of an event in a scene; null before it is flagged. */
function knownAt(event: PixelEvent, scene: number): PixelEvent | null {
  if (event.flagged > scene) return null;
  const known = (at: number): number => (at > scene ? -1 : at);
  const [sure, evident, rejected] = [event.sure, event.evident, event.rejected].map(known) as [
    number,
    number,
    number,
  ];
  return { ...event, sure, evident, rejected, status: rejected < 0 ? 'suspected' : 'rejected' };
}

test('what is confirmed up to a scene does not depend on later scenes', () => {
  let confirmed = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const events = randomEvents(seed);
    const all = together(...events);
    for (let scene = 6; scene < timesMs.length; scene++) {
      const until = ([, , at]: [number, string, number]): boolean => at >= 0 && at <= scene;
      const then = together(...events.flatMap((event) => knownAt(event, scene) ?? [])).filter(until);
      const dates = (found: [number, string, number][]): [number, number][] =>
        found.map(([p, , at]) => [p, at]);
      assert.deepEqual(dates(then), dates(all.filter(until)), `seed ${seed}, scene ${scene}`);
      confirmed += then.length;
    }
  }
  assert.ok(confirmed > 10_000, String(confirmed));
});

test('a departure that was rejected does not keep later ones apart', () => {
  // Pixel 1 joins pixel 0, which is rejected then. The others began within a season of pixel 1, and after that of pixel 0.
  const first = plain(0, 12, { firstAnomaly: 7, flagged: 9, status: 'rejected', rejected: 14 });
  const later = { firstAnomaly: 12, flagged: 14 };
  assert.deepEqual(together(first, plain(1, 13), plain(2, 16, later), plain(7, 17, later)), [
    [0, 'rejected', -1],
    [1, 'confirmed', 17],
    [2, 'confirmed', 17],
    [7, 'confirmed', 17],
  ]);
});
