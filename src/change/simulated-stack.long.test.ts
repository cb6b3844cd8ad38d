// Long file: scenarios of one simulated stack, with the helpers that they share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { sceneContext } from './scene/context.ts';
import { mergeContextSurvey, startContextSurvey, surveyContext } from './scene/context-survey.ts';
import { classEdges, mergeLevelSurvey, startLevelSurvey, surveyLevels } from './scene/levels.ts';
import { mergeLikeSurvey, sceneLevels, startLikeSurvey, surveyLikePixels } from './scene/like-pixels.ts';
import { metricTraits } from './metric.ts';
import { monitorMetrics, monitorStrips } from './monitor.ts';
import { changeObjects } from './object/objects.ts';
import { eventAt, eventCount, joinEvents } from './pixel/pixel-events.ts';
import { noteObserved, objectEvidence } from './object/provenance.ts';
import type { PixelStrip, StackSpec } from './stack.ts';

const NDVI = metricTraits('ndvi')!;
const START_MS = Date.UTC(2015, 0, 3);

/** Uniform numbers in [0, 1) from a seed: mulberry32. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Scenario {
  readonly width?: number;
  readonly height?: number;
  readonly years?: number;
  readonly metric?: string;
  /** Days from scene to scene. */
  readonly everyDays?: number;
  /** Value that is added to the season and the noise, by pixel and time [ms]. */
  readonly effect?: (pixel: number, timeMs: number) => number;
  readonly isMissing?: (pixel: number, timeMs: number) => boolean;
}

interface Stack {
  readonly spec: StackSpec;
  readonly values: Float32Array;
}

/** A scene every 16 days if nothing else is said, 30 m pixels, a season of +-0.1 about 0.7, white noise of .03, 30 % of pixels clouded. */
function simulate(seed: number, scenario: Scenario): Stack {
  const { width = 20, height = 20, years = 5, metric = 'ndvi', everyDays = 16 } = scenario;
  const next = uniform(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const times = Math.floor((years * 365.25) / everyDays);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * everyDays * DAY_MS);
  const values = new Float32Array(width * height * times);
  for (let p = 0; p < width * height; p++) {
    for (let t = 0; t < times; t++) {
      const season = 0.1 * Math.cos((2 * Math.PI * t * everyDays) / 365.25);
      const value = 0.7 + season + 0.03 * normal() + (scenario.effect?.(p, timesMs[t]!) ?? 0);
      const isMissing = next() < 0.3 || scenario.isMissing?.(p, timesMs[t]!) === true;
      values[p * times + t] = isMissing ? Number.NaN : value;
    }
  }
  return { spec: { width, height, pixelAreaM2: 900, metric, timesMs }, values };
}

/** Whether a pixel is in rows 5 to 8 and columns 5 to 8 of a grid that is 20 pixels wide: 16 pixels. */
function isInside(pixel: number): boolean {
  const row = Math.floor(pixel / 20);
  const column = pixel % 20;
  return row >= 5 && row <= 8 && column >= 5 && column <= 8;
}

/** Four of these pixels. */
function isCorner(pixel: number): boolean {
  return isInside(pixel) && Math.floor(pixel / 20) <= 6 && pixel % 20 <= 6;
}

test('white noise: at most a few hundred confirmed pixels per million pixel-years, and no object', () => {
  const { spec, values } = simulate(1, { width: 60, height: 50, years: 8 });
  const { events, objects } = monitorMetrics(spec, { ndvi: values });
  let confirmed = 0;
  for (let i = 0; i < eventCount(events); i++) if (eventAt(events, i).confirmed >= 0) confirmed += 1;
  assert.ok(confirmed / (3000 * 8) < 300e-6, `${confirmed} in 24,000 pixel-years`);
  assert.deepEqual(
    objects.filter((object) => object.confirmedMs !== null),
    [],
  );
});

for (const [name, breakMs, years, lasted] of [
  ['full', Date.UTC(2018, 5, 1), 5, 16],
  ['short', Date.UTC(2015, 8, 1), 2.5, 365],
] as const) {
  test(`a planted loss on a ${name} history is one object with the right pixels, dates and size`, () => {
    const { spec, values } = simulate(2, {
      years,
      effect: (pixel, time) => (isInside(pixel) && time >= breakMs ? -0.3 : 0),
    });
    const { objects } = monitorMetrics(spec, { ndvi: values });
    const confirmed = objects.filter((object) => object.confirmedMs !== null);
    assert.equal(confirmed.length, 1);
    const [loss] = confirmed;
    assert.equal(loss!.type, 'vegetation_loss');
    assert.equal(loss!.status, 'confirmed');
    // With a short history, a few pixels are not found because clouds hide too many of their scenes.
    assert.ok(loss!.pixels.length >= (name === 'full' ? 16 : 14) && loss!.pixels.every(isInside));
    assert.ok(loss!.firstAnomalyMs >= breakMs && loss!.firstAnomalyMs < breakMs + 48 * DAY_MS);
    // A short history cannot distinguish a bad season from a loss, so confirmation takes a whole year. With a full one
    // two scenes of so large a fall suffice, in five neighbours.
    assert.ok(loss!.confirmedMs! >= loss!.firstAnomalyMs + lasted * DAY_MS);
    assert.ok(loss!.confirmedMs! < breakMs + (lasted + 275) * DAY_MS);
    assert.equal(loss!.detectedMs, loss!.confirmedMs);
    assert.equal(loss!.recoveredMs, null);
    assert.ok(Math.abs(loss!.magnitude + 0.3) < 0.05, `magnitude ${loss!.magnitude}`);
    // With a short history, fewer changes of this type are real, so the confidence is lower.
    const [least, most] = name === 'full' ? [0.9, 1] : [0.6, 0.95];
    assert.ok(loss!.confidence > least && loss!.confidence < most, `confidence ${loss!.confidence}`);
  });
}

test('with a short history, sixty-four points of four kinds are enough like pixels for a claim, and twenty-four are not', () => {
  const fallen = START_MS + 230 * DAY_MS;
  const flagged = (points: number): number[] => {
    const { spec, values } = simulate(11, {
      width: points,
      height: 1,
      years: 1,
      effect: (pixel, timeMs) => -0.12 * (pixel % 4) - (pixel === 4 && timeMs >= fallen ? 0.3 : 0),
    });
    const { events } = monitorMetrics(spec, { ndvi: values });
    return Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i).pixel);
  };
  assert.deepEqual(flagged(64), [4]); // 16 pixels of each kind, of which clouds leave 11 visible
  assert.deepEqual(flagged(24), []);
});

test('a step up is a gain on a full history and no claim on a short one', () => {
  const rise = (breakMs: number) => (pixel: number, time: number) =>
    isInside(pixel) && time >= breakMs ? 0.25 : 0;
  const full = simulate(3, { effect: rise(Date.UTC(2018, 5, 1)) });
  const gains = monitorMetrics(full.spec, { ndvi: full.values }).objects.filter(
    (object) => object.confirmedMs !== null,
  );
  assert.deepEqual(
    gains.map((object) => [object.type, object.pixels.length]),
    [['vegetation_gain', 16]],
  );
  const short = simulate(3, { years: 1.5, effect: rise(Date.UTC(2015, 8, 1)) });
  assert.deepEqual(monitorMetrics(short.spec, { ndvi: short.values }).objects, []);
});

test('change types follow the metric, and a metric without types makes no changes', () => {
  const breakMs = Date.UTC(2018, 5, 1);
  const { spec, values } = simulate(4, {
    metric: 'ndbi',
    effect: (pixel, time) => (time >= breakMs && isInside(pixel) ? 0.3 : 0),
  });
  const built = monitorMetrics(spec, { ndbi: values }).objects.filter(
    (object) => object.confirmedMs !== null,
  );
  assert.deepEqual(
    built.map((object) => object.type),
    ['built_up'],
  );
  const falling = monitorMetrics(spec, { ndbi: values.map((value) => -value) }).objects;
  assert.deepEqual(falling, []);
  assert.equal(metricTraits('precipitation'), null);
});

test('a dip of one scene is no change, nor one of 60 days in four pixels; larger and longer ones recover', () => {
  const from = Date.UTC(2018, 4, 1);
  const dip = (days: number): Scenario => ({
    effect: (pixel, time) => (isInside(pixel) && time >= from && time < from + days * DAY_MS ? -0.3 : 0),
  });
  const confirmed = ({ spec, values }: Stack) =>
    monitorMetrics(spec, { ndvi: values }).objects.filter((object) => object.confirmedMs !== null);
  assert.deepEqual(confirmed(simulate(5, dip(15))), []);
  // Five neighbours are confirmed by the second scene of a large fall, and by what lasted for 12 days. Fewer are not.
  const [month] = confirmed(simulate(5, dip(28)));
  assert.equal(month?.status, 'recovered');
  assert.equal(month.recoveredMs, month.confirmedMs! + 96 * DAY_MS); // the first scene after 90 days
  assert.deepEqual(confirmed(simulate(5, { ...dip(10), everyDays: 5 })), []);
  const few = { ...dip(60), effect: (p: number, ms: number) => (isCorner(p) ? dip(60).effect!(p, ms) : 0) };
  assert.deepEqual(confirmed(simulate(5, few)), []);
  assert.deepEqual(
    confirmed(simulate(5, dip(60))).map(({ status }) => status),
    ['recovered'],
  );
  const burnt = simulate(5, dip(210));
  const back = monitorMetrics(burnt.spec, { ndvi: burnt.values }).objects.filter(
    (object) => object.confirmedMs !== null,
  );
  assert.deepEqual(
    back.map((object) => object.status),
    ['recovered'],
  );
  // It ends when most of the season in which it was low has been normal again.
  assert.ok(back[0]!.recoveredMs! > from + 365 * DAY_MS);
  assert.ok(back[0]!.recoveredMs! < from + 510 * DAY_MS);
  // Most of the 16 pixels have the six clear outliers of a confirmation before the value returns.
  assert.ok(back[0]!.pixels.length >= 12 && back[0]!.pixels.every(isInside));
});

test('a fall of the whole scene, months of snow and a long gap make no claim', () => {
  const from = Date.UTC(2018, 4, 1);
  const drought = simulate(6, { effect: (_, time) => (time >= from ? -0.12 : 0) });
  const isWinter = (time: number): boolean => [11, 0, 1, 2].includes(new Date(time).getUTCMonth());
  const snow = simulate(7, {
    effect: (pixel, time) => (isWinter(time) ? -0.4 - 0.2 * ((pixel * 7) % 3) : 0),
  });
  const gap = simulate(8, { years: 7, isMissing: (_, time) => time >= from && time < from + 800 * DAY_MS });
  for (const { spec, values } of [drought, snow, gap]) {
    const { objects } = monitorMetrics(spec, { ndvi: values });
    assert.ok(objects.every((object) => object.confirmedMs === null));
  }
});

test('after a single clear observation a departure is no claim', () => {
  const breakMs = START_MS + 20 * DAY_MS; // after the scenes on days 0 and 16
  const { spec, values } = simulate(9, {
    years: 1.5,
    effect: (pixel, time) => (isInside(pixel) && time >= breakMs ? -0.3 : 0),
    isMissing: (pixel, time) => isInside(pixel) && time < START_MS + 10 * DAY_MS,
  });
  assert.deepEqual(monitorMetrics(spec, { ndvi: values }).objects, []);
});

test('a fully masked stack, one without scenes and one of a single pixel give no object and no error', () => {
  const masked = simulate(10, { years: 3, isMissing: () => true });
  assert.deepEqual(monitorMetrics(masked.spec, { ndvi: masked.values }).objects, []);
  const none = { ...masked.spec, timesMs: new Float64Array(0) };
  assert.deepEqual(monitorMetrics(none, { ndvi: new Float32Array(0) }).objects, []);
  const single = simulate(11, { width: 1, height: 1 });
  assert.deepEqual(monitorMetrics(single.spec, { ndvi: single.values }).objects, []);
  assert.throws(() => monitorMetrics(masked.spec, { ndvi: new Float32Array(3) }), RangeError);
  const unordered = { ...masked.spec, timesMs: masked.spec.timesMs.toReversed() };
  assert.throws(() => monitorMetrics(unordered, { ndvi: masked.values }), RangeError);
});

/**
 * Runs all passes over strips of `size` pixels. In each pass the strips are divided between two surveys and processed
 * out of order.
 */
function monitorInStrips({ spec, values }: Stack, size: number): ReturnType<typeof changeObjects> {
  const times = spec.timesMs.length;
  const strips: PixelStrip[] = [];
  for (let from = 0; from < spec.width * spec.height; from += size) {
    strips.unshift({ from, values: values.slice(from * times, (from + size) * times) });
  }
  const levels = [startLevelSurvey(spec, NDVI), startLevelSurvey(spec, NDVI)] as const;
  for (const [i, strip] of strips.entries()) surveyLevels(levels[i % 2 === 0 ? 0 : 1], spec, strip);
  mergeLevelSurvey(levels[0], levels[1]);
  const edges = classEdges(levels[0], spec);
  const likes = [startLikeSurvey(spec, NDVI, edges), startLikeSurvey(spec, NDVI, edges)] as const;
  for (const [i, strip] of strips.entries()) surveyLikePixels(likes[i % 2 === 0 ? 0 : 1], spec, strip);
  mergeLikeSurvey(likes[0], likes[1]);
  const known = sceneLevels(likes[0], spec, NDVI);
  const surveys = [startContextSurvey(spec, NDVI, known), startContextSurvey(spec, NDVI, known)] as const;
  for (const [i, strip] of strips.entries()) surveyContext(surveys[i % 2 === 0 ? 0 : 1], spec, strip);
  mergeContextSurvey(surveys[0], surveys[1]);
  const context = sceneContext(surveys[0], spec, NDVI);
  const events = joinEvents(strips.map((strip) => monitorStrips(spec, [{ traits: NDVI, context }], [strip])));
  return changeObjects(spec, NDVI, events);
}

test('the result does not depend on how the grid is cut into strips, to the byte', () => {
  const breakMs = Date.UTC(2017, 8, 1);
  const stack = simulate(12, {
    years: 4,
    effect: (pixel, time) => (isInside(pixel) && time >= breakMs ? -0.2 : 0),
  });
  const { objects } = monitorMetrics(stack.spec, { ndvi: stack.values });
  assert.ok(objects.some((object) => object.status === 'confirmed'));
  for (const size of [1, 7, 20, 133]) assert.deepEqual(monitorInStrips(stack, size), objects);
});

test('the evidence of an object repeats the states, sums and scenes of its seed, and a wrong series is refused', () => {
  const breakMs = Date.UTC(2018, 5, 1);
  const { spec, values } = simulate(14, {
    effect: (pixel, time) => (isInside(pixel) && time >= breakMs ? -0.25 : 0),
  });
  const { objects, context } = monitorMetrics(spec, { ndvi: values });
  const loss = objects.find((object) => object.confirmedMs !== null)!;
  const times = spec.timesMs.length;
  const seriesOf = (pixel: number): Float32Array => values.subarray(pixel * times, (pixel + 1) * times);
  const observed = new Uint8Array(times);
  for (const pixel of loss.pixels) noteObserved(observed, seriesOf(pixel));
  const evidence = objectEvidence(
    spec,
    [{ traits: NDVI, context }],
    loss,
    [seriesOf(loss.seed.pixel)],
    observed,
  );
  assert.equal(evidence.baseline.kind, 'harmonic');
  assert.equal(evidence.baseline.coefficients.length, 8);
  assert.ok(
    (evidence.baseline.toMs < loss.seedAnomalyMs && evidence.baseline.fromMs === START_MS) ||
      observed[0] === 1,
  );
  assert.ok(Math.abs(evidence.baseline.scale - 0.03) < 0.015);
  assert.equal(evidence.path[0]!.timeMs, loss.seedAnomalyMs);
  // Its neighbours confirm it before it is certain by itself: from then on, and not before, the state says so.
  const confirmedMs = spec.timesMs[loss.seed.confirmed]!;
  assert.ok(evidence.path.some(({ timeMs }) => timeMs < confirmedMs));
  for (const { timeMs, state } of evidence.path)
    assert.notEqual(state, timeMs < confirmedMs ? 'confirmed' : 'suspected', new Date(timeMs).toISOString());
  for (const used of evidence.scenes) {
    assert.equal(used.role, spec.timesMs[used.scene]! < loss.seedAnomalyMs ? 'baseline' : 'monitoring');
  }
  const other = seriesOf(0); // a pixel outside the clearing, which was not flagged
  assert.throws(() => objectEvidence(spec, [{ traits: NDVI, context }], loss, [other], observed), RangeError);
});
