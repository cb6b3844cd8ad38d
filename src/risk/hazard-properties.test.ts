import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading, Peril } from './assessment.ts';
import { layerKind } from './layer-kinds.ts';
import { RISK_MODELS } from './models.ts';

const YEARS = [10, 50, 100, 500] as const;
const TRIALS = 150; // number of trials for each layer
const STEPS = 8; // number of increases of the layer's value in each trial

/** Layers whose value raises (1) or lowers (-1) a score, with the range of values that the test covers. */
const SIGNS: Readonly<
  Partial<Record<Peril, Readonly<Record<string, readonly [sign: 1 | -1, least: number, most: number]>>>>
> = {
  flood: {
    'flood-depth': [1, 0, 4],
    'coastal-flood-depth': [1, 0, 4],
    'flood-protection': [-1, 0, 900],
    'coast-level': [1, 0, 8],
    'sea-level': [1, 0, 8],
    'settled-height': [-1, -2, 2],
    'settled-bank': [-1, -2, 2],
    'settled-major-bank': [-1, -2, 2],
    'river-stage': [1, 0, 3],
    hand: [-1, 0, 40],
    'upstream-area': [1, 0.1, 1e6],
    elevation: [-1, 0, 60], // near the sea a cell below 0 counts as a mixture with the sea
    'coast-distance': [-1, 0, 79],
    'water-distance': [-1, 0, 60],
    'major-river-distance': [-1, 0, 60],
    'height-above-water': [-1, 0, 60],
  },
  storm: {
    gust: [1, 15, 60],
    'sea-wind': [1, 10, 45],
    'cyclone-wind': [1, 0, 80],
    'coast-distance': [-1, 0, 79],
  },
  wildfire: {
    'fire-danger': [1, 0, 80],
    'fire-severity': [1, 0, 40],
    'burn-history': [1, 0, 0.2],
    'fire-frequency': [1, 0, 2],
    slope: [1, 0, 45],
  },
  subsidence: { 'velocity-gradient': [1, 0, 2], 'soil-clay': [1, 0, 80] },
};

/**
 * Layers of water levels: undefended buildings stand above their level of ten years, so that this map alone, without the
 * rarer ones, may lower the score.
 */
const BUILT_ABOVE = new Set(['coast-level', 'sea-level', 'river-stage']);

/** Whether the maps of a layer have return periods in this test. */
const isCurve = (layer: string): boolean => layerKind(layer)?.returnPeriod === 'required';

function cardsOf(layers: readonly string[], resolutionM: number): LayerMeta[] {
  return layers.flatMap((layer) =>
    (isCurve(layer) ? YEARS : [null]).map((returnPeriodYears) => ({
      layer,
      version: 'v1',
      unit: layerKind(layer)!.unit,
      returnPeriodYears,
      resolutionM,
      date: '2024-01-01',
      licence: 'none',
      source: 'made up',
    })),
  );
}

/** Pseudo-random numbers within (0, 1) by the generator of Park & Miller 1988. */
function randomOf(seed: number): () => number {
  let state = seed;
  for (let i = 0; i < 10; i++) state = (state * 48271) % 2147483647; // small seeds give similar first numbers
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

for (const [peril, signs] of Object.entries(SIGNS) as [Peril, NonNullable<(typeof SIGNS)[Peril]>][]) {
  const model = RISK_MODELS[peril];
  test(`${peril}: the score never falls as any one hazard grows, whatever else is known`, () => {
    for (const [layer, [sign, least, most]] of Object.entries(signs)) {
      let moved = 0;
      for (const resolutionM of [30, 9277])
        for (let trial = 0; trial < TRIALS; trial++) {
          const random = randomOf(1 + trial * 97 + layer.length);
          // Some layers are left out, so that every kind of evidence occurs.
          const present = model.layers.filter(
            (name) => name === layer || name === 'coast-distance' || random() < 0.4,
          );
          const cards = cardsOf(present, resolutionM);
          const assessor = model.prepare(cards);
          const level = new Map(
            present.map((name) => {
              const [, low, high] = signs[name] ?? [1, 0, 1];
              return [name, low + (high - low) * random() ** 2] as const;
            }),
          );
          const growth = random() * 0.3;
          // Either one map of the layer changes, or all of them.
          const alone = BUILT_ABOVE.has(layer) ? YEARS.slice(1) : YEARS;
          const only = isCurve(layer) && random() < 0.5 ? alone[Math.floor(random() * alone.length)]! : null;
          const readings = (value: number): LayerReading[] =>
            cards.map(({ layer: name, returnPeriodYears }) => {
              const isMoved = name === layer && (only === null || returnPeriodYears === only);
              const base = isMoved ? value : level.get(name)!;
              if (name === 'permanent-water') return { ok: true, value: 0 };
              const rare = returnPeriodYears === null ? 1 : 1 + growth * Math.log(returnPeriodYears);
              return { ok: true, value: base * rare };
            });
          const [lat, lng] = [random() < 0.5 ? 25.8 : 47.4, random() < 0.5 ? -80.2 : 8.5];
          let last = sign > 0 ? -1 : 2;
          let first = Number.NaN;
          for (let step = 0; step <= STEPS; step++) {
            const value = least + ((most - least) * step) / STEPS;
            const { riskScore } = assessor.assess(readings(value), lat, lng);
            assert.ok(
              sign * (riskScore - last) >= -1e-12,
              `${layer} ${value} (${only ?? 'all'} years) of ${present.join()}: ${riskScore} after ${last}`,
            );
            last = riskScore;
            if (step === 0) first = riskScore;
          }
          if (Math.abs(last - first) > 1e-6) moved++;
        }
      assert.ok(moved > 0, `${layer} never moves the score`);
    }
  });

  test(`${peril}: intensity and damage of the curve never fall with the return period`, () => {
    const cards = cardsOf(model.layers, 90);
    const assessor = model.prepare(cards);
    for (let trial = 0; trial < TRIALS; trial++) {
      const random = randomOf(7 + trial);
      // Maps may contradict each other: a rarer event may have a lower level.
      const readings = cards.map(({ layer }): LayerReading => {
        const [, low, high] = signs[layer] ?? [1, 0, 1];
        if (layer === 'permanent-water') return { ok: true, value: 0 };
        return random() < 0.2
          ? { ok: false, reason: 'nodata' }
          : { ok: true, value: low + (high - low) * random() };
      });
      const { hazardCurve } = assessor.explain(readings, 25.8, -80.2);
      for (const [i, point] of hazardCurve.entries()) {
        assert.ok(point.low <= point.intensity && point.intensity <= point.high);
        if (i === 0) continue;
        const before = hazardCurve[i - 1]!;
        assert.ok(point.returnPeriodYears > before.returnPeriodYears);
        assert.ok(point.intensity >= before.intensity - 1e-9, `${point.intensity} after ${before.intensity}`);
        assert.ok(
          point.damageRatio >= before.damageRatio - 1e-12,
          `${point.damageRatio} after ${before.damageRatio}`,
        );
      }
    }
  });
}
