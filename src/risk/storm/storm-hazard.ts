import type { LayerMeta, LayerReading } from '../assessment.ts';
import {
  curveVersionsOf,
  levelAt,
  mappedCurve,
  readCurve,
  reducedVariate,
  versionAt,
  type CurveVersion,
  type MappedCurve,
} from '../hazard-curve.ts';
import { candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAWS } from '../predictive-draws.ts';
import { ANY_INLAND_GUST_50_MPS, gustGrowth, inlandGustRatio, windstormGust } from './windstorm-gust.ts';

/** Return periods [years] that every hazard curve has; the return periods of installed maps are added to these. */
const RETURN_PERIODS = [2, 5, 10, 25, 50, 100, 250] as const;

/**
 * Spread of windstorm gusts without gust maps, as the standard deviation of their logarithm [1] (our choice): with a
 * gust for the climate zone (codes of places of one zone differ by a tenth, and sites differ in exposure by as much),
 * and without.
 */
const ZONE_LOG_SPREAD = 0.15;
const NO_ZONE_LOG_SPREAD = 0.2;
/**
 * Spread of windstorm gusts from installed maps, as the standard deviation of their logarithm [1]. The three
 * values: with cells of 1 km; increase per tenfold cell size; increase if the whole curve comes from one map
 * (our choice, such that nine in ten intervals contain the levels of Dutch stations, mapped from other stations
 * about 25 km away; bench/calibration).
 */
const MAP_LOG_SPREAD = 0.05;
const COARSE_LOG_SPREAD = 0.03;
const SINGLE_MAP_LOG_SPREAD = 0.04;

/**
 * Spread of cyclone return levels, as the standard deviation of their logarithm [1]: that of the wind field (our
 * choice), and that of sampling, `0.5 / sqrt(storms + 4)`. The latter follows the levels from random halves of the
 * seasons of 1980-2024 in all basins: 0.18, 0.15, 0.12, 0.08, 0.05 at 2, 8, 17, 35 and 70 storms.
 */
const CYCLONE_LOG_SPREAD = 0.12;
const CYCLONE_SAMPLING_SPREAD = 0.5;
const LEAST_STORMS = 4;

/** Step to which the inland gust is rounded [m/s], so that few different ones occur far inland. */
const GUST_STEP_MPS = 0.1;

/** Source of the gusts of windstorms. */
export interface GustSource {
  /** Version of the gust maps; null for the shipped climate of sea and inland gusts. */
  readonly version: CurveVersion | null;
  readonly logSpread: number;
  /** Factor that multiplies the gusts in each draw. */
  readonly factors: Float64Array;
}

/** Winds of both kinds of storm at a point. */
export interface StormWinds {
  /** Three-second gusts of windstorms [m/s], one for each return period; never decreasing. */
  readonly gusts: Float64Array;
  readonly gustSource: GustSource;
  /** Whether gusts of some return periods were extrapolated from the nearest map. */
  readonly scaledGusts: boolean;
  /** Whether a sea wind is known nearby, and a gust for the climate zone; only meaningful for the shipped climate. */
  readonly seaWindKnown: boolean;
  readonly zoneKnown: boolean;
  /**
   * One-minute winds of tropical cyclones [m/s], one for each return period, never decreasing; 0 if gales occur
   * less often than the return period.
   */
  readonly winds: Float64Array;
  readonly cycloneLogSpread: number;
  /** Whether a cyclone layer has a value at the point; a value of 0 counts too. */
  readonly cyclonesKnown: boolean;
  /**
   * Number of steps of the inland gust [0.1 m/s] if there are no cyclones here and the gusts are the inland gusts;
   * otherwise -1. All points with the same number and the same source have the same winds.
   */
  readonly farInlandGust: number;
}

function gustSource(version: CurveVersion | null, logSpread: number): GustSource {
  return { version, logSpread, factors: DRAWS[0]!.map((z) => Math.exp(logSpread * z)) };
}

function mapLogSpread({ resolutionM, cards }: CurveVersion): number {
  const coarse = COARSE_LOG_SPREAD * Math.max(0, Math.log10(resolutionM / 1000));
  return MAP_LOG_SPREAD + coarse + (cards.length === 1 ? SINGLE_MAP_LOG_SPREAD : 0);
}

/** The curve of one version of a layer at a point. */
interface LayerCurve extends MappedCurve {
  /** Index of the version. */
  readonly version: number;
}

/** Reads the curve of one layer at a point. `versions` are the versions with return periods, finest first. */
class HazardLayer {
  readonly versions: readonly CurveVersion[];
  readonly #variates: readonly Float64Array[];
  readonly #curves: readonly LayerCurve[];

  constructor(cards: readonly LayerMeta[], layer: string) {
    this.versions = curveVersionsOf(cards, layer);
    this.#variates = this.versions.map(({ returnPeriodsYears }) =>
      Float64Array.from(returnPeriodsYears, reducedVariate),
    );
    this.#curves = this.versions.map((version, i) => ({ ...mappedCurve([version]), version: i }));
  }

  /**
   * Returns the curve of the finest version with a value at the point; undefined if none has a value. The next
   * call overwrites the returned curve.
   */
  read(readings: readonly LayerReading[]): LayerCurve | undefined {
    const v = versionAt(this.versions, readings);
    if (v < 0) return undefined;
    const curve = this.#curves[v]!;
    readCurve(this.versions[v]!, this.#variates[v]!, readings, curve);
    return curve;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads the winds of both kinds of storm from the layers of one snapshot. */
export class StormHazard {
  /** Return periods of all curves [years], ascending. */
  readonly returnPeriodsYears: readonly number[];
  readonly #winds: Writable<StormWinds>;
  readonly #variates: Float64Array;
  /** Ratios of the inland gusts of the return periods to the fifty-year gust. */
  readonly #inlandRatios: Float64Array;
  readonly #inland: Candidates;
  readonly #gust: HazardLayer;
  readonly #sea: HazardLayer;
  readonly #cyclone: HazardLayer;
  readonly #gustSources: readonly GustSource[];
  readonly #prior = gustSource(null, ZONE_LOG_SPREAD);
  readonly #priorWithoutZone = gustSource(null, NO_ZONE_LOG_SPREAD);
  /** For each version of the cyclone layer, the cards of the storm counts of the same version. */
  readonly #counts: readonly Candidates[];

  constructor(cards: readonly LayerMeta[]) {
    this.#gust = new HazardLayer(cards, 'gust');
    this.#sea = new HazardLayer(cards, 'sea-wind');
    this.#cyclone = new HazardLayer(cards, 'cyclone-wind');
    const mapped = [this.#gust, this.#sea, this.#cyclone].flatMap(({ versions }) =>
      versions.flatMap((version) => version.returnPeriodsYears),
    );
    this.returnPeriodsYears = [...new Set([...RETURN_PERIODS, ...mapped])].sort((a, b) => a - b);
    this.#variates = Float64Array.from(this.returnPeriodsYears, reducedVariate);
    this.#inlandRatios = this.#variates.map(inlandGustRatio);
    this.#inland = candidatesOf(cards, 'inland-gust');
    this.#gustSources = this.#gust.versions.map((version) => gustSource(version, mapLogSpread(version)));
    const counts = candidatesOf(cards, 'cyclone-count');
    this.#counts = this.#cyclone.versions.map(({ version }) =>
      counts.filter((i) => cards[i]!.version === version),
    );
    this.#winds = {
      gusts: new Float64Array(this.returnPeriodsYears.length),
      gustSource: this.#prior,
      scaledGusts: false,
      seaWindKnown: false,
      zoneKnown: false,
      winds: new Float64Array(this.returnPeriodsYears.length),
      cycloneLogSpread: 0,
      cyclonesKnown: false,
      farInlandGust: -1,
    };
  }

  /**
   * Winds at a point `inlandKm` (0 or more) from the sea. The next call overwrites the returned object: it is
   * reused to avoid allocating memory for each query.
   */
  read(readings: readonly LayerReading[], inlandKm: number): StormWinds {
    const found = this.#winds;
    const gustCurve = this.#gust.read(readings);
    found.farInlandGust = -1;
    if (gustCurve === undefined) this.#takeClimate(found, readings, inlandKm);
    else this.#takeMaps(found, gustCurve);
    const cyclones = this.#cyclone.read(readings);
    this.#takeCyclones(found.winds, cyclones);
    found.cyclonesKnown = cyclones !== undefined;
    if (found.winds[found.winds.length - 1]! > 0) found.farInlandGust = -1;
    if (cyclones !== undefined) {
      const storms = valueOf(readings, this.#counts[cyclones.version]!);
      const sampling = CYCLONE_SAMPLING_SPREAD / Math.sqrt(LEAST_STORMS + (storms > 0 ? storms : 0));
      found.cycloneLogSpread = Math.hypot(CYCLONE_LOG_SPREAD, sampling);
    }
    return found;
  }

  #takeCyclones(winds: Float64Array, curve: LayerCurve | undefined): void {
    for (let i = 0; i < winds.length; i++) winds[i] = 0; // faster than `fill` for so few
    if (curve === undefined) return;
    // Below the return period of the first map the wind is 0; above that of the last map it is constant.
    for (let i = 0; i < winds.length; i++)
      if (this.#variates[i]! >= curve.variates[0]!) winds[i] = levelAt(curve, this.#variates[i]!);
  }

  #takeClimate(found: Writable<StormWinds>, readings: readonly LayerReading[], inlandKm: number): void {
    const sea = this.#sea.read(readings);
    const ofZone = valueOf(readings, this.#inland);
    found.scaledGusts = false;
    found.seaWindKnown = sea !== undefined;
    found.zoneKnown = ofZone > 0;
    found.gustSource = found.zoneKnown ? this.#prior : this.#priorWithoutZone;
    const steps = Math.round((found.zoneKnown ? ofZone : ANY_INLAND_GUST_50_MPS) / GUST_STEP_MPS);
    let isInland = true;
    for (let i = 0; i < found.gusts.length; i++) {
      const known = sea !== undefined && this.#variates[i]! >= sea.variates[0]!;
      const seaWind = known ? levelAt(sea, this.#variates[i]!) : Number.NaN;
      const inland = steps * GUST_STEP_MPS * this.#inlandRatios[i]!;
      found.gusts[i] = windstormGust(inland, seaWind, inlandKm);
      isInland &&= found.gusts[i] === inland;
    }
    if (isInland) found.farInlandGust = steps;
  }

  /**
   * Sets the gusts from gust maps: between the maps linear in the reduced variate; beyond the first and the last
   * map by the probability factor of EN 1991-1-4.
   */
  #takeMaps(found: Writable<StormWinds>, curve: LayerCurve): void {
    found.gustSource = this.#gustSources[curve.version]!;
    const first = curve.variates[0]!;
    const last = curve.variates[curve.count - 1]!;
    found.scaledGusts = first > this.#variates[0]! || last < this.#variates.at(-1)!;
    for (let i = 0; i < found.gusts.length; i++) {
      const variate = this.#variates[i]!;
      const nearest = Math.min(last, Math.max(first, variate));
      found.gusts[i] = levelAt(curve, variate) * gustGrowth(variate, nearest);
    }
  }
}
