import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import geographiclib from 'geographiclib-geodesic';
import { generator } from '../../scripts/fire/ranking-skill.ts';
import { PERILS } from '../../src/contract/vocabulary.ts';
import type { Peril } from '../../src/risk/assessment.ts';
import { type Points, ShippedAnswers } from '../fixtures/shipped-answers.ts';

const TRANSECTS = 10;
const LENGTH_KM = 2000;
/** Distance of neighbouring points [km]. */
const STEP_KM = 2;

/**
 * The confidence is a continuous function of the score, which differs a little between two places 2 km apart anyway, so that
 * it may differ by this much at the end of a map without being a gain.
 */
const GREATEST_RISE = 0.001;

/** Greatest difference of score of two neighbouring points on land. */
const GREATEST_JUMP = 0.2;
/** Share of the points of a transect that must be on land. */
const LEAST_LAND = 0.8;
const SEED = 20261123;
/** Southernmost and northernmost latitude of a transect's start, as sines: Cape Horn and Spitsbergen. */
const SINES = [-0.83, 0.98] as const;
/** Pairs of points that a failure names. */
const NAMED = 5;
/**
 * Layers that draw a shore, of the sea or of a lake: signed distances [km], positive on land. A pair of points with
 * both on land has no shore between them.
 */
const SHORES = ['coast-distance', 'water-distance'] as const;

/** The answer at a point, and the values there of the maps that its model reads: not finite where a map has none. */
interface Side {
  readonly riskScore: number;
  readonly confidence: number;
  readonly isLand: boolean;
  readonly maps: ReadonlyMap<string, number>;
}

/** Two neighbouring points of a transect. */
interface Pair {
  readonly one: Side;
  readonly other: Side;
  readonly told: string;
}

let answers: ShippedAnswers;
let transects: readonly Points[];
before(async () => {
  answers = await ShippedAnswers.open();
  transects = randomTransects();
});
after(() => answers.close());

for (const peril of PERILS) {
  test(`${peril}: no two land points ${STEP_KM} km apart on random transects differ by more than ${GREATEST_JUMP} without the end of a map between them`, (t) => {
    const land = pairsOf(peril).filter(({ one, other }) => one.isLand && other.isLand);
    assert.ok(land.length > 0.7 * TRANSECTS * (LENGTH_KM / STEP_KM), `${land.length} pairs on land`);
    const within = land.filter(({ one, other }) => includes(one, other) && includes(other, one));
    const jump = ({ one, other }: Pair): number => Math.abs(one.riskScore - other.riskScore);
    const great = within.filter((pair) => jump(pair) > GREATEST_JUMP).toSorted((a, b) => jump(b) - jump(a));
    t.diagnostic(`${within.length} pairs, greatest difference ${Math.max(...within.map(jump)).toFixed(3)}`);
    assert.equal(
      great.length,
      0,
      namesOf(great, ({ riskScore }) => riskScore),
    );
  });

  test(`${peril}: confidence does not rise where a map ends`, (t) => {
    const outward = pairsOf(peril).flatMap((pair) => {
      const [onward, back] = [includes(pair.one, pair.other), includes(pair.other, pair.one)];
      if (onward === back) return [];
      return [onward ? pair : { ...pair, one: pair.other, other: pair.one }];
    });
    t.diagnostic(`${outward.length} pairs of points with the end of a map between them`);
    const rising = outward.filter(({ one, other }) => other.confidence > one.confidence + GREATEST_RISE);
    t.diagnostic(
      `greatest rise ${Math.max(...outward.map(({ one, other }) => other.confidence - one.confidence))}`,
    );
    assert.equal(
      rising.length,
      0,
      namesOf(rising, ({ confidence }) => confidence),
    );
  });
}

/** Points every 2 km along random geodesics of 2,000 km, most of whose points are on land; the same in every run. */
function randomTransects(): Points[] {
  const random = generator(SEED);
  const found: Points[] = [];
  while (found.length < TRANSECTS) {
    const sine = SINES[0] + random() * (SINES[1] - SINES[0]);
    const line = geographiclib.Geodesic.WGS84.DirectLine(
      (Math.asin(sine) * 180) / Math.PI,
      random() * 360 - 180,
      random() * 360,
      LENGTH_KM * 1000,
    );
    const at = Array.from({ length: LENGTH_KM / STEP_KM + 1 }, (_, i) => line.Position(i * STEP_KM * 1000));
    const points = {
      lats: Float64Array.from(at, ({ lat2 }) => lat2!),
      lngs: Float64Array.from(at, ({ lon2 }) => ((lon2! + 540) % 360) - 180),
    };
    const land = answers.values('coast-distance', points).filter((km) => km > 0).length;
    if (land >= LEAST_LAND * at.length) found.push(points);
  }
  return found;
}

function pairsOf(peril: Peril): Pair[] {
  return transects.flatMap((points, transect) => {
    const found = answers.assess(peril, points);
    const maps = answers.mapValues(peril, points);
    const shores = SHORES.map((layer) => answers.values(layer, points));
    const sides = found.map(({ riskScore, confidence }, i) => ({
      riskScore,
      confidence,
      isLand: shores.every((km) => km[i]! > 0),
      maps: new Map(maps.map(({ card, values }) => [`${card.layer}@${card.returnPeriodYears}`, values[i]!])),
    }));
    return sides.slice(1).map((other, i) => ({
      one: sides[i]!,
      other,
      told: `transect ${transect + 1} at ${points.lats[i]!.toFixed(3)}, ${points.lngs[i]!.toFixed(3)}`,
    }));
  });
}

/** Whether every map with a value on the side `less` also has one on the side `more`. */
function includes(more: Side, less: Side): boolean {
  return [...less.maps].every(
    ([map, value]) => !Number.isFinite(value) || Number.isFinite(more.maps.get(map)),
  );
}

/** What a failure says of pairs: the first ones, with the value on both sides and the maps that differ. */
function namesOf(pairs: readonly Pair[], value: (side: Side) => number): string {
  const lines = pairs.slice(0, NAMED).map(({ one, other, told }) => {
    const changed = [...one.maps]
      .filter(([map, from]) => !Object.is(from, other.maps.get(map)))
      .map(([map, from]) => `${map} ${shown(from)} to ${shown(other.maps.get(map)!)}`);
    return `${told}: ${value(one).toFixed(3)} to ${value(other).toFixed(3)}; ${changed.join(', ')}`;
  });
  return [`${pairs.length} pairs:`, ...lines].join('\n');
}

function shown(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : 'none';
}
