import { betaQuantile, betaShapes } from '../../numerics/beta-distribution.ts';
import { normalProbability } from '../../numerics/normal.ts';
import { DRAWS } from '../predictive-draws.ts';
import type { Continent } from '../regions.ts';

/**
 * Water depths [m] of the published depth-damage curves.
 * @see doi:10.2760/16510 (Huizinga, de Moel & Szewczyk 2017, JRC105688)
 */
export const DEPTH_DAMAGE_DEPTHS_M = [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6] as const;

/**
 * Mean damage ratios of residential buildings at the depths of `DEPTH_DAMAGE_DEPTHS_M` [0-1]; same source, table
 * 3-1 and annex.
 */
const MEAN: Readonly<Record<Continent, readonly number[]>> = {
  europe: [0, 0.25, 0.4, 0.5, 0.6, 0.75, 0.85, 0.95, 1],
  'north-america': [
    0.201804543, 0.443269857, 0.582754693, 0.682521912, 0.783957148, 0.854348922, 0.923670101, 0.958522773, 1,
  ],
  'central-and-south-america': [0, 0.490885951, 0.711294067, 0.842026011, 0.949369096, 0.983636977, 1, 1, 1],
  asia: [0, 0.326556502, 0.494050324, 0.616572124, 0.720711764, 0.869528213, 0.931487084, 0.983604148, 1],
  africa: [0, 0.219925401, 0.378226846, 0.530589082, 0.635636733, 0.81693978, 0.903434688, 0.957152173, 1],
  oceania: [0, 0.475418119, 0.640393124, 0.714614662, 0.787726348, 0.928779884, 0.967381853, 0.982795444, 1],
};

/** Standard deviations of the damage ratios between buildings, same source; none are published for Europe. */
const PUBLISHED_DEVIATION: Readonly<Record<Exclude<Continent, 'europe'>, readonly number[]>> = {
  'north-america': [
    0.168357605, 0.141121464, 0.137452367, 0.166725182, 0.14072086, 0.129131694, 0.102073428, 0.059134697, 0,
  ],
  'central-and-south-america': [0, 0.209427814, 0.135409866, 0.081630245, 0.060853453, 0.024070255, 0, 0, 0],
  asia: [0, 0.251622626, 0.215442216, 0.214468998, 0.207322898, 0.167536629, 0.124508994, 0.047803103, 0],
  africa: [0, 0.042003678, 0.114296315, 0.198396224, 0.207821558, 0.205246932, 0.141856441, 0.076208799, 0],
  oceania: [
    0.088039918, 0.141050712, 0.163528188, 0.169484243, 0.166855806, 0.112877499, 0.058153405, 0.03589275, 0,
  ],
};

/** A depth-damage curve: damage ratios [0-1] at the depths of `DEPTH_DAMAGE_DEPTHS_M`. */
export interface DepthDamageCurve {
  readonly mean: Float64Array;
  /** Standard deviation between buildings. */
  readonly deviation: Float64Array;
}

const CURVES = new Map<Continent, DepthDamageCurve>(
  (Object.keys(MEAN) as Continent[]).map((continent) => [
    continent,
    {
      mean: Float64Array.from(MEAN[continent]),
      deviation: Float64Array.from(
        continent === 'europe' ? MEAN.europe.map(pooledDeviation) : PUBLISHED_DEVIATION[continent],
      ),
    },
  ]),
);

/**
 * JRC depth-damage curve of residential buildings on a continent. No deviations are published for Europe: there,
 * the mean of the deviations of the other continents at the same damage ratio is used (our choice).
 * @see doi:10.2760/16510 (Huizinga, de Moel & Szewczyk 2017)
 */
export function residentialDepthDamageCurve(continent: Continent): DepthDamageCurve {
  return CURVES.get(continent)!;
}

/**
 * Mean damage ratio in [0, 1] of a building at a water depth above ground [m]: linear between the published
 * points, constant above 6 m. At a depth of 0 or less the ratio is 0, even if the published curve is above 0 at a
 * depth of 0 (North American basements). NaN for a depth that is NaN.
 */
export function floodDamageRatio(curve: DepthDamageCurve, depthM: number): number {
  if (Number.isNaN(depthM)) return Number.NaN;
  return depthM > 0 ? interpolated(curve.mean, depthM) : 0;
}

/** Depth-damage curves of equally likely buildings, one for each predictive draw. */
export type DamageDraws = readonly Float64Array[];

const DRAWN = new Map<Continent, DamageDraws>();

/**
 * Depth-damage curves of equally likely buildings on a continent. At each published depth the damage has a beta
 * distribution with the published mean and deviation, and each drawn building has the same rank in this
 * distribution at all depths. The curves are scaled so that their mean is the published mean.
 */
export function damageDraws(continent: Continent): DamageDraws {
  let drawn = DRAWN.get(continent);
  if (drawn === undefined)
    DRAWN.set(continent, (drawn = drawCurves(residentialDepthDamageCurve(continent), DRAWS[2]!)));
  return drawn;
}

/** Damage ratio in [0, 1] of one drawn building at a water depth [m]; it never decreases with depth. */
export function drawnDamageRatio(drawn: Float64Array, depthM: number): number {
  return depthM > 0 ? interpolated(drawn, depthM) : 0;
}

function drawCurves({ mean, deviation }: DepthDamageCurve, ranks: Float64Array): DamageDraws {
  const drawn = Array.from(ranks, () => new Float64Array(DEPTH_DAMAGE_DEPTHS_M.length));
  for (let i = 0; i < DEPTH_DAMAGE_DEPTHS_M.length; i++) {
    const expected = mean[i]!;
    const isCertain = expected === 0 || expected === 1 || deviation[i] === 0;
    const [a, b] = isCertain ? [0, 0] : betaShapes(expected, deviation[i]!);
    const ratios = ranks.map((z) => (isCertain ? expected : betaQuantile(normalProbability(z), a, b)));
    const scale = (expected * ratios.length) / ratios.reduce((sum, ratio) => sum + ratio, 0);
    for (let k = 0; k < ratios.length; k++) {
      const ratio = expected === 0 ? 0 : Math.min(1, ratios[k]! * scale);
      drawn[k]![i] = Math.max(ratio, i > 0 ? drawn[k]![i - 1]! : 0);
    }
  }
  return drawn;
}

function interpolated(ratios: Float64Array, depthM: number): number {
  if (depthM >= 6) return ratios[8]!; // the last published depth [m]
  // Points are 0.5 m apart up to 2 m and 1 m apart above, so the index needs no search and no division.
  const isShallow = depthM < 2;
  const steps = isShallow ? depthM * 2 : depthM;
  const whole = Math.floor(steps);
  const i = isShallow ? whole : whole + 2;
  return ratios[i]! + (steps - whole) * (ratios[i + 1]! - ratios[i]!);
}

/**
 * Mean deviation over the other continents, each taken at the depth where the mean damage of that continent is
 * `mean`.
 */
function pooledDeviation(mean: number): number {
  const others = Object.keys(PUBLISHED_DEVIATION) as (keyof typeof PUBLISHED_DEVIATION)[];
  let sum = 0;
  for (const continent of others) {
    const means = MEAN[continent];
    const deviations = PUBLISHED_DEVIATION[continent];
    let i = 0;
    while (i + 2 < means.length && means[i + 1]! < mean) i++;
    const span = means[i + 1]! - means[i]!;
    const t = span > 0 ? Math.min(1, Math.max(0, (mean - means[i]!) / span)) : 1;
    sum += deviations[i]! + t * (deviations[i + 1]! - deviations[i]!);
  }
  return mean === 0 || mean === 1 ? 0 : sum / others.length;
}
