import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVIDENCE_CLASSES, PERILS } from '../contract/vocabulary.ts';
import type { Explanation, LayerMeta, LayerReading, RiskModel } from './assessment.ts';
import { informationOf } from './calibration.ts';
import { LAYER_KINDS } from './layer-kinds.ts';
import { RISK_MODELS } from './models.ts';

const PLACES = 500;
const YEARS = [2, 10, 50, 100, 250];
/** Cell sizes [m], from the widest on. */
const CELLS_M = [28_000, 9277, 1000, 90, 10];
const DATES = ['1990-06-30', '2024-06-30'];
const COVERS = [10, 20, 30, 40, 50];

/** Uniform numbers in (0, 1) from a seed. @see Numerical Recipes, 7.1.4 (Park & Miller 1988) */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** All maps that a layer may have, from wide, old cells to fine, new ones. */
function cardsOf(layer: string): LayerMeta[] {
  const { unit, returnPeriod } = LAYER_KINDS[layer]!;
  const years = returnPeriod === 'none' ? [null] : returnPeriod === 'required' ? YEARS : [null, ...YEARS];
  const rest = { unit, licence: 'none', source: 'test' };
  return CELLS_M.flatMap((resolutionM) =>
    DATES.flatMap((date) =>
      years.map((returnPeriodYears) => ({
        layer,
        version: `${resolutionM} ${date}`,
        returnPeriodYears,
        resolutionM,
        date,
        ...rest,
      })),
    ),
  );
}

/**
 * A value on land that the layer may have.
 * @param base where the place lies within the range of the layer, 0 to 1; all maps of the layer agree on it
 */
function valueOf({ layer, returnPeriodYears }: LayerMeta, base: number): number {
  const kind = LAYER_KINDS[layer]!;
  if (layer === 'permanent-water') return 0;
  if (layer === 'land-cover') return COVERS[Math.floor(base * COVERS.length)]!;
  if (kind.unit === 'class') return kind.range[0] + Math.floor(base * 5);
  const fold = Math.log(returnPeriodYears ?? 10);
  if (layer.endsWith('wind') || layer === 'gust') return 10 + (4 + 4 * base) * fold;
  if (layer.endsWith('flood-depth')) return Math.max(0, base * fold - 2);
  return Math.max(0, kind.range[0]) + Math.min(100, kind.range[1]) * base ** 2;
}

/** Layers of a model, those of the lowest kind of evidence first and those of no kind before them. */
function layersOf({ evidence, layers }: RiskModel): readonly string[] {
  const rank = (layer: string): number => evidence.findIndex((kind) => kind.layers.includes(layer));
  return layers.toSorted((a, b) => rank(a) - rank(b));
}

for (const peril of PERILS) {
  const model = RISK_MODELS[peril];

  test(`${peril}: evidence never falls from none to the best, layer by layer and map by map`, () => {
    const uniform = uniforms(20_261_123);
    const steps = layersOf(model).map(cardsOf);
    const all = steps.flat();
    const assessor = model.prepare(all);
    const reached = new Set<string>();
    for (let place = 0; place < PLACES; place++) {
      const [lat, lng] = [140 * uniform() - 60, 360 * uniform() - 180];
      const readings: LayerReading[] = all.map(() => ({ ok: false, reason: 'outside' }));
      let [rank, bits, at] = [0, 0, 0];
      for (const step of steps) {
        // Not every place has every layer, and not every layer every cell size.
        const isPresent = uniform() < 0.8;
        const base = uniform();
        for (const cell of CELLS_M) {
          for (const card of step) {
            if (card.resolutionM !== cell) continue;
            if (isPresent) readings[all.indexOf(card)] = { ok: true, value: valueOf(card, base) };
          }
          if (!isPresent || uniform() < 0.7) continue;
          const { evidence } = assessor.explain(readings, lat, lng);
          const now = EVIDENCE_CLASSES.indexOf(evidence.class);
          assert.ok(now >= rank, `${step[0]!.layer}, ${cell} m: ${evidence.class}`);
          assert.ok(
            evidence.bits >= bits,
            `${step[0]!.layer}, ${cell} m: ${evidence.bits} after ${bits} bits`,
          );
          [rank, bits, at] = [now, evidence.bits, at + 1];
          reached.add(evidence.class);
        }
      }
    }
    assert.ok(reached.has(model.evidence.at(-1)!.class), [...reached].join(', '));
  });

  test(`${peril}: confidence 0 is the mark of a prior, and every answer lies in its range`, () => {
    const uniform = uniforms(17);
    const all = layersOf(model)
      .flatMap(cardsOf)
      .filter(({ resolutionM }) => resolutionM === 9277);
    const assessor = model.prepare(all);
    for (let place = 0; place < PLACES; place++) {
      const present = new Set(model.layers.filter(() => uniform() < 0.5));
      const base = uniform();
      const readings = all.map((card): LayerReading =>
        present.has(card.layer) ? { ok: true, value: valueOf(card, base) } : { ok: false, reason: 'nodata' },
      );
      const [lat, lng] = [140 * uniform() - 60, 360 * uniform() - 180];
      const found: Explanation = assessor.explain(readings, lat, lng);
      const { confidence, evidence, range, riskScore } = found;
      assert.equal(confidence === 0, evidence.class === 'none', `${confidence} by ${evidence.class}`);
      assert.equal(evidence.basis === '', evidence.class === 'none');
      assert.ok(0 <= range.low && range.low <= riskScore && riskScore <= range.high && range.high <= 1);
      assert.deepEqual(assessor.assess(readings, lat, lng).confidence, confidence);
    }
  });

  test(`${peril}: the information of its kinds of evidence is measured, and ascends`, () => {
    const measured = informationOf(peril);
    assert.deepEqual(
      measured.map(({ name }) => name),
      model.evidence.map(({ name }) => name),
    );
    const ascending = measured.flatMap(({ bits }) => bits.toReversed().map(([, value]) => value));
    assert.ok(ascending.length > 0 && ascending.at(-1)! > ascending[0]!);
    assert.deepEqual(
      ascending,
      ascending.toSorted((a, b) => a - b),
    );
  });
}
