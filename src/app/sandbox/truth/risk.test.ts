import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlantedEvent } from '../../../sandbox/events.ts';
import { SANDBOX_GRID } from '../../../sandbox/terrain.ts';
import type { Deps } from '../../deps.ts';
import { judgeRisk, perilTruth, rankedShare } from './risk.ts';

const { width, height } = SANDBOX_GRID;

function event(kind: PlantedEvent['kind'], pixels: readonly number[]): PlantedEvent {
  return {
    id: kind,
    kind,
    pixels: Uint32Array.from(pixels),
    since: new Int32Array(pixels.length),
    until: null,
  };
}

/** Pixels of a square. */
function square(col: number, row: number, edge: number): number[] {
  return Array.from(
    { length: edge * edge },
    (_, i) => (row + Math.floor(i / edge)) * width + col + (i % edge),
  );
}

function layer(name: string, valueOf: (col: number, row: number) => number) {
  const samples = Float32Array.from({ length: width * height }, (_, i) =>
    valueOf(i % width, Math.floor(i / width)),
  );
  return { layer: name, samples };
}

/** Maps of grassland with a town in the north-east, the sea in the west, and hills in the south. */
const LAYERS = [
  layer('land-cover', (col, row) => (col < 20 ? 80 : col > 280 && row < 20 ? 50 : 30)),
  layer('hand', (_, row) => (row > 200 ? 40 : 2)),
  layer('elevation', (col, row) => (col < 20 ? Number.NaN : row > 200 ? 60 : 4)),
];
const EVENTS = [
  event('flood', square(100, 90, 5)),
  event('fire', square(200, 150, 5)),
  event('subsidence', square(150, 50, 21)),
];

test('the ranked share is 1 when all exposed places score higher, and 1/2 when all scores are equal', () => {
  assert.equal(rankedShare([0.5, 0.6], [0.1, 0.4]), 1);
  assert.equal(rankedShare([0.2], [0.2, 0.2]), 0.5);
  assert.equal(rankedShare([0.1, 0.5], [0.3]), 0.5);
  assert.equal(rankedShare([], [0.3]), null);
});

test('exposed and safe places follow from the planted events and the maps', () => {
  const truth = perilTruth(EVENTS, LAYERS);
  assert.deepEqual(truth.flood.exposed.pixels, square(100, 90, 5));
  assert.equal(truth.flood.safe.pixels.length, 280 * 99, 'the hills, without the sea');
  assert.equal(truth.wildfire.safe.pixels.length, 19 * 20, 'the town');
  const bowl = truth.subsidence.exposed.pixels;
  assert.ok(bowl.includes(60 * width + 160) && bowl.length < 21 * 21, 'its middle, and not its rim');
  const steady = new Set(truth.subsidence.safe.pixels);
  assert.ok(!steady.has(60 * width + 190) && steady.has(60 * width + 191), '21 pixels from its last');
  assert.match(truth.storm.exposed.what, /SIM-RIDGE/);
  assert.match(truth.storm.safe.what, /SIM-PLAIN/);
});

test('risk scores are compared with the truth; without data nothing is ranked', () => {
  const snapshot = { cards: () => [], reader: () => () => undefined };
  const layers = { snapshot: () => snapshot } as unknown as Deps['layers'];
  const judged = judgeRisk({ layers }, perilTruth(EVENTS, LAYERS));
  assert.deepEqual(
    judged.map(({ peril, places, answered }) => [peril, places, answered]),
    ['flood', 'subsidence', 'wildfire', 'storm'].map((peril) => [peril, 900, 0]),
  );
  for (const { ranked, exposed } of judged) assert.deepEqual([ranked, exposed.meanScore], [null, null]);
});
