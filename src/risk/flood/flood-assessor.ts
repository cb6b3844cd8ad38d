// Long file: one assessor, whose steps share its draws and scratch arrays.
import type {
  Assessment,
  Assessor,
  Explanation,
  HazardPoint,
  LayerMeta,
  LayerReading,
} from '../assessment.ts';
import { type Basis, basisOf, conclude, concludeInFull } from '../conclusion.ts';
import { SHORE_TOLERANCE_KM } from '../coast-layer.ts';
import { EvidenceLadder } from '../evidence.ts';
import { percentile } from '../../numerics/percentile.ts';
import {
  damageDraws,
  type DepthDamageCurve,
  drawnDamageRatio,
  floodDamageRatio,
  residentialDepthDamageCurve,
} from './depth-damage.ts';
import { depthAt, FloodMaps, type MappedDepths } from './flood-maps.ts';
import { FLOOD_EVIDENCE } from './flood-evidence.ts';
import { MappedFlood } from './mapped-flood.ts';
import { FloodPlans, type FloodPlan } from './flood-plan.ts';
import { floodReasons, type NoFooting, priorReason } from './flood-reasons.ts';
import type { TerrainFlood } from './terrain-flood.ts';
import { TerrainLayers } from './terrain-layers.ts';
import { candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { type Continent, continentOf } from '../regions.ts';

/**
 * Prior expected annual damage ratio [1/yr] (our choice: between the ratio at a dry site and the ratio on a
 * flood plain).
 */
const PRIOR = priorAssessment(0.0005);

/**
 * Mean annual damage ratio caused by water that no layer maps, such as small streams and local rain [1/yr], and
 * the log spread of this damage [1] (our choice).
 */
const UNMAPPED_ANNUAL_DAMAGE = 0.0001;
const UNMAPPED_LOG_SPREAD = 1.6;

/**
 * Distance from the mapped shore of a lake [km] up to which a point in the lake does not count as water. It
 * corresponds to SHORE_TOLERANCE_KM at the sea, but is larger than that, because the lake layer has cells of 9.3
 * km.
 */
const LAKE_TOLERANCE_KM = 6.6;

/** Minimum reading of the permanent-water layer that counts as water; readings may be interpolated between 0 and 1. */
const WATER_FROM = 0.5;

/**
 * Maximum confidence of an answer based on height above nearest drainage: the kappa coefficient of flood extents
 * mapped with this method.
 * @see doi:10.1016/j.jhydrol.2011.03.051
 */
const HAND_CONFIDENCE = 0.69;

/**
 * Log spread [1] of the damage behind defences (our choice): defences may fail at a return period other than
 * their standard.
 */
const PROTECTION_LOG_SPREAD = 0.5;

const PROTECTION_FACTORS = DRAWS[3]!.map((z) => Math.exp(PROTECTION_LOG_SPREAD * z));
const UNMAPPED = lognormalDraws(DRAWS[3]!, UNMAPPED_ANNUAL_DAMAGE, UNMAPPED_LOG_SPREAD);

/**
 * At places with a flood map, the calibration depends on whether the map shows the place as flooded or dry:
 * errors of the map affect the two differently.
 */
const OF_WET_MAP = basisOf('flood', 'map, flooded');
const OF_DRY_MAP = basisOf('flood', 'map, dry');
const OF_HAND = basisOf('flood', 'hand', HAND_CONFIDENCE);
const OF_TERRAIN = basisOf('flood', 'terrain');
const OF_SHORE = basisOf('flood', 'distance to the shore');

/** Annual damage [1/yr] with its basis and draws. */
interface AnnualDamage {
  readonly basis: Basis;
  readonly mean: number;
  readonly draws: Float64Array;
}

/**
 * Damage and answers at all places without a flood map that are not reached by floods from the sea or from a mapped
 * river: where heights or rivers are known, and where only the distance to the shore is.
 */
const BEYOND_WATER: AnnualDamage = { basis: OF_TERRAIN, mean: UNMAPPED_ANNUAL_DAMAGE, draws: UNMAPPED };
const BEYOND_SHORE: AnnualDamage = { ...BEYOND_WATER, basis: OF_SHORE };
const ANSWER_BEYOND_WATER = conclude(OF_TERRAIN, UNMAPPED_ANNUAL_DAMAGE, UNMAPPED);
const ANSWER_BEYOND_SHORE = conclude(OF_SHORE, UNMAPPED_ANNUAL_DAMAGE, UNMAPPED);

function lognormalDraws(z: Float64Array, mean: number, logSpread: number): Float64Array {
  const draws = z.map((value) => Math.exp(logSpread * value));
  const scale = (mean * draws.length) / draws.reduce((sum, value) => sum + value, 0);
  return draws.map((value) => value * scale);
}

/** Basis of an answer: none, a flood map, or heights and distances. */
type Footing = NoFooting | 'map' | 'terrain';

/**
 * Basis of the answer at a point, and the depths from its river and sea flood maps. `river` or `sea` is
 * undefined if no such map has a value at the point.
 */
interface FloodSite {
  readonly footing: Footing;
  readonly river: MappedDepths | undefined;
  readonly sea: MappedDepths | undefined;
}

/** Flood risk from the layers of one snapshot. */
export class FloodAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #ladder: EvidenceLadder;
  readonly #terrain: TerrainLayers;
  readonly #river: FloodMaps;
  readonly #sea: FloodMaps;
  readonly #protection: Candidates;
  readonly #permanentWater: Candidates;
  readonly #country: Candidates;
  readonly #plans: FloodPlans;
  readonly #mappedRiver: MappedFlood;
  readonly #mappedSea: MappedFlood;
  /**
   * Working arrays of one evaluation. `#row`: depths [m] of one draw by return period. `#depths`: depths of all draws
   * by return period. `#median`: depths from the maps. `#damages`: damage ratios. `#annuals`: annual damage of each
   * draw.
   */
  readonly #row: Float64Array;
  readonly #depths: readonly Float64Array[];
  readonly #median: Float64Array;
  readonly #damages: Float64Array;
  readonly #annuals = new Float64Array(DRAW_COUNT);

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#ladder = new EvidenceLadder('flood', FLOOD_EVIDENCE, cards);
    this.#terrain = new TerrainLayers(cards);
    this.#river = new FloodMaps(cards, 'flood-depth');
    this.#sea = new FloodMaps(cards, 'coastal-flood-depth');
    this.#protection = candidatesOf(cards, 'flood-protection');
    this.#permanentWater = candidatesOf(cards, 'permanent-water');
    this.#country = candidatesOf(cards, 'country');
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
    const site = this.#locate(readings);
    if (!isFooted(site.footing)) return PRIOR;
    const plan = this.#planOf(site, valueOf(readings, this.#protection));
    const terrain = this.#terrain.locate(readings);
    const continent = continentOf(lat, lng, valueOf(readings, this.#country));
    const found = this.#evaluate(site, plan, terrain, continent, false);
    if (found !== null) return conclude(found.basis, found.mean, found.draws);
    return terrain.isKnown ? ANSWER_BEYOND_WATER : ANSWER_BEYOND_SHORE;
  }

  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation {
    const intensity = 'water depth above ground [m]';
    const layers = usedLayers(this.#cards, readings);
    const site = this.#locate(readings);
    if (!isFooted(site.footing))
      return explainPrior(PRIOR, intensity, layers, [priorReason(this.#cards, readings, site.footing)]);
    const protectionYears = valueOf(readings, this.#protection);
    const plan = this.#planOf(site, protectionYears);
    const terrain = this.#terrain.locate(readings);
    const continent = continentOf(lat, lng, valueOf(readings, this.#country));
    const found = this.#evaluate(site, plan, terrain, continent, true);
    const { basis, mean, draws } = found ?? (terrain.isKnown ? BEYOND_WATER : BEYOND_SHORE);
    return {
      ...concludeInFull(basis, mean, draws, this.#ladder, readings),
      intensity,
      hazardCurve: found === null ? dryCurve(plan) : this.#curve(plan, site.footing === 'map'),
      layers,
      reasons: floodReasons(this.#cards, readings, {
        river: site.river?.version,
        sea: site.sea?.version,
        byHand: terrain.byHand,
        seaGauge: terrain.seaGauge,
        riverGauge: terrain.riverGauge,
        coastKm: this.#terrain.coastKm(readings),
        protectionYears,
        plan,
        unmappedAnnualDamage: UNMAPPED_ANNUAL_DAMAGE,
      }),
    };
  }

  #locate(readings: readonly LayerReading[]): FloodSite {
    const river = this.#river.locate(readings);
    const sea = this.#sea.locate(readings);
    return { footing: this.#footing(readings, river !== undefined || sea !== undefined), river, sea };
  }

  #footing(readings: readonly LayerReading[], isMapped: boolean): Footing {
    if (valueOf(readings, this.#permanentWater) >= WATER_FROM) return 'water';
    if (isMapped) return 'map';
    const coastKm = this.#terrain.coastKm(readings);
    if (Number.isNaN(coastKm)) return 'unknown';
    if (coastKm < -SHORE_TOLERANCE_KM) return 'unmapped';
    return this.#terrain.waterKm(readings) < -LAKE_TOLERANCE_KM ? 'water' : 'terrain';
  }

  #planOf({ river, sea }: FloodSite, protectionYears: number): FloodPlan {
    return this.#plans.planOf(river?.version, sea?.version, protectionYears);
  }

  /**
   * Computes the annual damage at one point; null when no flood of any kind reaches the point. Fills the working arrays
   * that `#curve` reads. Of these, `#depths` is filled only if `keepsDepths` is set.
   */
  #evaluate(
    { footing, river, sea }: FloodSite,
    plan: FloodPlan,
    terrain: TerrainFlood,
    continent: Continent,
    keepsDepths: boolean,
  ): AnnualDamage | null {
    // At a point where only the river or only the sea is mapped, the prior of the other stays in the draws: it
    // widens their spread but does not move the score.
    const levels = terrain.levelsOf(plan);
    const seaReaches = sea === undefined && terrain.isReachedBySea(levels);
    const riverReaches = river === undefined && terrain.isReachedByRiver(levels);
    if (footing === 'terrain' && !seaReaches && !riverReaches) return null;
    const { years: drawnYears, weights, from } = plan.drawn;
    if (river !== undefined) this.#mappedRiver.prepare(river, drawnYears);
    if (sea !== undefined) this.#mappedSea.prepare(sea, drawnYears);

    const n = plan.years.length;
    const count = drawnYears.length;
    const drawn = damageDraws(continent);
    const isMapped = footing === 'map';
    const isDefended = plan.isDefended;
    const row = this.#row; // all zero before each draw
    const damages = this.#damages;
    const annuals = this.#annuals;
    for (let i = 0; i < n; i++) damages[i] = 0; // faster than `fill` for so few elements
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
    if (isMapped) this.#takeMapped(river, sea, plan.years, residentialDepthDamageCurve(continent));
    let annual = isMapped ? 0 : UNMAPPED_ANNUAL_DAMAGE;
    for (let i = 0; i < n; i++) annual += plan.weights[i]! * damages[i]!;
    const basis = isMapped
      ? this.#median[n - 1]! > 0
        ? OF_WET_MAP
        : OF_DRY_MAP
      : terrain.byHand
        ? OF_HAND
        : terrain.isKnown
          ? OF_TERRAIN
          : OF_SHORE;
    return { basis, mean: Math.min(1, annual), draws: annuals };
  }

  /**
   * Sets depths and damages at a point with a flood map. They come from the mapped depths and the mean damage curve
   * alone, so that users can recompute damage and score.
   */
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

  #curve(plan: FloodPlan, isMapped: boolean): HazardPoint[] {
    return plan.years.map((returnPeriodYears, i) => {
      const depths = this.#depths[i]!;
      const intensity = isMapped ? this.#median[i]! : percentile(depths, 0.5);
      const low = Math.min(intensity, percentile(depths, 0.05));
      const high = Math.max(intensity, percentile(depths, 0.95));
      return { returnPeriodYears, intensity, low, high, damageRatio: this.#damages[i]! };
    });
  }
}

function isFooted(footing: Footing): footing is 'map' | 'terrain' {
  return footing === 'map' || footing === 'terrain';
}

function dryCurve({ years }: FloodPlan): HazardPoint[] {
  return years.map((returnPeriodYears) => ({
    returnPeriodYears,
    intensity: 0,
    low: 0,
    high: 0,
    damageRatio: 0,
  }));
}
