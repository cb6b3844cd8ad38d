import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmedEvent } from '../../../../test/fixtures/pixel-event.ts';
import { eventAt, eventCount, packEvents, type PixelEvent } from '../../../change/pixel/pixel-events.ts';
import type { MetricSeries } from './change-task.ts';
import { ScenesChanged } from './scenes-changed.ts';
import { withoutPersistentSnow } from './without-snow.ts';

const NONE = Number.NaN;
/** Snow of pixels 3 to 6 in four scenes. */
const SNOW = [
  [1, 1, 1, NONE],
  [1, 1, NONE, NONE],
  [NONE, NONE, NONE, NONE],
  [1, 1, 1, 1],
].flat();
/** Observations of pixels 3 to 6 in five scenes. */
const CLEAR = [
  [0.2, NONE, NONE, NONE, NONE],
  [0.2, NONE, NONE, NONE, NONE],
  [0.2, 0.3, 0.4, 0.5, 0.6],
  [0.2, 0.3, NONE, NONE, NONE],
].flat();
const DIGESTS = ['a', 'b', 'c', 'd'];

const event = (pixel: number, firstAnomaly: number): PixelEvent =>
  confirmedEvent(pixel, {
    firstAnomaly,
    flagged: 9,
    confirmed: 10,
    posterior: 0.9,
    lastedMs: 86_400_000,
    magnitude: -0.4,
    moves: [
      { residual: -0.4, value: 0.2 },
      { residual: 0.1, value: NONE },
    ],
  });
const EVENTS = [event(3, 5), event(4, 5), event(5, 5), event(5, 7), event(6, 5)];

const series = (snow: MetricSeries['snow']): readonly MetricSeries[] => [
  {
    metric: 'ndvi',
    cubeId: 'col',
    sampleType: 'int16',
    scale: 1,
    offset: 0,
    digests: [],
    at: Int32Array.of(),
    snow,
  },
];
const part = (values: readonly number[], perPixel: number, from: number, to: number) =>
  Float32Array.from(values.slice((from - 3) * perPixel, (to - 3) * perPixel));
const cubes = {
  readStrip: async (cubeId: string, from: number, to: number) => {
    assert.equal(cubeId, 'col-snow');
    const scenes = DIGESTS.map((sha256, t) => ({ key: `s${t}`, timeMs: t, sha256 }));
    return { scenes, values: part(SNOW, 4, from, to) };
  },
};
const reader = { read: async (_: number, from: number, to: number) => part(CLEAR, 5, from, to) };
const kept = async (snow: MetricSeries['snow']): Promise<PixelEvent[]> => {
  const events = await withoutPersistentSnow(cubes, reader, series(snow), 0, packEvents(EVENTS));
  return Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i));
};

test('events of pixels with snow in three quarters of the clear and snowy looks are dropped', async () => {
  // Snow in 3 of 4 looks at pixel 3, 2 of 3 at pixel 4, 0 of 5 at pixel 5 and 4 of 6 at pixel 6.
  const found = await kept({ cubeId: 'col-snow', digests: DIGESTS });
  assert.deepEqual(found, EVENTS.slice(1));
});

test('without a snow cube every event is kept, and nothing is read', async () => {
  assert.deepEqual(await kept(undefined), EVENTS);
});

test('a snow cube that has changed since the task was made ends the search', async () => {
  await assert.rejects(kept({ cubeId: 'col-snow', digests: ['a', 'b', 'c'] }), ScenesChanged);
  await assert.rejects(kept({ cubeId: 'col-snow', digests: ['a', 'b', 'c', 'x'] }), ScenesChanged);
});
