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
import { EvidenceLadder } from '../evidence.ts';
import { percentile } from '../../numerics/percentile.ts';
import {
  damageDraws,
  type DepthDamageCurve,
  drawnDamageRatio,
  floodDamageRatio,
  residentialDepthDamageCurve,
} from './depth-damage.ts';
import { breachShare, type DefenceDraws, defenceDraws, passingShare } from './flood-defences.ts';
import { depthAt, FloodMaps, type MappedDepths } from './flood-maps.ts';
import { FLOOD_EVIDENCE } from './flood-evidence.ts';
import { MappedFlood } from './mapped-flood.ts';
import { builtLevel, FloodPlans, type FloodPlan } from './flood-plan.ts';
import { RAIN_FACTORS, rainDamage } from './flood-rain.ts';
import { floodReasons } from './flood-reasons.ts';
import type { TerrainFlood } from './terrain-flood.ts';
import { TerrainLayers } from './terrain-layers.ts';
import { candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { type Continent, continentOf } from '../regions.ts';
import { type Ground as Shown, Shores } from '../shores.ts';

/**
 * Prior expected annual damage ratio [1/yr] (our choice: between the ratio at a dry site and the ratio on a
 * flood plain).
 */
const PRIOR = priorAssessment(0.0005);

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

/**
 * Depth [m] up to which water does no damage, and from which the published damage curve holds (our choice): sills and
 * steps keep out what is shallower.
 */
const LEAST_DEPTH_M = 0.05;
const FULL_DEPTH_M = 0.15;

/**
 * Log spread [1] of the sum of damages about the modelled one where no map answers (our choice, of the size of the
 * factors between modelled and reported losses of countries; docs/methods/closure.md), as the factor of each draw.
 */
export const MODEL_LOG_SPREAD = 0.8;
const MODEL_FACTORS = DRAWS[5]!.map((z) => Math.exp(MODEL_LOG_SPREAD * z - MODEL_LOG_SPREAD ** 2 / 2));

/**
 * At places with a flood map, the calibration depends on whether the map shows the place as flooded or dry:
 * errors of the map affect the two differently.
 */
const OF_WET_MAP = basisOf('flood', 'map, flooded');
const OF_DRY_MAP = basisOf('flood', 'map, dry');
const OF_HAND = basisOf('flood', 'hand', HAND_CONFIDENCE);
const OF_TERRAIN = basisOf('flood', 'terrain');
/** Where no river and no sea reaches, only rain is doubted, so those answers have their own. */
const OF_DRY_TERRAIN = basisOf('flood', 'terrain, no water near');
const OF_SHORE = basisOf('flood', 'distance to the shore');

/** Annual damage [1/yr] with its basis and draws. */
interface AnnualDamage {
  readonly basis: Basis;
  readonly mean: number;
  readonly draws: Float64Array;
}

/** Facts of a point that do not come from heights and distances. */
interface Ground {
  continent: Continent;
  /** Draws of the prior of defences; null where a layer states the protection standard. */
  defences: DefenceDraws | null;
  /** Mean annual damage ratio by rain and by streams that no layer maps [1/yr]. */
  rainDamage: number;
}

/**
 * Probability below the 90 % intervals of the curve [1]. Without a map the intervals are those of the draws alone, where
 * the k-th of n has the plotting position k / (n + 1).
 */
const ONE_TAIL = 0.05;
const DRAWN_TAIL = (ONE_TAIL * (DRAW_COUNT + 1) - 1) / (DRAW_COUNT - 1);

/** Logarithm of the return period of a defence that lets every event through. */
const NO_DEFENCE = -Infinity;

/** Share of the published damage that a shallow depth does [0-1]. */
export function wettedShare(depthM: number): number {
  return depthM >= FULL_DEPTH_M ? 1 : (depthM - LEAST_DEPTH_M) / (FULL_DEPTH_M - LEAST_DEPTH_M);
}

/** Basis of an answer: none, a flood map, or heights and distances. */
type Footing = Exclude<Shown, 'land'> | 'map' | 'terrain';

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
  readonly #shores: Shores;
  readonly #country: Candidates;
  readonly #rain: Candidates;
  readonly #ground: Ground = { continent: 'europe', defences: null, rainDamage: 0 };
  readonly #plans: FloodPlans;
  readonly #mappedRiver: MappedFlood;
  readonly #mappedSea: MappedFlood;
  /**
   * Working arrays of one evaluation. `#mapRow`, `#seaRow`, `#riverRow`: depths [m] of one draw by return period,
   * from maps and from terrain. `#depths`: depths of all draws
   * by return period. `#median`: depths from the maps. `#damages`: damage ratios. `#annuals`: annual damage of each
   * draw.
   */
  readonly #mapRow: Float64Array;
  readonly #seaRow: Float64Array;
  readonly #riverRow: Float64Array;
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
    this.#shores = new Shores(cards);
    this.#country = candidatesOf(cards, 'country');
    this.#rain = candidatesOf(cards, 'extreme-rain');
    this.#plans = new FloodPlans(this.#river.versions, this.#sea.versions);
    const length = this.#plans.longest;
    this.#mappedRiver = new MappedFlood(length);
    this.#mappedSea = new MappedFlood(length);
    this.#mapRow = new Float64Array(length);
    this.#seaRow = new Float64Array(length);
    this.#riverRow = new Float64Array(length);
    this.#median = new Float64Array(length);
    this.#damages = new Float64Array(length);
    this.#depths = Array.from({ length }, () => new Float64Array(DRAW_COUNT));
  }

  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment {
    const site = this.#locate(readings);
    if (!isFooted(site.footing)) return PRIOR;
    const plan = this.#planOf(site, valueOf(readings, this.#protection));
    const ground = this.#groundOf(readings, lat, lng);
    const found = this.#evaluate(site, plan, this.#terrain.locate(readings), ground, false);
    return conclude(found.basis, found.mean, found.draws);
  }

  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation {
    const intensity = 'water depth above ground [m]';
    const layers = usedLayers(this.#cards, readings);
    const site = this.#locate(readings);
    if (!isFooted(site.footing))
      return explainPrior(PRIOR, intensity, layers, [this.#shores.priorReason(readings, site.footing)]);
    const protectionYears = valueOf(readings, this.#protection);
    const plan = this.#planOf(site, protectionYears);
    const terrain = this.#terrain.locate(readings);
    const ground = this.#groundOf(readings, lat, lng);
    const { basis, mean, draws } = this.#evaluate(site, plan, terrain, ground, true);
    const hazardCurve = this.#curve(plan, site.footing === 'map');
    return {
      ...concludeInFull(basis, mean, draws, this.#ladder, readings),
      intensity,
      hazardCurve,
      layers,
      reasons: [
        ...floodReasons(this.#cards, readings, {
          river: site.river?.version,
          sea: site.sea?.version,
          byHand: terrain.byHand,
          coast: terrain.coast,
          seaGauge: terrain.seaGauge,
          riverGauge: terrain.riverGauge,
          coastKm: this.#terrain.coastKm(readings),
          protectionYears,
          plan,
          rainDamage: ground.rainDamage,
          isReached: hazardCurve.length > 0,
        }),
        ...(site.footing === 'terrain' ? this.#shores.doubts(readings) : []),
      ],
    };
  }

  #locate(readings: readonly LayerReading[]): FloodSite {
    const river = this.#river.locate(readings);
    const sea = this.#sea.locate(readings);
    return { footing: this.#footing(readings, river !== undefined || sea !== undefined), river, sea };
  }

  #footing(readings: readonly LayerReading[], isMapped: boolean): Footing {
    const shown = this.#shores.at(readings, isMapped);
    if (shown !== 'land') return shown;
    return isMapped ? 'map' : 'terrain';
  }

  #planOf({ river, sea }: FloodSite, protectionYears: number): FloodPlan {
    return this.#plans.planOf(river?.version, sea?.version, protectionYears);
  }

  #groundOf(readings: readonly LayerReading[], lat: number, lng: number): Ground {
    const country = valueOf(readings, this.#country);
    const ground = this.#ground;
    ground.continent = continentOf(lat, lng, country);
    ground.defences = Number.isNaN(valueOf(readings, this.#protection)) ? defenceDraws(country) : null;
    ground.rainDamage = rainDamage(valueOf(readings, this.#rain));
    return ground;
  }

  /**
   * Computes the annual damage at one point. Fills the working arrays that `#curve` reads. Of these, `#depths` is filled
   * only if `keepsDepths` is set.
   */
  #evaluate(
    { footing, river, sea }: FloodSite,
    plan: FloodPlan,
    terrain: TerrainFlood,
    { continent, defences, rainDamage: rain }: Ground,
    keepsDepths: boolean,
  ): AnnualDamage {
    // At a point where only the river or only the sea is mapped, the prior of the other stays in the draws: it
    // widens their spread but does not move the score.
    const levels = terrain.levelsOf(plan);
    const seaReaches = sea === undefined && terrain.isReachedBySea(levels);
    const riverReaches = river === undefined && terrain.isReachedByRiver(levels);
    const { years: drawnYears, weights, from, logYears } = plan.drawn;
    if (river !== undefined) this.#mappedRiver.prepare(river, drawnYears);
    if (sea !== undefined) this.#mappedSea.prepare(sea, drawnYears);
    // Where a layer states the protection, the ground is taken as it is.
    const isBuiltHigh = defences !== null && !plan.isDefended;
    const builtM = isBuiltHigh ? builtLevel(plan, levels.seaM) : -Infinity;
    const builtRatio = isBuiltHigh ? builtLevel(plan, levels.stageRatio) : -Infinity;

    const n = plan.years.length;
    const count = drawnYears.length;
    const drawn = damageDraws(continent);
    const isMapped = footing === 'map';
    const isDefended = plan.isDefended;
    const mapRow = this.#mapRow; // all rows are zero before each draw
    const seaRow = this.#seaRow;
    const riverRow = this.#riverRow;
    const damages = this.#damages;
    const annuals = this.#annuals;
    for (let i = 0; i < n; i++) damages[i] = 0; // faster than `fill` for so few elements
    if (keepsDepths) for (let i = 0; i < n; i++) this.#depths[i]!.fill(0);
    for (let k = 0; k < DRAW_COUNT; k++) {
      let first = isMapped ? 0 : count; // the first return period that may be wet
      const seaLog = defences === null ? NO_DEFENCE : defences.seaLog[k]!;
      const riverLog = defences === null ? NO_DEFENCE : defences.riverLog[k]!;
      if (river !== undefined) this.#mappedRiver.add(k, mapRow);
      if (sea !== undefined) this.#mappedSea.add(k, mapRow);
      if (seaReaches) first = Math.min(first, terrain.addSea(levels, k, seaRow, builtM, seaLog));
      if (riverReaches) first = Math.min(first, terrain.addRiver(levels, k, riverRow, builtRatio, riverLog));
      const seaBreach = breachShare(seaLog, k);
      const riverBreach = breachShare(riverLog, k);
      const ratios = drawn[k]!;
      let annual = 0;
      for (let i = first; i < count; i++) {
        const mapDepth = mapRow[i]!;
        const seaDepth = seaRow[i]!;
        const riverDepth = riverRow[i]!;
        let damage = 0;
        if (mapDepth > 0) damage = drawnDamageRatio(ratios, mapDepth);
        if (seaDepth > LEAST_DEPTH_M) {
          const share = seaBreach * passingShare(logYears[i]!, seaLog, i === count - 1);
          damage = Math.max(damage, share * wettedShare(seaDepth) * drawnDamageRatio(ratios, seaDepth));
        }
        if (riverDepth > LEAST_DEPTH_M) {
          const share = riverBreach * passingShare(logYears[i]!, riverLog, i === count - 1);
          damage = Math.max(damage, share * wettedShare(riverDepth) * drawnDamageRatio(ratios, riverDepth));
        }
        mapRow[i] = seaRow[i] = riverRow[i] = 0;
        const shown = i - from;
        if (shown >= 0 && shown < n) {
          damages[shown]! += damage / DRAW_COUNT;
          if (keepsDepths) this.#depths[shown]![k] = Math.max(mapDepth, seaDepth, riverDepth);
        }
        annual += weights[i]! * damage;
      }
      if (isDefended) annual *= PROTECTION_FACTORS[k]!;
      if (!isMapped) annual = annual * MODEL_FACTORS[k]! + rain * RAIN_FACTORS[k]!;
      annuals[k] = Math.min(1, annual);
    }
    if (isMapped) this.#takeMapped(river, sea, plan.years, residentialDepthDamageCurve(continent));
    let annual = isMapped ? 0 : rain;
    for (let i = 0; i < n; i++) annual += plan.weights[i]! * damages[i]!;
    const basis = this.#basisOf(isMapped, terrain, n, seaReaches || riverReaches);
    return { basis, mean: Math.min(1, annual), draws: annuals };
  }

  #basisOf(isMapped: boolean, terrain: TerrainFlood, count: number, isReached: boolean): Basis {
    if (isMapped) return this.#median[count - 1]! > 0 ? OF_WET_MAP : OF_DRY_MAP;
    if (terrain.byHand) return OF_HAND;
    if (!terrain.isKnown) return OF_SHORE;
    return isReached ? OF_TERRAIN : OF_DRY_TERRAIN;
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

  /**
   * Hazard curve of the depths of rivers and sea. It is empty where no map answers and no draw has any water: heights and
   * distances cannot show that a place stays dry, and the damage there is that of rain, which has no depth.
   */
  #curve(plan: FloodPlan, isMapped: boolean): HazardPoint[] {
    const isWet = plan.years.some((_, i) => this.#depths[i]!.some((depth) => depth > 0));
    if (!isMapped && !isWet) return [];
    const tail = isMapped ? ONE_TAIL : DRAWN_TAIL;
    return plan.years.map((returnPeriodYears, i) => {
      const depths = this.#depths[i]!;
      const intensity = isMapped ? this.#median[i]! : percentile(depths, 0.5);
      const low = Math.min(intensity, percentile(depths, tail));
      const high = Math.max(intensity, percentile(depths, 1 - tail));
      return { returnPeriodYears, intensity, low, high, damageRatio: this.#damages[i]! };
    });
  }
}

function isFooted(footing: Footing): footing is 'map' | 'terrain' {
  return footing === 'map' || footing === 'terrain';
}
