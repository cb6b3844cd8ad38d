// Long file: one assessor, whose steps share its draws and scratch arrays.
import { COAST_LAYER_REACH_KM, SHORE_TOLERANCE_KM } from '../coast-layer.ts';
import type {
  Assessment,
  Assessor,
  Explanation,
  HazardPoint,
  LayerMeta,
  LayerReading,
  Reason,
} from '../assessment.ts';
import { type Basis, basisOf, conclude, concludeInFull } from '../conclusion.ts';
import { unmappedBasin } from './cyclone-basins.ts';
import { cycloneRegionOf } from './cyclone-region.ts';
import {
  cycloneDamageRatio,
  type CycloneRegion,
  CYCLONE_THRESHOLD_MPS,
  CYCLONE_HALF_DAMAGE_MPS,
} from './emanuel.ts';
import { EvidenceLadder } from '../evidence.ts';
import { rateOfLevel, rateOfReturnPeriod } from '../exceedance-rate.ts';
import { annualDamageWeights } from '../expected-annual-damage.ts';
import { absenceOf, candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { windstormDamageRatios } from './schwierz.ts';
import { STORM_EVIDENCE } from './storm-evidence.ts';
import { type GustSource, StormHazard, type StormWinds } from './storm-hazard.ts';

/**
 * Prior expected annual damage ratios [1/yr] (our choice): for any place, and for places in a cyclone basin
 * without a cyclone layer.
 */
const PRIOR = priorAssessment(0.0005);
const BASIN_PRIOR = priorAssessment(0.002);

/** Expected annual damage ratio [1/yr] of tornadoes and downbursts, which gust maps leave out (our choice). */
const UNMAPPED_DAMAGE = 0.00001;

/**
 * Ratio of the gust (3 s) to the one-minute wind at sea [1].
 * @see WMO/TD-No. 1555, table 1.1, at-sea (Harper, Kepert & Ginger 2010)
 */
const MINUTE_GUST_FACTOR = 1.11;

/**
 * Spreads of windstorm damage and of half-damage winds, as standard deviations of their logarithms [1] (our
 * choice; the second based on Eberenz et al. 2021, figure 5).
 */
const WINDSTORM_DAMAGE_LOG_SPREAD = 0.7;
const HALF_DAMAGE_LOG_SPREAD = 0.25;

/**
 * Distance inland [km] from which the cyclones of an unmapped basin are left out, because they have weakened there.
 * In return, the confidence is multiplied by INLAND_DOUBT [1] (our choice).
 */
const CYCLONE_REACH_KM = COAST_LAYER_REACH_KM;
const INLAND_DOUBT = 0.5;

/** Maximum size of cells [m] that resolve the hills and shores that affect gusts. */
const COARSE_M = 10_000;

const WINDSTORM_DAMAGE_FACTORS = DRAWS[2]!.map((z) => Math.exp(WINDSTORM_DAMAGE_LOG_SPREAD * z));
const HALF_DAMAGE_FACTORS = DRAWS[3]!.map((z) => Math.exp(HALF_DAMAGE_LOG_SPREAD * z));
const CYCLONE_DRAWS = DRAWS[1]!;

/**
 * Indices of the draws in ascending order of their gust factor. The order is the same for every spread, because
 * the factor increases with the first deviate of the draw.
 */
const GUSTS_ASCENDING = Uint8Array.from(DRAWS[0]!.keys()).sort((a, b) => DRAWS[0]![a]! - DRAWS[0]![b]!);

/** Half-damage winds of all draws [m/s], by region. */
const HALF_DAMAGES = new Map(
  (Object.keys(CYCLONE_HALF_DAMAGE_MPS) as CycloneRegion[]).map((region) => [
    region,
    HALF_DAMAGE_FACTORS.map((factor) =>
      Math.max(CYCLONE_THRESHOLD_MPS + 1, CYCLONE_HALF_DAMAGE_MPS[region] * factor),
    ),
  ]),
);

/** Working arrays with one element per draw. All assessors share them, because an assessment is synchronous. */
const windFactors = new Float64Array(DRAW_COUNT);
const annuals = new Float64Array(DRAW_COUNT);
const gustDamages = new Float64Array(DRAW_COUNT);
const OF_MAP = basisOf('storm', 'map');
const OF_PRIOR = basisOf('storm', 'prior');

/** Fills `windFactors`. @returns the largest factor */
function drawCyclones(logSpread: number): number {
  let greatest = 0;
  for (let k = 0; k < DRAW_COUNT; k++) {
    windFactors[k] = Math.exp(logSpread * CYCLONE_DRAWS[k]!);
    greatest = Math.max(greatest, windFactors[k]!);
  }
  return greatest;
}

/** Storm risk from the layers of one snapshot. */
export class StormAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #hazard: StormHazard;
  readonly #ladder: EvidenceLadder;
  readonly #weights: Float64Array;
  readonly #rates: Float64Array;
  readonly #coast: Candidates;
  /** Working array: mean damage ratio by return period. */
  readonly #damages: Float64Array;
  /**
   * Answers for places far inland, by the source of their gusts. All such places with the same source have the
   * same answer.
   */
  readonly #farInland = new Map<GustSource, Assessment>();

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#hazard = new StormHazard(cards);
    this.#ladder = new EvidenceLadder('storm', STORM_EVIDENCE, cards);
    const years = this.#hazard.returnPeriodsYears;
    this.#weights = annualDamageWeights(years);
    this.#rates = Float64Array.from(years, rateOfReturnPeriod);
    this.#coast = candidatesOf(cards, 'coast-distance');
    this.#damages = new Float64Array(years.length);
  }

  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment {
    const coastKm = valueOf(readings, this.#coast);
    if (!(coastKm >= -SHORE_TOLERANCE_KM)) return PRIOR;
    const basin = this.#unknownBasin(readings, lat, lng);
    if (basin !== null && coastKm < CYCLONE_REACH_KM) return BASIN_PRIOR;
    const winds = this.#hazard.read(readings, Math.max(0, coastKm));
    const trust = basin === null ? 1 : INLAND_DOUBT;
    if (!winds.isFarInland) return this.#evaluate(winds, lat, lng, trust);
    const { gustSource } = winds;
    let known = this.#farInland.get(gustSource);
    if (known === undefined) this.#farInland.set(gustSource, (known = this.#evaluate(winds, lat, lng, 1)));
    return trust === 1 ? known : { ...known, confidence: trust * known.confidence };
  }

  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation {
    const intensity = 'gust over 3 s at 10 m [m/s]';
    const layers = usedLayers(this.#cards, readings);
    const coastKm = valueOf(readings, this.#coast);
    if (Number.isNaN(coastKm)) {
      const code = absenceOf(readings, this.#coast);
      const message = 'no coast layer covers the point: this is the prior for any place';
      return explainPrior(PRIOR, intensity, layers, [{ code, message }]);
    }
    if (coastKm < -SHORE_TOLERANCE_KM) {
      const message = 'the point lies in open water: no building stands there';
      return explainPrior(PRIOR, intensity, layers, [{ code: 'sea', message }]);
    }
    const basin = this.#unknownBasin(readings, lat, lng);
    if (basin !== null && coastKm < CYCLONE_REACH_KM) {
      const message = `no cyclone layer covers the ${basin}: this is the prior for its coasts`;
      return explainPrior(BASIN_PRIOR, intensity, layers, [{ code: 'outside', message }]);
    }
    const winds = this.#hazard.read(readings, Math.max(0, coastKm));
    const trust = basin === null ? 1 : INLAND_DOUBT;
    const annual = this.#annualDamage(winds, lat, lng);
    const summary = concludeInFull(basisOfWinds(winds), annual, annuals, this.#ladder, readings);
    return {
      ...summary,
      confidence: trust * summary.confidence,
      intensity,
      hazardCurve: this.#curve(winds),
      layers,
      reasons: reasonsOf(winds, basin),
    };
  }

  /**
   * Name of the cyclone basin at a point without a cyclone layer; null where cyclones are mapped or do not occur.
   */
  #unknownBasin(readings: readonly LayerReading[], lat: number, lng: number): string | null {
    return this.#hazard.knowsCyclones(readings) ? null : unmappedBasin(lat, lng);
  }

  #evaluate(winds: StormWinds, lat: number, lng: number, trust: number): Assessment {
    const answer = conclude(basisOfWinds(winds), this.#annualDamage(winds, lat, lng), annuals);
    return trust === 1 ? answer : { ...answer, confidence: trust * answer.confidence };
  }

  /**
   * Computes the expected annual damage ratio of the given winds [1/yr], and its draws in `annuals`. Stores the
   * damage ratios of the return periods in `#damages`, for `#curve`.
   */
  #annualDamage(
    { gusts, winds, gustSource, cycloneLogSpread }: StormWinds,
    lat: number,
    lng: number,
  ): number {
    const damages = this.#damages;
    const weights = this.#weights;
    const halfDamages = HALF_DAMAGES.get(cycloneRegionOf(lat, lng))!;
    const greatestFactor = winds[winds.length - 1]! > 0 ? drawCyclones(cycloneLogSpread) : 0;
    annuals.fill(UNMAPPED_DAMAGE);
    let expectedAnnualDamageRatio = UNMAPPED_DAMAGE;
    for (let i = 0; i < gusts.length; i++) {
      const gust = gusts[i]!;
      const wind = winds[i]!;
      const weight = weights[i]!;
      let sum = 0;
      const hasCyclone = wind * greatestFactor > CYCLONE_THRESHOLD_MPS;
      const isDamaged = windstormDamageRatios(gust, gustSource.factors, GUSTS_ASCENDING, gustDamages);
      damages[i] = 0;
      if (!isDamaged && !hasCyclone) continue;
      for (let k = 0; k < DRAW_COUNT; k++) {
        let damage = isDamaged ? WINDSTORM_DAMAGE_FACTORS[k]! * gustDamages[k]! : 0;
        const drawnWind = wind * windFactors[k]!;
        if (hasCyclone && drawnWind > CYCLONE_THRESHOLD_MPS)
          damage += cycloneDamageRatio(drawnWind, halfDamages[k]!);
        if (damage > 1) damage = 1;
        sum += damage;
        annuals[k]! += weight * damage;
      }
      damages[i] = sum / DRAW_COUNT;
      expectedAnnualDamageRatio += weight * damages[i]!;
    }
    return expectedAnnualDamageRatio;
  }

  /**
   * Hazard curve of the gusts of windstorms and cyclones together. Their yearly maxima are independent, so their
   * rates add up (`F = F_synoptic F_cyclone`).
   */
  #curve(found: StormWinds): HazardPoint[] {
    const { gusts, winds } = found;
    const cycloneGusts = winds.map((wind) => wind * MINUTE_GUST_FACTOR);
    const rateAbove = (gust: number): number =>
      rateOfLevel(gusts, this.#rates, gust) + rateOfLevel(cycloneGusts, this.#rates, gust);
    return this.#hazard.returnPeriodsYears.map((returnPeriodYears, i) => {
      let low = Math.max(gusts[i]!, cycloneGusts[i]!);
      let high = Math.max(low, gusts.at(-1)!, cycloneGusts.at(-1)!);
      for (let step = 0; step < 40; step++) {
        const middle = (low + high) / 2;
        if (rateAbove(middle) > this.#rates[i]!) low = middle;
        else high = middle;
      }
      const spread = this.#jointSpread(low, found, cycloneGusts);
      return {
        returnPeriodYears,
        intensity: low,
        low: low * Math.exp(-1.645 * spread), // 5th and 95th percentile of the normal distribution
        high: low * Math.exp(1.645 * spread),
        damageRatio: this.#damages[i]!,
      };
    });
  }

  /**
   * Spread of a gust of windstorms and cyclones together, as the standard deviation of its logarithm: the spreads
   * of both causes, each weighted by the share of its cause among the gusts of similar speed, are added in
   * quadrature.
   */
  #jointSpread(
    gust: number,
    { gusts, gustSource, cycloneLogSpread }: StormWinds,
    cycloneGusts: Float64Array,
  ): number {
    const like = (levels: Float64Array): number =>
      rateOfLevel(levels, this.#rates, gust / LIKE) - rateOfLevel(levels, this.#rates, gust * LIKE);
    const [byWindstorm, byCyclone] = [like(gusts), like(cycloneGusts)];
    const both = byWindstorm + byCyclone;
    if (!(both > 0)) return cycloneGusts.at(-1)! > gusts.at(-1)! ? cycloneLogSpread : gustSource.logSpread;
    return Math.hypot((byWindstorm / both) * gustSource.logSpread, (byCyclone / both) * cycloneLogSpread);
  }
}

function basisOfWinds({ gustSource }: StormWinds): Basis {
  return gustSource.version === null ? OF_PRIOR : OF_MAP;
}

/** Returns the reasons why an answer from these winds is less certain than the best answer of the model. */
function reasonsOf({ gustSource, scaledGusts, seaWindKnown }: StormWinds, basin: string | null): Reason[] {
  const reasons: Reason[] = [];
  if (gustSource.version === null) {
    const coarse = 'winds come from cells of 28 km (cyclones) and 220 km (sea); terrain is not seen';
    const prior = 'inland gusts are one prior for open country, not a measured climate';
    reasons.push({ code: 'coarse', message: coarse }, { code: 'prior', message: prior });
    if (!seaWindKnown) {
      const message = 'no wind at sea is known near: the inland gust stands alone';
      reasons.push({ code: 'nodata', message });
    }
  } else {
    const { resolutionM, returnPeriodsYears } = gustSource.version;
    if (resolutionM > COARSE_M) {
      const message = `gusts come from cells of ${Math.round(resolutionM / 1000)} km; terrain is not seen`;
      reasons.push({ code: 'coarse', message });
    }
    if (scaledGusts) {
      const message = `gusts are mapped for ${returnPeriodsYears.join(', ')} years; rarer and more frequent ones follow the probability factor of EN 1991-1-4`;
      reasons.push({ code: 'not-modelled', message });
    }
  }
  if (basin !== null) {
    const message = `no cyclone layer covers the ${basin}; this far inland its storms are left out, and confidence halved`;
    reasons.push({ code: 'outside', message });
  }
  return reasons;
}

/** Gusts within this factor of a given gust count as gusts of similar speed [1]. */
const LIKE = 1.01;
