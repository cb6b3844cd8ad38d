import type {
  Assessment,
  Assessor,
  Explanation,
  HazardPoint,
  LayerMeta,
  LayerReading,
  RiskModel,
} from '../assessment.ts';
import { confidenceCorrection } from '../calibration.ts';
import { confidenceOf, confidenceOfRatios } from '../confidence.ts';
import { percentile } from '../../numerics/percentile.ts';
import {
  damageDraws,
  type DepthDamageCurve,
  drawnDamageRatio,
  floodDamageRatio,
  residentialCurve,
} from './depth-damage.ts';
import { depthAt, FloodMaps, type MappedDepths } from './flood-maps.ts';
import { MappedFlood } from './mapped-flood.ts';
import { FloodPlans, type FloodPlan } from './flood-plan.ts';
import { floodReasons, openWaterReason } from './flood-reasons.ts';
import { FloodTerrain } from './flood-terrain.ts';
import { candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { continentOf } from '../regions.ts';
import { riskScore } from '../score.ts';

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

/** Codes from here up are water on a layer of permanent water, whose cells may be read between 0 and 1. */
const WATER_FROM = 0.5;

/** Highest confidence of an answer by height above nearest drainage: the kappa of its flood extents. @see doi:10.1016/j.jhydrol.2011.03.051 */
const HAND_CONFIDENCE = 0.69;

/** Spread of the return period at which defences fail, as that of the damage that is left: standard deviation of the logarithm [1] (ours). */
const PROTECTION_LOG_SPREAD = 0.5;

const PROTECTION_FACTORS = DRAWS[3]!.map((z) => Math.exp(PROTECTION_LOG_SPREAD * z));
const UNMAPPED = lognormalDraws(DRAWS[3]!, UNMAPPED_ANNUAL_DAMAGE, UNMAPPED_LOG_SPREAD);

/** A map is judged by whether it ever floods the place: its errors do not do the same on both sides. */
const ofWetMap = confidenceCorrection('flood', 'map, flooded');
const ofDryMap = confidenceCorrection('flood', 'map, dry');
const ofHand = confidenceCorrection('flood', 'hand');
const ofTerrain = confidenceCorrection('flood', 'terrain');

/** Where neither sea nor mapped river reaches: the same answer for every such place. */
const BEYOND_WATER: Assessment = (() => {
  const score = riskScore(UNMAPPED_ANNUAL_DAMAGE);
  const confidence = ofTerrain(confidenceOf(score, UNMAPPED.map(riskScore)));
  return { riskScore: score, confidence, expectedAnnualDamageRatio: UNMAPPED_ANNUAL_DAMAGE };
})();

function lognormalDraws(z: Float64Array, mean: number, logSpread: number): Float64Array {
  const draws = z.map((value) => Math.exp(logSpread * value));
  const scale = (mean * draws.length) / draws.reduce((sum, value) => sum + value, 0);
  return draws.map((value) => value * scale);
}

/** What answers at a point: nothing is built there, nothing is known, a flood map, or heights and distances. */
type Footing = 'water' | 'unknown' | 'map' | 'terrain';

class FloodAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #terrain: FloodTerrain;
  readonly #river: FloodMaps;
  readonly #sea: FloodMaps;
  readonly #protection: Candidates;
  readonly #permanentWater: Candidates;
  readonly #plans: FloodPlans;
  readonly #mappedRiver: MappedFlood;
  readonly #mappedSea: MappedFlood;
  /** Scratch of one evaluation: depths [m] of one draw, of all draws by return period, damage ratios, annual damages. */
  readonly #row: Float64Array;
  readonly #depths: readonly Float64Array[];
  readonly #median: Float64Array;
  readonly #damages: Float64Array;
  readonly #annuals = new Float64Array(DRAW_COUNT);

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#terrain = new FloodTerrain(cards);
    this.#river = new FloodMaps(cards, 'flood-depth');
    this.#sea = new FloodMaps(cards, 'coastal-flood-depth');
    this.#protection = candidatesOf(cards, 'flood-protection');
    this.#permanentWater = candidatesOf(cards, 'permanent-water');
    this.#plans = new FloodPlans(this.#river.versions, this.#sea.versions);
    const length = this.#plans.longest;
    this.#mappedRiver = new MappedFlood(length);
    this.#mappedSea = new MappedFlood(length);
    this.#row = new Float64Array(length);
    this.#median = new Float64Array(length);
    this.#damages = new Float64Array(length);
    this.#depths = Array.from({ length }, () => new Float64Array(DRAW_COUNT));
  }

  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment {
    const footing = this.#footing(readings);
    if (footing === 'water' || footing === 'unknown') return PRIOR;
    return this.#evaluate(footing, this.#plan(readings), readings, lat, lng, false) ?? BEYOND_WATER;
  }

  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation {
    const intensity = 'water depth above ground [m]';
    const layers = usedLayers(this.#cards, readings);
    const footing = this.#footing(readings);
    if (footing === 'water' || footing === 'unknown')
      return explainPrior(PRIOR, intensity, layers, [
        openWaterReason(this.#cards, readings, footing === 'water'),
      ]);
    const plan = this.#plan(readings);
    const found = this.#evaluate(footing, plan, readings, lat, lng, true);
    const coastKm = this.#terrain.coastKm(readings);
    return {
      ...(found ?? BEYOND_WATER),
      intensity,
      hazardCurve: this.#curve(plan, found !== null),
      layers,
      reasons: floodReasons(this.#cards, readings, {
        river: this.#river.found?.version,
        sea: this.#sea.found?.version,
        byHand: this.#terrain.byHand,
        coastKm,
        protectionYears: valueOf(readings, this.#protection),
        plan,
        unmappedAnnualDamage: UNMAPPED_ANNUAL_DAMAGE,
      }),
    };
  }

  #footing(readings: readonly LayerReading[]): Footing {
    const river = this.#river.locate(readings);
    const sea = this.#sea.locate(readings);
    if (valueOf(readings, this.#permanentWater) >= WATER_FROM) return 'water';
    if (river >= 0 || sea >= 0) return 'map';
    const coastKm = this.#terrain.coastKm(readings);
    if (Number.isNaN(coastKm)) return 'unknown';
    const isWater = coastKm < -SHORE_TOLERANCE_KM || this.#terrain.waterKm(readings) < -LAKE_TOLERANCE_KM;
    return isWater ? 'water' : 'terrain';
  }

  #plan(readings: readonly LayerReading[]): FloodPlan {
    return this.#plans.planOf(
      this.#river.found?.version,
      this.#sea.found?.version,
      valueOf(readings, this.#protection),
    );
  }

  /** Fills the scratch for one point, its depths only when they are to be kept; null when no water of any kind reaches it. */
  #evaluate(
    footing: 'map' | 'terrain',
    plan: FloodPlan,
    readings: readonly LayerReading[],
    lat: number,
    lng: number,
    keepsDepths: boolean,
  ): Assessment | null {
    const river = this.#river.found;
    const sea = this.#sea.found;
    this.#terrain.locate(readings);
    // What no map covers stays in the draws as its prior: the score is the map's, the doubt is not.
    const seaReaches = sea === undefined && this.#terrain.isReachedBySea(plan.levels);
    const riverReaches = river === undefined && this.#terrain.isReachedByRiver(plan.levels);
    if (footing === 'terrain' && !seaReaches && !riverReaches) return null;
    const { years: drawnYears, weights, from } = plan.drawn;
    if (river !== undefined) this.#mappedRiver.prepare(river, drawnYears);
    if (sea !== undefined) this.#mappedSea.prepare(sea, drawnYears);

    const n = plan.years.length;
    const count = drawnYears.length;
    const continent = continentOf(lat, lng);
    const drawn = damageDraws(continent);
    const isMapped = footing === 'map';
    const isDefended = plan.isDefended;
    const { levels } = plan;
    const terrain = this.#terrain;
    const row = this.#row; // dry between draws
    const damages = this.#damages;
    const annuals = this.#annuals;
    for (let i = 0; i < n; i++) damages[i] = 0; // a call of `fill` costs more than so few
    if (keepsDepths) for (let i = 0; i < n; i++) this.#depths[i]!.fill(0);
    for (let k = 0; k < DRAW_COUNT; k++) {
      let first = isMapped ? 0 : count; // the first return period that may be wet
      if (river !== undefined) this.#mappedRiver.add(k, row);
      if (sea !== undefined) this.#mappedSea.add(k, row);
      if (seaReaches) first = Math.min(first, terrain.addSea(levels, k, row));
      if (riverReaches) first = Math.min(first, terrain.addRiver(levels, k, row));
      const ratios = drawn[k]!;
      let annual = 0;
      for (let i = first; i < count; i++) {
        const depth = row[i]!;
        if (depth === 0) continue;
        row[i] = 0;
        const shown = i - from;
        const damage = drawnDamageRatio(ratios, depth);
        if (shown >= 0 && shown < n) {
          damages[shown]! += damage / DRAW_COUNT;
          if (keepsDepths) this.#depths[shown]![k] = depth;
        }
        annual += weights[i]! * damage;
      }
      if (isDefended) annual *= PROTECTION_FACTORS[k]!;
      if (!isMapped) annual += UNMAPPED[k]!;
      annuals[k] = Math.min(1, annual);
    }
    if (isMapped) this.#takeMapped(river, sea, plan.years, residentialCurve(continent));
    let annual = isMapped ? 0 : UNMAPPED_ANNUAL_DAMAGE;
    for (let i = 0; i < n; i++) annual += plan.weights[i]! * damages[i]!;
    const expectedAnnualDamageRatio = Math.min(1, annual);
    const score = riskScore(expectedAnnualDamageRatio);
    const raw = confidenceOfRatios(score, this.#annuals);
    const confidence = isMapped
      ? (this.#median[n - 1]! > 0 ? ofWetMap : ofDryMap)(raw)
      : this.#terrain.byHand
        ? Math.min(HAND_CONFIDENCE, ofHand(raw))
        : ofTerrain(raw);
    return { riskScore: score, confidence, expectedAnnualDamageRatio };
  }

  /** Where a map answers, its own depths and the mean curve give damage and score: every figure can be followed. */
  #takeMapped(
    river: MappedDepths | undefined,
    sea: MappedDepths | undefined,
    years: readonly number[],
    curve: DepthDamageCurve,
  ): void {
    for (let i = 0; i < years.length; i++) {
      const byRiver = river === undefined ? 0 : depthAt(river, years[i]!);
      const bySea = sea === undefined ? 0 : depthAt(sea, years[i]!);
      this.#median[i] = Math.max(byRiver, bySea);
      this.#damages[i] = floodDamageRatio(curve, this.#median[i]!);
    }
  }

  #curve(plan: FloodPlan, isWet: boolean): HazardPoint[] {
    const isMapped = this.#river.found !== undefined || this.#sea.found !== undefined;
    return plan.years.map((returnPeriodYears, i) => {
      if (!isWet) return { returnPeriodYears, intensity: 0, low: 0, high: 0, damageRatio: 0 };
      const depths = this.#depths[i]!;
      const intensity = isMapped ? this.#median[i]! : percentile(depths, 0.5);
      const low = Math.min(intensity, percentile(depths, 0.05));
      const high = Math.max(intensity, percentile(depths, 0.95));
      return { returnPeriodYears, intensity, low, high, damageRatio: this.#damages[i]! };
    });
  }
}

/** Flood from the sea and from rivers: by depth maps where they reach, else by height and distance. */
export const floodModel: RiskModel = {
  peril: 'flood',
  modelVersion: 'flood-v0.3.0',
  layers: [
    'flood-depth',
    'coastal-flood-depth',
    'flood-protection',
    'permanent-water',
    'hand',
    'upstream-area',
    'elevation',
    'coast-distance',
    'water-distance',
    'major-river-distance',
    'height-above-water',
  ],
  method:
    'Depth maps of rivers and sea by return period, linear in its logarithm, less what defences hold; where none reaches, ' +
    'prior sea levels and river stages against height above drainage, elevation and distance. JRC residential ' +
    'depth-damage curves with beta spread; expected annual damage; quasi-random draws of what is uncertain.',
  citations: [
    'Huizinga, de Moel & Szewczyk 2017, doi:10.2760/16510',
    'Nobre et al. 2011, doi:10.1016/j.jhydrol.2011.03.051',
    'Muis et al. 2016, doi:10.1038/ncomms11969',
    'Vafeidis et al. 2019, doi:10.5194/nhess-19-973-2019',
    'Andreadis, Schumann & Pavelsky 2013, doi:10.1002/wrcr.20440',
  ],
  limits: [
    'Undefended where no protection layer is installed: dikes, barriers and pumps are ignored.',
    'Without a flood map: heights from 9 km cells cannot tell one street from another, and extreme sea level and river stage are priors.',
    'With one: rain floods and streams that it leaves out are left out; events rarer than its last return period count as that one.',
    'River and sea floods at a point are taken as one event: the deeper counts.',
  ],
  prepare: (cards) => new FloodAssessor(cards),
};
