import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../base/time.ts';
import { collectionRecord } from '../../../../test/fixtures/records.ts';
import { MemoryCubeStore } from '../../../../test/fakes/memory-cube.ts';
import { bboxOf } from '../../../geo/bbox.ts';
import { mapGrid } from '../../../geo/grid.ts';
import type { AreaGeometry } from '../../../geo/polygon.ts';
import { backtestCollection, type BacktestRequest } from './backtest-collection.ts';
import type { BacktestLabel } from './labels.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { Storage } from '../../storage.ts';

const START_MS = Date.UTC(2016, 0, 4);
const SIDE = 16; // side of the grid [pixels]
const SCENES = 92; // one every 16 days: four years
const BREAK = 69; // number of scenes before the clearing

const COLLECTION = collectionRecord({
  name: 'wood',
  pixelAreaM2: 900,
  grid: {
    ...collectionRecord().grid,
    width: SIDE,
    height: SIDE,
    transform: [14, 0.0003, 0, 46.02, 0, -0.0003],
  },
});
const BREAK_MS = START_MS + BREAK * 16 * DAY_MS;

async function cubeOf(scenes: number): Promise<MemoryCubeStore> {
  const cube = new MemoryCubeStore();
  await cube.create(COLLECTION.id, { width: SIDE, height: SIDE, sampleType: 'int16' });
  for (let t = 0; t < scenes; t++) {
    const samples = Int16Array.from({ length: SIDE * SIDE }, (_, pixel) => {
      const [row, col] = [Math.floor(pixel / SIDE), pixel % SIDE];
      const isCleared = t >= BREAK && row >= 6 && row < 10 && col >= 6 && col < 10;
      const noise = ((pixel * 7919 + t * 104_729) % 601) - 300;
      return (
        7000 + noise + Math.round(800 * Math.sin((2 * Math.PI * t * 16) / 365.25)) - (isCleared ? 3500 : 0)
      );
    });
    await cube.append(COLLECTION.id, { key: `s${t}`, timeMs: START_MS + t * 16 * DAY_MS }, samples);
  }
  return cube;
}

/** A label at the centre of the pixel in a row and column. */
function point(id: string, row: number, col: number, label: string, fromMs: number | null): BacktestLabel {
  const position = mapGrid(COLLECTION.grid).pixelCentre(row * SIDE + col);
  return { id, place: { kind: 'point', position }, fromMs, toMs: null, label };
}

function area(id: string, [north, south, west, east]: readonly number[], label: string): BacktestLabel {
  const [lng, lat] = [
    (col: number): number => 14 + 0.0003 * col,
    (row: number): number => 46.02 - 0.0003 * row,
  ];
  const geometry: AreaGeometry = {
    type: 'Polygon',
    coordinates: [
      [
        [lng(west!), lat(south!)],
        [lng(east!), lat(south!)],
        [lng(east!), lat(north!)],
        [lng(west!), lat(north!)],
        [lng(west!), lat(south!)],
      ],
    ],
  };
  return {
    id,
    place: { kind: 'area', geometry, bounds: bboxOf(geometry) },
    fromMs: BREAK_MS,
    toMs: null,
    label,
  };
}

const REQUEST: BacktestRequest = {
  collection: 'wood',
  environment: 'production',
  accountId: null,
  metric: undefined,
  labelsPath: 'labels.csv',
  graceDays: 30,
  fromMs: null,
};

async function backtest(labels: readonly BacktestLabel[], request = REQUEST, scenes = SCENES) {
  const collections = [COLLECTION].filter(({ name }) => name === request.collection);
  const storage = { collections: { byName: async () => collections } } as unknown as Storage;
  const cube = await cubeOf(scenes);
  return backtestCollection(
    { storage, cube, labels: { readLabels: async () => labels } },
    request,
    () => undefined,
  );
}

const LABELS = [
  point('inside', 7, 7, 'vegetation_loss', BREAK_MS),
  point('wrong date', 8, 8, 'vegetation_loss', BREAK_MS + 120 * DAY_MS),
  point('still', 2, 2, 'none', null),
  point('said to be still', 9, 9, 'none', null),
  area('clearing', [6, 10, 6, 10], 'vegetation_loss'),
  area('mostly wood', [0, 10, 0, 10], 'vegetation_loss'),
];

test('point and polygon labels against a simulated clearing: counts and area-weighted accuracies', async () => {
  const { position } = point('x', 0, 0, 'none', null).place as { position: readonly [number, number] };
  const off = {
    ...LABELS[2]!,
    id: 'off',
    place: { kind: 'point' as const, position: [position[0] + 9, 46] as const },
  };
  const report = await backtest([...LABELS, off]);
  assert.deepEqual(report.outside, ['off']);
  assert.deepEqual(
    report.outcomes.map(({ label, mapped }) => [label.id, mapped]),
    [
      ['inside', 'vegetation_loss'],
      ['wrong date', 'none'],
      ['still', 'none'],
      ['said to be still', 'vegetation_loss'],
      ['clearing', 'vegetation_loss'],
      ['mostly wood', 'none'],
    ],
  );
  const loss = report.classes.find(({ label }) => label === 'vegetation_loss')!;
  assert.deepEqual([loss.mapped, loss.labelled, loss.right, loss.mappedAreaM2], [3, 4, 2, 16 * 900]);
  assert.ok(Math.abs(loss.users.value! - 2 / 3) < 1e-12);
  // Weighted by area: 2/3 of the 16 pixels mapped as loss are right, and 2/3 of the other 240 are missed losses.
  assert.ok(Math.abs(loss.producers.value! - ((2 / 3) * 16) / ((2 / 3) * 16 + (2 / 3) * 240)) < 1e-12);
  assert.equal(report.lag.count, 2);
  // Neighbours confirm so large a fall of forest by its second scene, and a scene comes every 16 days.
  assert.equal(report.lag.meanDays, 16);
});

test('the detection of a change does not depend on later scenes', async () => {
  const whole = await backtest(LABELS.slice(0, 1));
  const until = BREAK + Math.ceil(whole.lag.meanDays! / 16) + 1;
  assert.ok(until < SCENES);
  const cut = await backtest(LABELS.slice(0, 1), REQUEST, until);
  assert.deepEqual(cut.lagsDays, whole.lagsDays);
  const before = await backtest(LABELS.slice(0, 1), REQUEST, until - 2);
  assert.deepEqual(before.lagsDays, []);
});

test('changes confirmed before the start of scoring are ignored, and the history of the reference methods ends there', async () => {
  const labels = [point('inside', 7, 7, 'vegetation_loss', BREAK_MS), point('still', 2, 2, 'none', null)];
  const scored = async (fromMs: number | null) => backtest(labels, { ...REQUEST, fromMs });
  const { references, outcomes } = await scored(null);
  assert.deepEqual(
    outcomes.map(({ mapped }) => mapped),
    ['vegetation_loss', 'none'],
  );
  // The request has no start of scoring, so the reference methods start at the earliest label.
  assert.equal(references!.fromMs, BREAK_MS);
  assert.deepEqual(
    references!.reports.map(({ method }) => method.name),
    ['BFAST Monitor', 'EWMA', 'CuSum'],
  );
  for (const { method, classes, lag } of references!.reports) {
    const { mapped, labelled, right, mappedAreaM2 } = classes[0]!;
    assert.deepEqual([mapped, labelled, right], [1, 1, 1], method.name);
    assert.ok(mappedAreaM2 >= 16 * 900 && mappedAreaM2 < 60 * 900, `${method.name}: ${mappedAreaM2}`);
    // A sudden loss of half of the green crosses the boundaries of the two charts at once. The sum over the whole
    // history needs some scenes more.
    assert.ok(
      method.key === 'cusum' ? lag.meanDays! <= 64 : lag.meanDays === 0,
      `${method.name}: ${lag.meanDays}`,
    );
  }
  const late = await scored(BREAK_MS + 320 * DAY_MS);
  assert.deepEqual(
    late.outcomes.map(({ mapped }) => mapped),
    ['none', 'none'],
  );
  assert.equal(late.references!.fromMs, BREAK_MS + 320 * DAY_MS);
  const undated = await backtest([labels[1]!]);
  assert.equal(undated.references, null);
});

test('an unknown collection, an unknown metric and labels outside the grid are refused', async () => {
  const refused = (labels: readonly BacktestLabel[], request: Partial<BacktestRequest>) =>
    assert.rejects(backtest(labels, { ...REQUEST, ...request }), InvalidInput);
  await refused(LABELS, { collection: 'none such' });
  await refused(LABELS, { metric: 'nbr' });
  await refused([{ ...LABELS[0]!, place: { kind: 'point', position: [0, 0] } }], {});
});
