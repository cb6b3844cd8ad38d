import type {
  Assessment,
  Assessor,
  Explanation,
  HazardPoint,
  LayerMeta,
  LayerReading,
  Reason,
  RiskModel,
} from './assessment.ts';
import { confidenceOf, percentile } from './confidence.ts';
import { floodDamageRatio, residentialCurve } from './depth-damage.ts';
import { annualDamageWeights } from './expected-annual-damage.ts';
import { bankHeightM, groundHeightM, heightDraw, heightSpread } from './flood-ground.ts';
import {
  ANY_RIVER,
  bankStages,
  FLOOD_RETURN_PERIODS,
  INLAND_FALL_M_PER_KM,
  MAJOR_RIVER,
  SEA_LEVEL_LOG_SPREAD,
  SEA_LEVELS_M,
  STAGE_LOG_SPREAD,
} from './flood-water.ts';
import { absenceOf, candidatesOf, valueOf } from './layer-choice.ts';
import { DRAW_COUNT, DRAWS } from './predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from './prior.ts';
import { continentOf } from './regions.ts';
import { riskScore } from './score.ts';

/** Expected annual damage ratio [1/yr] where nothing is known (ours: between a dry site and a flood plain). */
const PRIOR = priorAssessment(0.0005);

/** Mean annual damage [1/yr] by water that no layer maps: small streams, rain on the spot (ours), and its log spread [1]. */
const UNMAPPED_ANNUAL_DAMAGE = 0.0001;
const UNMAPPED_LOG_SPREAD = 1.6;

/**
 * Nearer than this to the mapped shore a point off the coast may be an island or a quay, not the sea [km]: the coast
 * layer has cells of 4.6 km, and no land lies farther than half their diagonal from a cell centre.
 */
const SHORE_TOLERANCE_KM = 3.5;
/** The same for lakes, whose layer has cells of 9.3 km. */
const LAKE_TOLERANCE_KM = 6.6;

/** A river's mapped line is this far from its bed, interpolation between cells included [km]. */
const RIVER_TOLERANCE_KM = 3;

/** From here inland the sea's floods are not felt [km]; the coast layer ends there too. */
const SEA_REACH_KM = 79;

/** Rivers farther off than this are not looked at [km]; the river layers end there too. */
const RIVER_LIMIT_KM = 60;

/** A stage lower than this cannot be told from none [m]. */
const LEAST_STAGE_M = 0.05;

/** Standard normal deviate that no draw passes. */
const EXTREME_DRAW = 3;

const T_COUNT = FLOOD_RETURN_PERIODS.length;
const WEIGHTS = annualDamageWeights(FLOOD_RETURN_PERIODS);
const ANY_STAGES = bankStages(ANY_RIVER);
const MAJOR_STAGES = bankStages(MAJOR_RIVER);
const HEIGHT_SPREAD = heightSpread(DRAWS[0]!);
const LOWEST_SPREAD = HEIGHT_SPREAD.reduce((a, b) => Math.min(a, b));
const SEA_FACTORS = DRAWS[1]!.map((z) => Math.exp(SEA_LEVEL_LOG_SPREAD * z));
const STAGE_FACTORS = DRAWS[1]!.map((z) => Math.exp(STAGE_LOG_SPREAD * z));
const UNMAPPED = lognormalDraws(DRAWS[3]!, UNMAPPED_ANNUAL_DAMAGE, UNMAPPED_LOG_SPREAD);

/** Where neither sea nor mapped river reaches: the same answer for every such place. */
const BEYOND_WATER: Assessment = (() => {
  const score = riskScore(UNMAPPED_ANNUAL_DAMAGE);
  const confidence = confidenceOf(score, UNMAPPED.map(riskScore));
  return { riskScore: score, confidence, expectedAnnualDamageRatio: UNMAPPED_ANNUAL_DAMAGE };
})();

function lognormalDraws(z: Float64Array, mean: number, logSpread: number): Float64Array {
  const draws = z.map((value) => Math.exp(logSpread * value));
  const scale = (mean * draws.length) / draws.reduce((sum, value) => sum + value, 0);
  return draws.map((value) => value * scale);
}

/** Scratch of one evaluation: the depth [m] of each return period and draw, and the mean damages. */
const depths: readonly Float64Array[] = FLOOD_RETURN_PERIODS.map(() => new Float64Array(DRAW_COUNT));
const damages = new Float64Array(T_COUNT);
const scores = new Float64Array(DRAW_COUNT);

class FloodAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #elevation: readonly number[];
  readonly #coast: readonly number[];
  readonly #water: readonly number[];
  readonly #majorRiver: readonly number[];
  readonly #heightAboveWater: readonly number[];

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#elevation = candidatesOf(cards, 'elevation');
    this.#coast = candidatesOf(cards, 'coast-distance');
    this.#water = candidatesOf(cards, 'water-distance');
    this.#majorRiver = candidatesOf(cards, 'major-river-distance');
    this.#heightAboveWater = candidatesOf(cards, 'height-above-water');
  }

  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment {
    const coastKm = valueOf(readings, this.#coast);
    const waterKm = valueOf(readings, this.#water);
    if (!(coastKm >= -SHORE_TOLERANCE_KM) || waterKm < -LAKE_TOLERANCE_KM) return PRIOR;
    return this.#evaluate(readings, lat, lng, coastKm, waterKm) ? summarise() : BEYOND_WATER;
  }

  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation {
    const intensity = 'water depth above ground [m], undefended';
    const layers = usedLayers(this.#cards, readings);
    const coastKm = valueOf(readings, this.#coast);
    const waterKm = valueOf(readings, this.#water);
    if (Number.isNaN(coastKm)) {
      const code = absenceOf(readings, this.#coast);
      const message = 'no coast layer covers the point: this is the prior for any place';
      return explainPrior(PRIOR, intensity, layers, [{ code, message }]);
    }
    if (coastKm < -SHORE_TOLERANCE_KM || waterKm < -LAKE_TOLERANCE_KM) {
      const message = 'the point lies in open water: no building stands there';
      return explainPrior(PRIOR, intensity, layers, [{ code: 'sea', message }]);
    }
    const wet = this.#evaluate(readings, lat, lng, coastKm, waterKm);
    const summary = wet ? summarise() : BEYOND_WATER;
    return { ...summary, intensity, hazardCurve: hazardCurve(wet), layers, reasons: this.#reasons(readings) };
  }

  #reasons(readings: readonly LayerReading[]): Reason[] {
    const reasons: Reason[] = [
      { code: 'coarse', message: 'heights come from cells of 9 km, water lines from a 1:10,000,000 map' },
      {
        code: 'prior',
        message: 'water levels are priors by distance and river class: no flood map is installed',
      },
      {
        code: 'not-modelled',
        message: `dikes are ignored; ${UNMAPPED_ANNUAL_DAMAGE}/yr stands for rain and streams that no layer maps`,
      },
    ];
    for (const [name, candidates] of [
      ['elevation', this.#elevation],
      ['height-above-water', this.#heightAboveWater],
    ] as const) {
      if (!Number.isNaN(valueOf(readings, candidates))) continue;
      const message = `no ${name} here: the height is inferred from the distance to water`;
      reasons.push({ code: absenceOf(readings, candidates), message });
    }
    return reasons;
  }

  /** Fills the scratch for one point; false when no mapped water reaches it. */
  #evaluate(
    readings: readonly LayerReading[],
    lat: number,
    lng: number,
    coastKm: number,
    waterKm: number,
  ): boolean {
    const inlandKm = Math.max(0, coastKm);
    const ground = groundHeightM(valueOf(readings, this.#elevation), inlandKm);
    const riverKm = Number.isNaN(waterKm) ? Infinity : Math.max(0, waterKm - RIVER_TOLERANCE_KM);
    const majorKm = valueOf(readings, this.#majorRiver);
    const majorRiverKm = Number.isNaN(majorKm) ? Infinity : Math.max(0, majorKm - RIVER_TOLERANCE_KM);
    const height = valueOf(readings, this.#heightAboveWater);
    const anyBank = bankHeightM(height, Math.min(riverKm, RIVER_LIMIT_KM), ANY_RIVER.valleySlopeMPerKm);
    const majorBank = bankHeightM(
      height,
      Math.min(majorRiverKm, RIVER_LIMIT_KM),
      MAJOR_RIVER.valleySlopeMPerKm,
    );

    const last = T_COUNT - 1;
    const anyReach = Math.exp(-riverKm / ANY_RIVER.reachKm);
    const majorReach = Math.exp(-majorRiverKm / MAJOR_RIVER.reachKm);
    const extremeStage = Math.exp(STAGE_LOG_SPREAD * EXTREME_DRAW);
    const fallM = INLAND_FALL_M_PER_KM * inlandKm;
    const highestSea = SEA_LEVELS_M[last]! * Math.exp(SEA_LEVEL_LOG_SPREAD * EXTREME_DRAW) - fallM;
    const byRiver =
      ANY_STAGES[last]! * anyReach * extremeStage >
        Math.max(LEAST_STAGE_M, heightDraw(anyBank, LOWEST_SPREAD)) ||
      MAJOR_STAGES[last]! * majorReach * extremeStage >
        Math.max(LEAST_STAGE_M, heightDraw(majorBank, LOWEST_SPREAD));
    const bySea = inlandKm < SEA_REACH_KM && highestSea > heightDraw(ground, LOWEST_SPREAD);
    if (!byRiver && !bySea) return false;

    const curve = residentialCurve(continentOf(lat, lng));
    const damageDraws = DRAWS[2]!;
    damages.fill(0);
    for (let k = 0; k < DRAW_COUNT; k++) {
      const spread = HEIGHT_SPREAD[k]!;
      const groundM = bySea ? heightDraw(ground, spread) + fallM : Infinity;
      const anyBankM = byRiver ? Math.max(0, heightDraw(anyBank, spread)) : Infinity;
      const majorBankM = byRiver ? Math.max(0, heightDraw(majorBank, spread)) : Infinity;
      const seaFactor = SEA_FACTORS[k]!;
      const stageFactor = STAGE_FACTORS[k]!;
      let annual = UNMAPPED[k]!;
      for (let i = 0; i < T_COUNT; i++) {
        const depth = Math.max(
          0,
          SEA_LEVELS_M[i]! * seaFactor - groundM,
          ANY_STAGES[i]! * anyReach * stageFactor - anyBankM,
          MAJOR_STAGES[i]! * majorReach * stageFactor - majorBankM,
        );
        depths[i]![k] = depth;
        if (depth === 0) continue;
        const damage = floodDamageRatio(curve, depth, damageDraws[k]);
        damages[i]! += damage / DRAW_COUNT;
        annual += WEIGHTS[i]! * damage;
      }
      scores[k] = riskScore(Math.min(1, annual));
    }
    return true;
  }
}

function summarise(): Assessment {
  let annual = UNMAPPED_ANNUAL_DAMAGE;
  for (let i = 0; i < T_COUNT; i++) annual += WEIGHTS[i]! * damages[i]!;
  const expectedAnnualDamageRatio = Math.min(1, annual);
  const score = riskScore(expectedAnnualDamageRatio);
  return { riskScore: score, confidence: confidenceOf(score, scores), expectedAnnualDamageRatio };
}

function hazardCurve(wet: boolean): HazardPoint[] {
  return FLOOD_RETURN_PERIODS.map((returnPeriodYears, i) => ({
    returnPeriodYears,
    intensity: wet ? percentile(depths[i]!, 0.5) : 0,
    low: wet ? percentile(depths[i]!, 0.05) : 0,
    high: wet ? percentile(depths[i]!, 0.95) : 0,
    damageRatio: wet ? damages[i]! : 0,
  }));
}

/** Flood from the sea and from mapped rivers, by height and distance alone while no flood map is installed. */
export const floodModel: RiskModel = {
  peril: 'flood',
  modelVersion: 'flood-v0.1.0',
  layers: ['elevation', 'coast-distance', 'water-distance', 'major-river-distance', 'height-above-water'],
  method:
    'Prior sea levels and river stages by return period, lowered with distance, against heights from 9 km cells; ' +
    'JRC residential depth-damage curves; expected annual damage over quasi-random draws of what is uncertain.',
  citations: [
    'Huizinga, de Moel & Szewczyk 2017, doi:10.2760/16510',
    'Muis et al. 2016, doi:10.1038/ncomms11969',
    'Vafeidis et al. 2019, doi:10.5194/nhess-19-973-2019',
    'Andreadis, Schumann & Pavelsky 2013, doi:10.1002/wrcr.20440',
  ],
  limits: [
    'Undefended: dikes, barriers and pumps are ignored.',
    'Heights from 9 km cells cannot tell one street from another.',
    'Rain floods and streams that a 1:10,000,000 map leaves out are one constant.',
    'Extreme sea level is one prior for all coasts: tides, shelves and cyclones are not told apart.',
  ],
  prepare: (cards) => new FloodAssessor(cards),
};
