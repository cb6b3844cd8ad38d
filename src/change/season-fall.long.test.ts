import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { firstScenes, resume, type Stack } from '../../test/oracles/resumed-passes.ts';
import {
  type CloudyForest,
  simulatedCloudyForest,
  THINNED_MS,
} from '../../test/oracles/simulated-cloudy-forest.ts';
import { becomesPasture } from '../../test/oracles/simulated-savanna.ts';
import { compareWatched } from '../../test/oracles/watched-pixels.ts';
import { objectEvidence } from './object/provenance.ts';
import { NONE } from './stack.ts';
import { eventAt, eventCount, isPlainNote, type PixelEvent, type PixelEvents } from './pixel/pixel-events.ts';

/** Days after the fall until which all four pixels are noted or confirmed. */
const NOTED_DAYS = 60;

/** The only pixel of some forests that is thinned. */
const ONE = 102;

/** Number of scenes until some days after the fall. */
function scenesUntil({ spec }: Stack, days: number): number {
  return spec.timesMs.findIndex((ms) => ms > THINNED_MS + days * DAY_MS);
}

function eventsOf(own: PixelEvents): readonly PixelEvent[] {
  return Array.from({ length: eventCount(own) }, (_, i) => eventAt(own, i));
}

function notesOf(own: PixelEvents): readonly PixelEvent[] {
  return eventsOf(own).filter(isPlainNote);
}

/** Falls since the forest was thinned that are confirmed without neighbours. */
function claimsOf(own: PixelEvents): readonly PixelEvent[] {
  return eventsOf(own).filter(
    ({ pixel, early, confirmed }) => !early && confirmed !== NONE && becomesPasture(pixel),
  );
}

/** What is shown some days after the fall: numbers of thinned pixels and of others, and the confirmed changes. */
function seen(forest: CloudyForest, days: number) {
  const whole = simulatedCloudyForest(forest);
  const stack = firstScenes(whole, scenesUntil(whole, days));
  const { own, objects } = resume(stack, 0, undefined);
  const { isThinned = becomesPasture } = forest;
  const noted = new Set(notesOf(own).map(({ pixel }) => pixel));
  const alone = claimsOf(own);
  const shown = new Set([...noted, ...alone.map(({ pixel }) => pixel)]);
  return {
    thinned: [...shown].filter((pixel) => isThinned(pixel)).length,
    noted: [...noted].filter((pixel) => !isThinned(pixel)).length,
    alone,
    changes: objects.filter(({ confirmedMs }) => confirmedMs !== null),
  };
}

test('a small fall in both metrics that the dry season shows is confirmed', () => {
  const { thinned, noted, alone, changes } = seen({}, NOTED_DAYS);
  assert.deepEqual([thinned, noted, changes.length], [4, 0, 1]);
  assert.ok(alone.length > 0, 'so many low looks are no chance where earlier years had none');
  const [change] = changes;
  assert.ok(change!.seed.direction === -1 && change!.status === 'confirmed');
  assert.ok(change!.pixels.length === 4 && change!.pixels.every(becomesPasture));
  assert.ok(Math.abs(change!.firstAnomalyMs - THINNED_MS) < 30 * DAY_MS);
  assert.ok(change!.magnitude < -0.05 && change!.magnitude > -0.1);
});

test('no neighbour has to confirm it, unless such looks may be chance in a season with some cloud', () => {
  const isThinned = (pixel: number): boolean => pixel === ONE;
  const { alone } = seen({ isThinned }, NOTED_DAYS);
  assert.deepEqual(
    alone.filter(({ pixel }) => pixel === ONE).map(({ early, status }) => [early, status]),
    [[false, 'confirmed']],
  );
  assert.ok(alone[0]!.magnitude < -0.05 && alone[0]!.moves[1]!.residual < -0.05);
  const hazy = seen({ haze: 0.06 }, NOTED_DAYS);
  const [change, ...others] = hazy.changes;
  assert.deepEqual([change!.seed.early, change!.pixels.length, others], [true, 4, []]);
  assert.ok(hazy.alone.length < 4);
});

test('it stands after a year, and is over where the forest is whole again; so its evidence tells', () => {
  const untilMs = THINNED_MS + 150 * DAY_MS;
  for (const [what, forest, days, status, last] of [
    ['alone', {}, 380, 'confirmed', 'confirmed'],
    ['alone', { untilMs }, 480, 'recovered', 'watching'],
    ['together', { haze: 0.06 }, 480, 'confirmed', 'confirmed'],
  ] as const) {
    const whole = simulatedCloudyForest(forest);
    const stack = firstScenes(whole, scenesUntil(whole, days));
    const { objects, followed } = resume(stack, 0, undefined);
    const [change, ...others] = objects.filter(({ confirmedMs }) => confirmedMs !== null);
    assert.deepEqual([change!.status, change!.seed.early, others], [status, what === 'together', []]);
    const times = stack.spec.timesMs.length;
    const { pixel } = change!.seed;
    const series = Object.values(stack.metrics).map((values) =>
      values.subarray(pixel * times, (pixel + 1) * times),
    );
    const observed = new Uint8Array(times).fill(1);
    const { path } = objectEvidence(stack.spec, followed, change!, series, observed);
    assert.equal(path.at(-1)!.state, last, what);
    const since = path.slice(0, -1).filter(({ timeMs }) => timeMs >= change!.confirmedMs!);
    assert.ok(
      since.length > 12 && since.every(({ state }) => state === 'confirmed'),
      `${what}: ${since.length} looks`,
    );
  }
});

test('cloud alone, a season with cloud in earlier years, one metric, or few looks show no fall', () => {
  assert.deepEqual(seen({ size: [0, 0] }, 900), { thinned: 0, noted: 0, alone: [], changes: [] });
  for (const [what, forest] of Object.entries({
    'the dry season is hazy in all years': { haze: 0.5 },
    'moisture stays': { size: [0.07, 0] },
    'NDVI stays': { size: [0, 0.07] },
    'four fifths of the looks are lost': { lost: 0.8 },
  } satisfies Record<string, CloudyForest>))
    assert.equal(seen(forest, NOTED_DAYS).thinned, 0, what);
});

test('the kernel stops where a clear season may show a fall, and where the note of it is open', () => {
  const stack = simulatedCloudyForest({ untilMs: THINNED_MS + 150 * DAY_MS });
  for (const days of [30, NOTED_DAYS]) compareWatched(stack, scenesUntil(stack, days), 3);
});

test('a search that goes on before or after the note has the events and the state of an undisturbed one', () => {
  const stack = simulatedCloudyForest({ untilMs: THINNED_MS + 150 * DAY_MS });
  const whole = resume(stack, 0, undefined);
  assert.ok(notesOf(whole.own).length > 0 && claimsOf(whole.own).length > 0);
  for (const days of [20, 36, NOTED_DAYS]) {
    const since = scenesUntil(stack, days);
    const { left } = resume(firstScenes(stack, since), 0, undefined);
    const gone = resume(stack, since, left);
    assert.deepEqual(gone.own, whole.own, `${days} days`);
    assert.deepEqual(gone.objects, whole.objects);
    assert.deepEqual(gone.left.follow, whole.left.follow);
    // One or two scenes more, of which calm pixels are not followed.
    for (const more of [1, 2]) {
      const next = firstScenes(stack, since + more);
      const each = resume(next, since, left);
      assert.deepEqual(resume(next, since, left, false).own, each.own, `${days} days and ${more} scenes`);
    }
  }
});
