import { betaQuantile, betaShapes } from '../../src/numerics/beta-distribution.ts';
import { DEPTH_DAMAGE_DEPTHS_M, residentialDepthDamageCurve } from '../../src/risk/flood/depth-damage.ts';
import { type Gev, gevFromLMoments, gevQuantile, gevReturnLevel } from '../../src/numerics/gev.ts';
import { sampleLMoments } from '../../src/numerics/l-moments.ts';
import { continentOf } from '../../src/risk/regions.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';

const PLACES = [
  [50, 8],
  [40, -90],
  [-12, -55],
  [25, 85],
  [5, 20],
  [-33, 148],
] as const;
const MAP_YEARS = [10, 20, 50, 100, 200, 500] as const;
const CELLS_M = [10, 30, 90, 250, 1000] as const;
const RECORD_YEARS = [25, 40, 80] as const;

/** A place that is flooded in at least one of its flood maps. */
export const floodedMapCase = (random: Random): SimulatedCase => mappedCaseOf(random, true);

/** A place that is dry in all of its flood maps. */
export const dryMapCase = (random: Random): SimulatedCase => mappedCaseOf(random, false);

function mappedCaseOf(random: Random, isFlooded: boolean): SimulatedCase {
  for (;;) {
    const { rarestDepthM, ...found } = mappedFloodCase(random);
    if (rarestDepthM > 0 === isFlooded) return found;
  }
}

/**
 * A place on a flood plain with flood maps. The annual maximum of the water level has a known GEV. The maps use
 * a GEV fitted by L-moments to a record of some decades, and ground heights with the vertical error of a cell; their
 * depths are rounded to the centimetre. The building's damage has the published mean and standard deviation at every
 * depth.
 */
function mappedFloodCase(random: Random): SimulatedCase & { readonly rarestDepthM: number } {
  const [lat, lng] = random.pick(PLACES);
  const water: Gev = {
    location: 0,
    scale: Math.exp(random.between(Math.log(0.15), Math.log(0.6))),
    shape: 0.05 + 0.08 * random.normal(),
  };
  const groundM = random.between(-0.2, 3) * (0.5 + water.scale);
  const cellM = random.pick(CELLS_M);
  const mapGroundM = groundM + cellErrorM(cellM, random) * random.normal();
  const fitted = fittedRecord(water, random.pick(RECORD_YEARS), random);
  const damageOf = building(lat, lng, random.uniform());
  const depthAt = (T: number): number => Math.max(0, gevReturnLevel(water, T) - groundM);
  // Half of the places have flood defences, whose true protection standard differs from the stated one.
  const standard = random.uniform() < 0.5 ? 0 : random.pick([20, 50, 100, 200]);
  const failsAt = standard * Math.exp(0.5 * random.normal());
  const mapped = MAP_YEARS.map(
    (T) => Math.round(100 * Math.max(0, gevReturnLevel(fitted, T) - mapGroundM)) / 100,
  );
  return {
    cards: [
      ...MAP_YEARS.map((T) => simulatedCard('flood-depth', T, cellM)),
      simulatedCard('coast-distance', null, 4638),
      ...(standard > 0 ? [simulatedCard('flood-protection', null, 1000)] : []),
    ],
    readings: [...mapped, 80, ...(standard > 0 ? [standard] : [])].map((value) => ({ ok: true, value })),
    lat,
    lng,
    trueScore: trueScoreOf((T) => (T >= failsAt ? damageOf(depthAt(T)) : 0)),
    trueIntensity: depthAt,
    rarestDepthM: mapped.at(-1)!,
  };
}

/**
 * Draws the standard deviation of the vertical error of a cell [m], which is not exactly known. Its median increases
 * with the cell width, from lidar to global terrain (docs/methods/flood.md).
 */
export function cellErrorM(cellM: number, random: Random): number {
  return (0.3 + 0.28 * Math.log(cellM / 10)) * Math.exp(0.3 * random.normal());
}

/** GEV fitted to a random record of `years` annual maxima. */
function fittedRecord(truth: Gev, years: number, random: Random): Gev {
  const maxima = Float64Array.from({ length: years }, () => gevQuantile(truth, random.uniform()));
  return gevFromLMoments(sampleLMoments(maxima));
}

/** Depth-damage function of one building of the continent; `rank` is its quantile among buildings, 0 to 1. */
export function building(lat: number, lng: number, rank: number): (depthM: number) => number {
  const { mean, deviation } = residentialDepthDamageCurve(continentOf(lat, lng));
  const ratios = Array.from(mean, (expected, i) =>
    expected === 0 || expected === 1 || deviation[i] === 0
      ? expected
      : betaQuantile(rank, ...betaShapes(expected, deviation[i]!)),
  );
  return (depthM) => {
    if (depthM <= 0) return 0;
    let i = 0;
    while (i < DEPTH_DAMAGE_DEPTHS_M.length - 2 && depthM > DEPTH_DAMAGE_DEPTHS_M[i + 1]!) i++;
    const t = Math.min(
      1,
      (depthM - DEPTH_DAMAGE_DEPTHS_M[i]!) / (DEPTH_DAMAGE_DEPTHS_M[i + 1]! - DEPTH_DAMAGE_DEPTHS_M[i]!),
    );
    return ratios[i]! + t * (ratios[i + 1]! - ratios[i]!);
  };
}
