import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { confirmedEvent } from '../../../test/fixtures/pixel-event.ts';
import { eventAt, eventCount, packEvents, type PixelEvent } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import { confirmTogether } from './joint-confirmation.ts';

/** A grid of 6 x 5 pixels, with a scene every 30 days. */
function specOf(scenes: number): StackSpec {
  const timesMs = Float64Array.from({ length: scenes }, (_, t) => t * 30 * DAY_MS);
  return { width: 6, height: 5, pixelAreaM2: 900, metric: 'ndvi', timesMs };
}

/** A note of scene 22 that a pixel has departed on both sides since scene 14. */
function note(pixel: number, overrides: Partial<PixelEvent> = {}): PixelEvent {
  return confirmedEvent(pixel, {
    status: 'rejected',
    firstAnomaly: 14,
    flagged: 22,
    confirmed: -1,
    evident: 22,
    early: true,
    rejected: 22,
    seasonal: true,
    posterior: 0.9,
    lastedMs: 240 * DAY_MS,
    magnitude: -0.1,
    moves: [{ residual: -0.1, value: 0.4 }],
    ...overrides,
  });
}

/** The same pixel is back a year after the note. */
function end(pixel: number): PixelEvent {
  return note(pixel, { evident: -1, rejected: 35 });
}

/** A fall of the pixel that is confirmed by itself in scene 25, unless told otherwise. */
function fall(pixel: number, overrides: Partial<PixelEvent> = {}): PixelEvent {
  const own = { firstAnomaly: 20, flagged: 21, confirmed: 25, evident: -1, rejected: -1 };
  return note(pixel, { status: 'confirmed', early: false, seasonal: false, ...own, ...overrides });
}

function together(scenes: number, events: readonly PixelEvent[]): PixelEvent[] {
  const sorted = events.toSorted((a, b) => a.pixel - b.pixel);
  const confirmed = confirmTogether(specOf(scenes), packEvents(sorted));
  const again = confirmTogether(specOf(scenes), confirmed);
  const listed = (of: typeof confirmed): PixelEvent[] =>
    Array.from({ length: eventCount(of) }, (_, i) => eventAt(of, i));
  assert.deepEqual(listed(again), listed(confirmed), 'a second time changes nothing');
  return listed(confirmed);
}

/** A pixel and three of its neighbours; each of the others has the other three beside it too. */
const BLOCK = [7, 8, 13, 14];

test('a pixel is confirmed with three of its eight neighbours, in the scene in which the last of them is evident', () => {
  const last = note(14, { flagged: 24, evident: 24, rejected: 24 });
  const found = together(30, [...[7, 8, 13].map((pixel) => note(pixel)), last]);
  assert.deepEqual(
    found.map(({ pixel, status, firstAnomaly, confirmed, seasonal }) => [
      pixel,
      status,
      firstAnomaly,
      confirmed,
      seasonal,
    ]),
    BLOCK.map((pixel) => [pixel, 'confirmed', 14, 24, true]),
  );
});

test('two neighbours, a row of pixels and notes that began in another season confirm nothing', () => {
  const of = (...pixels: number[]): PixelEvent[] => pixels.map((pixel) => note(pixel));
  assert.deepEqual(together(30, of(7, 8, 13)), []);
  assert.deepEqual(together(30, of(6, 7, 8, 9, 10, 11)), []);
  assert.deepEqual(together(30, [...of(7, 8, 13), note(14, { firstAnomaly: 10 })]), []);
});

test('a note that is over counts no longer, and a change that is over has recovered', () => {
  const late = note(14, { firstAnomaly: 15, flagged: 36, evident: 36, rejected: 36 });
  assert.deepEqual(together(40, [...[7, 8, 13].flatMap((pixel) => [note(pixel), end(pixel)]), late]), []);
  const found = together(
    40,
    BLOCK.flatMap((pixel) => [note(pixel), end(pixel)]),
  );
  assert.deepEqual(
    found.map(({ status, confirmed, recovered }) => [status, confirmed, recovered]),
    BLOCK.map(() => ['recovered', 22, 35]),
  );
});

test('what is confirmed before its note stays as it is, and a later departure takes the dates of its note', () => {
  const rest = [8, 13, 14].map((pixel) => note(pixel));
  const before = fall(7, { confirmed: 21, flagged: 20 });
  assert.deepEqual(together(30, [note(7), before, ...rest])[0], before);

  const [later] = together(30, [note(7), fall(7), ...rest]);
  assert.deepEqual([later!.firstAnomaly, later!.flagged, later!.confirmed], [14, 22, 22]);
  const [suspected] = together(30, [note(7), fall(7, { status: 'suspected', confirmed: -1 }), ...rest]);
  assert.deepEqual([suspected!.status, suspected!.firstAnomaly, suspected!.confirmed], ['confirmed', 14, 22]);
  const ended = fall(7, { status: 'rejected', confirmed: -1, rejected: 27 });
  const [alone, rejected] = together(30, [note(7), ended, ...rest]);
  assert.deepEqual([alone!.firstAnomaly, alone!.status], [14, 'confirmed']);
  assert.deepEqual(rejected, ended);
});

test('neighbours of one change have one direction, which no later scene changes', () => {
  const rise = (pixel: number): PixelEvent => note(pixel, { direction: 1 });
  const found = together(30, [note(7), rise(8), rise(13), rise(14)]);
  assert.deepEqual(
    found.map(({ direction }) => direction),
    [1, 1, 1, 1],
  );
  const late = [15, 19, 20, 21].map((pixel) => note(pixel, { flagged: 25, evident: 25, rejected: 25 }));
  const more = together(30, [note(7), rise(8), rise(13), rise(14), ...late]);
  assert.deepEqual(
    more.map(({ pixel, direction }) => [pixel, direction]),
    [7, 8, 13, 14, 15, 19, 20, 21].map((pixel) => [pixel, 1]),
  );
});

test('a note confirms no departure of another kind', () => {
  const evident = fall(9, { status: 'suspected', confirmed: -1, firstAnomaly: 14, sure: 20 });
  const found = together(30, [...BLOCK.map((pixel) => note(pixel)), evident]);
  assert.equal(found.find(({ pixel }) => pixel === 9)!.status, 'suspected');
});

/** A note of scene 22 that a fall is plain since scene 20, unless told otherwise. */
function plain(pixel: number, overrides: Partial<PixelEvent> = {}): PixelEvent {
  return note(pixel, { firstAnomaly: 20, sure: 22, seasonal: false, ...overrides });
}

/** What the year after such a note has shown: that the pixel still departs, or is back. */
function yearAfter(pixel: number, stands: boolean): PixelEvent {
  return plain(pixel, { evident: -1, rejected: 35, confirmed: stands ? 35 : -1 });
}

test('plain falls are confirmed with two neighbours, and stand or have recovered a year later', () => {
  for (const [ends, status, recovered] of [
    [[], 'confirmed', -1],
    [BLOCK.map((pixel) => yearAfter(pixel, true)), 'confirmed', -1],
    [BLOCK.map((pixel) => yearAfter(pixel, false)), 'recovered', 35],
  ] as const) {
    const found = together(40, [...BLOCK.map((pixel) => plain(pixel)), ...ends]);
    assert.deepEqual(
      found.map((event) => [event.status, event.confirmed, event.recovered, event.direction, event.seasonal]),
      BLOCK.map(() => [status, 22, recovered, -1, false]),
    );
  }
  assert.deepEqual(
    together(
      40,
      [7, 8].map((pixel) => plain(pixel)),
    ),
    [],
  );
});

test('plain falls that began within 200 days of each other are one change, with the date of the first', () => {
  const dates = (...firsts: readonly number[]): readonly unknown[] =>
    together(
      40,
      firsts.map((firstAnomaly, i) => plain(BLOCK[i]!, { firstAnomaly })),
    ).map(({ firstAnomaly, confirmed }) => [firstAnomaly, confirmed]);
  assert.deepEqual(
    dates(20, 20, 14),
    [20, 20, 20].map((first) => [first, 22]),
  );
  assert.deepEqual(
    dates(20, 20, 18),
    [20, 20, 18].map((first) => [first, 22]),
    'a season is near enough',
  );
  assert.deepEqual(dates(20, 20, 13), [], 'two notes, and one of another change');
});

test('what recovers by its own past is confirmed again if like pixels show a year later that it departs', () => {
  const rest = [8, 13, 14].map((pixel) => plain(pixel));
  const statusOf = (recovered: number, ends: readonly PixelEvent[]): string =>
    together(40, [
      plain(7),
      fall(7, { status: 'recovered', confirmed: 23, recovered }),
      ...ends,
      ...rest,
    ]).find(({ pixel }) => pixel === 7)!.status;
  assert.equal(statusOf(30, []), 'recovered', 'the year is not over');
  assert.equal(statusOf(30, [yearAfter(7, true)]), 'confirmed');
  assert.equal(statusOf(30, [yearAfter(7, false)]), 'recovered');
  assert.equal(statusOf(37, [yearAfter(7, true)]), 'recovered', 'it recovered later');
});

test('a note of a plain fall confirms no other departure, and is no part of a rise', () => {
  const evident = fall(9, { status: 'suspected', confirmed: -1, sure: 20 });
  const rise = fall(7, { direction: 1, status: 'suspected', confirmed: -1 });
  const found = together(40, [...BLOCK.map((pixel) => plain(pixel)), evident, rise]);
  assert.equal(found.find(({ pixel }) => pixel === 9)!.status, 'suspected');
  assert.deepEqual(
    found.filter(({ pixel }) => pixel === 7).map(({ status, direction }) => [status, direction]),
    [
      ['confirmed', -1],
      ['suspected', 1],
    ],
  );
});

test('plain rises are confirmed with two neighbours, and notes of falls beside them are none', () => {
  const risen = (pixel: number, overrides: Partial<PixelEvent> = {}): PixelEvent =>
    plain(pixel, { direction: 1, magnitude: 0.1, ...overrides });
  const ofRises = (events: readonly PixelEvent[]): readonly unknown[] =>
    together(40, events).map(({ pixel, direction, status, confirmed, recovered }) => [
      pixel,
      direction,
      status,
      confirmed,
      recovered,
    ]);
  const three = [7, 8, 13].map((pixel) => risen(pixel));
  assert.deepEqual(
    ofRises(three),
    [7, 8, 13].map((pixel) => [pixel, 1, 'confirmed', 22, -1]),
  );
  const back = [7, 8, 13].map((pixel) => risen(pixel, { evident: -1, rejected: 35 }));
  assert.deepEqual(
    ofRises([...three, ...back]),
    [7, 8, 13].map((pixel) => [pixel, 1, 'recovered', 22, 35]),
  );
  assert.deepEqual(ofRises([risen(7), risen(8), plain(13), plain(14)]), []);
  // A pixel may have an open note of each direction: each is confirmed by its own kind.
  assert.deepEqual(
    ofRises([...three, plain(7), plain(14)]),
    [7, 8, 13].map((pixel) => [pixel, 1, 'confirmed', 22, -1]),
  );
  const gain = fall(7, { direction: 1, status: 'suspected', confirmed: -1, firstAnomaly: 21 });
  assert.deepEqual(ofRises([...three, gain])[0], [7, 1, 'confirmed', 22, -1], 'a suspicion begins with it');
});

test('what a pixel claims by its own past is part of a noted change that still departs, more than a year after its onset', () => {
  const rise = { direction: 1, magnitude: 0.1 } as const;
  const notes = [7, 8, 13].map((pixel) => plain(pixel, rise));
  const stands = { ...yearAfter(7, true), ...rise };
  const over = { ...yearAfter(7, false), ...rise };
  const gain = (overrides: Partial<PixelEvent> = {}): PixelEvent =>
    fall(7, { ...rise, firstAnomaly: 33, flagged: 34, confirmed: 36, ...overrides });
  const found = (...events: readonly PixelEvent[]): readonly unknown[] =>
    together(48, [...notes, ...events])
      .filter(({ pixel }) => pixel === 7)
      .map(({ status, firstAnomaly, confirmed, recovered }) => [status, firstAnomaly, confirmed, recovered]);
  const one = [['confirmed', 20, 22, -1]];
  const two = (status = 'confirmed', recovered = -1, late = 33, at = 36): readonly unknown[] => [
    [status, 20, 22, recovered],
    ['confirmed', late, at, -1],
  ];
  assert.deepEqual(found(gain()), one, 'the year after the note is not over');
  assert.deepEqual(found(gain(), stands), one);
  assert.deepEqual(found(gain({ firstAnomaly: 35 }), stands), one, 'in the scene that ends the year');
  assert.deepEqual(found(gain({ confirmed: -1, status: 'suspected' }), stands), one, 'a suspicion');
  assert.deepEqual(
    found(gain({ confirmed: 34 }), over),
    one,
    'it was told as one change before the note was over',
  );
  const ended = gain({ status: 'recovered', recovered: 40 });
  assert.deepEqual(found(ended, stands), [['recovered', 20, 22, 40]], 'it ends as its pixel does');

  assert.deepEqual(found(gain(), over), two('recovered', 35), 'a second rise after the end of the first');
  const late = { firstAnomaly: 37, flagged: 38, confirmed: 40 };
  assert.deepEqual(
    found(gain(late), stands),
    two('confirmed', -1, 37, 40),
    'nothing was known of it by then',
  );
  assert.deepEqual(found(gain({ firstAnomaly: 35 })), two('confirmed', -1, 35, 36), 'and here neither');
  const fallen = gain({ direction: -1 });
  assert.deepEqual(found(fallen, stands), two(), 'a fall is no part of a rise');
  assert.deepEqual(found(gain(), fallen, stands), two(), 'and stays beside one');
});
