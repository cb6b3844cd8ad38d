// Long file: one assessor, whose steps share its draws and scratch arrays.
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
import { cycloneRegionOf } from './cyclone-region.ts';
import { drawnCycloneDamage, HALF_DAMAGES, UNKNOWN_CYCLONE_DAMAGES } from './cyclone-damage-draws.ts';
import { CYCLONE_THRESHOLD_MPS, type CycloneRegion } from './emanuel.ts';
import { EvidenceLadder } from '../evidence.ts';
import { rateOfLevel, rateOfReturnPeriod } from '../exceedance-rate.ts';
import { annualDamageWeights } from '../expected-annual-damage.ts';
import { candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { Shores } from '../shores.ts';
import { windstormDamageRatios } from './schwierz.ts';
import { STORM_EVIDENCE } from './storm-evidence.ts';
import { type GustSource, StormHazard, type StormWinds } from './storm-hazard.ts';

/** Prior expected annual damage ratio [1/yr] of any place (our choice). */
const PRIOR = priorAssessment(0.0005);

/** Latitudes that cyclones may reach [degrees], north and south (our choice). */
const CYCLONE_LATITUDES = [5, 45] as const;

/**
 * Expected annual damage ratio [1/yr] of tornadoes and downbursts, which gust maps leave out, and the standard
 * deviation of the logarithm of its draws (our choice: 0.00007 in the United States, hardly any in most of the world).
 */
const UNMAPPED_DAMAGE = 0.00001;
const UNMAPPED_LOG_SPREAD = 1.5;

/**
 * Ratio of the gust (3 s) to the one-minute wind at sea [1].
 * @see WMO/TD-No. 1555, table 1.1, at-sea (Harper, Kepert & Ginger 2010)
 */
const MINUTE_GUST_FACTOR = 1.11;

/** Spread of windstorm damage, as the standard deviation of its logarithm [1] (our choice). */
const WINDSTORM_DAMAGE_LOG_SPREAD = 0.7;

/** Maximum size of cells [m] that resolve the hills and shores that affect gusts. */
const COARSE_M = 10_000;

const WINDSTORM_DAMAGE_FACTORS = DRAWS[2]!.map((z) => Math.exp(WINDSTORM_DAMAGE_LOG_SPREAD * z));
const CYCLONE_DRAWS = DRAWS[1]!;
/** Draws of the unmapped damage [1/yr]; their mean is nearly `UNMAPPED_DAMAGE`. */
const UNMAPPED_DAMAGES = DRAWS[5]!.map(
  (z) => UNMAPPED_DAMAGE * Math.exp(UNMAPPED_LOG_SPREAD * (z - UNMAPPED_LOG_SPREAD / 2)),
);

/**
 * Indices of the draws in ascending order of their gust factor. The order is the same for every spread, because
 * the factor increases with the first deviate of the draw.
 */
const GUSTS_ASCENDING = Uint8Array.from(DRAWS[0]!.keys()).sort((a, b) => DRAWS[0]![a]! - DRAWS[0]![b]!);

/** Working arrays with one element per draw. All assessors share them, because an assessment is synchronous. */
const windFactors = new Float64Array(DRAW_COUNT);
const annuals = new Float64Array(DRAW_COUNT);
const gustDamages = new Float64Array(DRAW_COUNT);
/** Where cyclones occur, which calibration of their damage holds is doubted too, so those answers have their own. */
const OF_MAP = basisOf('storm', 'map');
const OF_MAP_WITH_CYCLONES = basisOf('storm', 'map, cyclones');
const OF_CLIMATE = basisOf('storm', 'climate');
const OF_CLIMATE_WITH_CYCLONES = basisOf('storm', 'climate, cyclones');
const OF_UNMAPPED_BASIN = basisOf('storm', 'climate, cyclones not mapped');

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
  readonly #shores: Shores;
  readonly #country: Candidates;
  /** Working array: mean damage ratio by return period. */
  readonly #damages: Float64Array;
  /**
   * Answers for places far inland, by the source of their gusts and the inland gust. All such places with the same
   * source and gust have the same answer.
   */
  readonly #farInland = new Map<GustSource, Map<number, Assessment>>();

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#hazard = new StormHazard(cards);
    this.#ladder = new EvidenceLadder('storm', STORM_EVIDENCE, cards);
    const years = this.#hazard.returnPeriodsYears;
    this.#weights = annualDamageWeights(years);
    this.#rates = Float64Array.from(years, rateOfReturnPeriod);
    this.#shores = new Shores(cards);
    this.#country = candidatesOf(cards, 'country');
    this.#damages = new Float64Array(years.length);
  }

  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment {
    if (this.#shores.at(readings, false) !== 'land') return PRIOR;
    const winds = this.#hazard.read(readings, Math.max(0, this.#shores.coastKm(readings)));
    const region = this.#region(readings, lat, lng);
    const { gustSource, farInlandGust } = winds;
    if (farInlandGust < 0 || !winds.cyclonesKnown) return this.#evaluate(winds, region, lat);
    let answers = this.#farInland.get(gustSource);
    if (answers === undefined) this.#farInland.set(gustSource, (answers = new Map()));
    let known = answers.get(farInlandGust);
    if (known === undefined) answers.set(farInlandGust, (known = this.#evaluate(winds, region, lat)));
    return known;
  }

  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation {
    const intensity = 'gust over 3 s at 10 m [m/s]';
    const layers = usedLayers(this.#cards, readings);
    const shown = this.#shores.at(readings, false);
    if (shown !== 'land')
      return explainPrior(PRIOR, intensity, layers, [this.#shores.priorReason(readings, shown)]);
    const winds = this.#hazard.read(readings, Math.max(0, this.#shores.coastKm(readings)));
    const annual = this.#annualDamage(winds, this.#region(readings, lat, lng), lat);
    const summary = concludeInFull(basisOfWinds(winds, lat), annual, annuals, this.#ladder, readings);
    const hazardCurve = this.#curve(winds);
    return {
      ...summary,
      intensity,
      hazardCurve,
      layers,
      reasons: [...reasonsOf(winds, hasUnknownCyclones(winds, lat)), ...this.#shores.doubts(readings)],
    };
  }

  #evaluate(winds: StormWinds, region: CycloneRegion, lat: number): Assessment {
    return conclude(basisOfWinds(winds, lat), this.#annualDamage(winds, region, lat), annuals);
  }

  #region(readings: readonly LayerReading[], lat: number, lng: number): CycloneRegion {
    return cycloneRegionOf(lat, lng, valueOf(readings, this.#country));
  }

  /**
   * Computes the expected annual damage ratio of the given winds [1/yr], and its draws in `annuals`. Stores the
   * damage ratios of the return periods in `#damages`, for `#curve`.
   */
  #annualDamage(found: StormWinds, region: CycloneRegion, lat: number): number {
    const { gusts, winds, gustSource, cycloneLogSpread } = found;
    const damages = this.#damages;
    const weights = this.#weights;
    const halfDamages = HALF_DAMAGES.get(region)!;
    const greatestFactor = winds[winds.length - 1]! > 0 ? drawCyclones(cycloneLogSpread) : 0;
    annuals.set(UNMAPPED_DAMAGES);
    let expectedAnnualDamageRatio = UNMAPPED_DAMAGE;
    for (let i = 0; i < gusts.length; i++) {
      const gust = gusts[i]!;
      const wind = winds[i]!;
      const weight = weights[i]!;
      const years = this.#hazard.returnPeriodsYears[i]!;
      let sum = 0;
      const hasCyclone = wind * greatestFactor > CYCLONE_THRESHOLD_MPS;
      const isDamaged = windstormDamageRatios(gust, gustSource.factors, GUSTS_ASCENDING, gustDamages);
      damages[i] = 0;
      if (!isDamaged && !hasCyclone) continue;
      for (let k = 0; k < DRAW_COUNT; k++) {
        let damage = isDamaged ? WINDSTORM_DAMAGE_FACTORS[k]! * gustDamages[k]! : 0;
        const drawnWind = wind * windFactors[k]!;
        if (hasCyclone && drawnWind > CYCLONE_THRESHOLD_MPS)
          damage += drawnCycloneDamage(drawnWind, years, halfDamages, k);
        if (damage > 1) damage = 1;
        sum += damage;
        annuals[k]! += weight * damage;
      }
      damages[i] = sum / DRAW_COUNT;
      expectedAnnualDamageRatio += weight * damages[i]!;
    }
    if (hasUnknownCyclones(found, lat)) {
      let sum = 0;
      for (let k = 0; k < DRAW_COUNT; k++) {
        annuals[k]! += UNKNOWN_CYCLONE_DAMAGES[k]!;
        sum += UNKNOWN_CYCLONE_DAMAGES[k]!;
      }
      expectedAnnualDamageRatio += sum / DRAW_COUNT;
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

function basisOfWinds(found: StormWinds, lat: number): Basis {
  const { gustSource, winds } = found;
  if (hasUnknownCyclones(found, lat)) return OF_UNMAPPED_BASIN;
  const hasCyclones = winds[winds.length - 1]! > 0;
  if (gustSource.version === null) return hasCyclones ? OF_CLIMATE_WITH_CYCLONES : OF_CLIMATE;
  return hasCyclones ? OF_MAP_WITH_CYCLONES : OF_MAP;
}

/** Whether cyclones may occur at a latitude but no cyclone layer covers the point. */
function hasUnknownCyclones({ cyclonesKnown }: StormWinds, lat: number): boolean {
  const [least, most] = CYCLONE_LATITUDES;
  return !cyclonesKnown && Math.abs(lat) >= least && Math.abs(lat) <= most;
}

/** Returns the reasons why an answer from these winds is less certain than the best answer of the model. */
function reasonsOf(
  { gustSource, scaledGusts, seaWindKnown, zoneKnown }: StormWinds,
  unknownCyclones: boolean,
): Reason[] {
  const reasons: Reason[] = [];
  if (gustSource.version === null) {
    const coarse = 'winds come from cells of 28 km (cyclones) and 220 km (sea); terrain is not seen';
    const prior = zoneKnown
      ? 'inland gusts are those of building codes for the climate zone, not a measured climate'
      : 'inland gusts are one prior for open country: no climate zone is known here';
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
  if (unknownCyclones) {
    const message =
      'no cyclone layer covers the point: its cyclones are drawn from those of any coast of the tropics';
    reasons.push({ code: 'outside', message });
  }
  return reasons;
}

/** Gusts within this factor of a given gust count as gusts of similar speed [1]. */
const LIKE = 1.01;
