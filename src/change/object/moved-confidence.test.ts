import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { metricTraits } from '../metric.ts';
import { packEvents, type PixelEvent } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import { experienceOf, movedBy } from './experience.ts';
import { withExperience } from './moved-confidence.ts';
import { changeObjects, type ChangeObject } from './objects.ts';

const YEAR_MS = 365.25 * DAY_MS;
const LAST_MS = 10 * YEAR_MS;
const NDVI = metricTraits('ndvi')!;

/** A change that was confirmed a number of years before the last scene; the model states .9. */
function claim(
  yearsAgo: number,
  over: Partial<Omit<ChangeObject, 'seed'>> & { readonly seed?: Partial<PixelEvent> } = {},
): ChangeObject {
  const confirmedMs = LAST_MS - yearsAgo * YEAR_MS;
  return {
    type: 'vegetation_loss',
    status: 'confirmed',
    confirmedMs,
    recoveredMs: null,
    confidence: 0.9,
    modelConfidence: 0.9,
    claim: { confirmedMs, confidence: 0.9 },
    experience: null,
    ...over,
    seed: { direction: -1, harmonic: true, ...over.seed },
  } as unknown as ChangeObject;
}

/** A change that recovered half a year after its confirmation. */
const passed = (yearsAgo: number, over: Parameters<typeof claim>[1] = {}): ChangeObject =>
  claim(yearsAgo, { status: 'recovered', recoveredMs: LAST_MS - (yearsAgo - 0.5) * YEAR_MS, ...over });

const move = (...objects: readonly ChangeObject[]): readonly ChangeObject[] =>
  withExperience(LAST_MS, NDVI, objects);
const first = (...objects: readonly ChangeObject[]): ChangeObject => move(...objects)[0]!;

const OLD = [passed(2), passed(3), passed(4), claim(5)];

test('a new claim is moved by older claims of its kind, and says by which', () => {
  const { confidence, modelConfidence, experience } = first(claim(0), ...OLD);
  const expected = experienceOf(4, 1, 0.9);
  assert.ok(Math.abs(experience!.stated - 0.9) < 1e-12);
  assert.deepEqual([experience!.claims, experience!.stood, experience!.weight], [4, 1, 1]);
  assert.ok(Math.abs(confidence - movedBy(0.9, expected.shift)) < 1e-12);
  assert.equal(modelConfidence, 0.9);
  assert.ok(confidence < 0.83, `${confidence}`);
  assert.ok(first(claim(0), claim(2), claim(3), claim(4)).confidence > 0.9);
});

test('the shift decreases over a year, and claims whose own fate is known keep the confidence of the model', () => {
  const confidences = [0, 0.25, 0.5, 0.75, 0.999, 1, 2].map((age) => first(claim(age), ...OLD).confidence);
  for (const [i, confidence] of confidences.entries())
    if (i > 0) assert.ok(confidence >= confidences[i - 1]!);
  assert.ok(confidences[0]! < confidences[1]!);
  assert.ok(0.9 - confidences[4]! < 0.001); // no step where the year ends
  assert.deepEqual(confidences.slice(5), [0.9, 0.9]);
  for (const old of move(claim(0), ...OLD).slice(1))
    if (old.recoveredMs === null) assert.deepEqual([old.confidence, old.experience], [0.9, null]);
});

test('without older claims nothing moves; claims of less than a year do not count, even if they have passed', () => {
  const young = [passed(0.9), passed(0.6), claim(0.99)];
  for (const object of move(claim(0), ...young))
    assert.deepEqual([object.confidence, object.experience], [0.9, null]);
  assert.equal(first(claim(0), ...young, claim(1)).experience!.claims, 1);
});

test('types and kinds of baseline have their own experience; a conversion counts as the loss that it began as', () => {
  assert.equal(first(claim(0, { type: 'burn' }), ...OLD).experience, null);
  assert.equal(first(claim(0, { seed: { harmonic: false } }), ...OLD).experience, null);
  const lost = first(claim(0), ...OLD, claim(2, { type: 'conversion' }));
  assert.deepEqual([lost.experience!.claims, lost.experience!.stood], [5, 2]);
  assert.equal(first(claim(0, { type: 'conversion' }), ...OLD).experience!.claims, 4);
  const greened = claim(2, { type: 'conversion', seed: { direction: 1 } });
  assert.equal(first(claim(0), ...OLD, greened).experience!.claims, 4);
});

test('suspicions and alerts are not moved', () => {
  const suspicion = claim(0, { status: 'suspected', confirmedMs: null, claim: null });
  assert.deepEqual(first(suspicion, ...OLD), suspicion);
  const alerts = [claim(0), ...OLD];
  assert.deepEqual(withExperience(LAST_MS, metricTraits('veg_anom')!, alerts), alerts);
});

test('against a short history the highest confidence stays as it is', () => {
  const short = { seed: { harmonic: false } };
  const stood = [2, 3, 4, 5, 6, 7, 8, 9].map((age) => claim(age, short));
  assert.equal(first(claim(0, short), ...stood).confidence, 0.9);
});

test('what has recovered keeps the confidence of its last day whatever comes later', () => {
  const before = first(passed(0.5), ...OLD);
  assert.ok(before.confidence < 0.9);
  assert.equal(before.experience!.claims, 4);
  const years = 3;
  const later = withExperience(LAST_MS + years * YEAR_MS, NDVI, [passed(0.5), ...OLD, claim(0), passed(-1)]);
  assert.deepEqual(later[0], before);
  // A claim that stood then and recovered later counts as it was then.
  const late = claim(5, { status: 'recovered', recoveredMs: LAST_MS + YEAR_MS });
  const [again] = withExperience(LAST_MS + years * YEAR_MS, NDVI, [passed(0.5), ...OLD.slice(0, 3), late]);
  assert.deepEqual(again, before);
});

test('the order of the claims makes no difference', () => {
  const objects = [claim(0), ...OLD, claim(0.5), passed(0.9)];
  const there = move(...objects);
  const back = move(...objects.toReversed()).toReversed();
  for (const [i, { confidence, experience }] of there.entries()) {
    assert.ok(Math.abs(confidence - back[i]!.confidence) < 1e-12);
    assert.equal(experience?.claims, back[i]!.experience?.claims);
  }
});

test('objects of pixels state the confidence that they had when they were confirmed as their claim', () => {
  const timesMs = Float64Array.from({ length: 120 }, (_, t) => t * 30 * DAY_MS);
  const spec: StackSpec = { width: 6, height: 5, pixelAreaM2: 900, metric: 'ndvi', timesMs };
  const event = (pixel: number, at: number, recovered: number): PixelEvent => ({
    pixel,
    direction: -1,
    status: recovered < 0 ? 'confirmed' : 'recovered',
    firstAnomaly: at,
    flagged: at + 2,
    confirmed: at + 3,
    sure: -1,
    evident: -1,
    early: false,
    recovered,
    rejected: -1,
    harmonic: true,
    seasonal: false,
    posterior: 0.99,
    lastedMs: ((recovered < 0 ? 120 : recovered) - at) * 30 * DAY_MS,
    magnitude: -0.2,
    moves: [{ residual: -0.2, value: 0.5 }],
  });
  const old = [0, 1, 2].map((pixel) => event(pixel, 20, 30));
  const young = [18, 19, 20].map((pixel) => event(pixel, 112, -1));
  const [past, now] = changeObjects(spec, NDVI, packEvents([...old, ...young])) as [
    ChangeObject,
    ChangeObject,
  ];
  assert.equal(past.claim!.confirmedMs, timesMs[23]);
  assert.ok(past.claim!.confidence < past.modelConfidence, 'it lasted 90 days then, 300 in the end');
  assert.deepEqual([now.experience!.claims, now.experience!.stood], [1, 0]);
  assert.equal(now.experience!.stated, past.claim!.confidence);
  assert.ok(now.confidence < now.modelConfidence);
  const [alone] = changeObjects(spec, NDVI, packEvents(young));
  assert.deepEqual([alone!.confidence, alone!.experience], [now.modelConfidence, null]);
});
