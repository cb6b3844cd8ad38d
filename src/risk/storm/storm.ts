import type {
  Assessment,
  Assessor,
  Explanation,
  HazardPoint,
  LayerMeta,
  LayerReading,
  Reason,
  RiskModel,
} from '../assessment.ts';
import { confidenceCorrection } from '../calibration.ts';
import { confidenceOfRatios } from '../confidence.ts';
import { unmappedBasin } from './cyclone-basins.ts';
import { cycloneRegionOf } from './cyclone-region.ts';
import { cycloneDamageRatio, type CycloneRegion, CYCLONE_THRESHOLD_MPS, HALF_DAMAGE_MPS } from './emanuel.ts';
import { rateOfLevel, rateOfReturnPeriod } from '../exceedance-rate.ts';
import { annualDamageWeights } from '../expected-annual-damage.ts';
import { absenceOf, candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { windstormDamageRatios } from './schwierz.ts';
import { riskScore } from '../score.ts';
import { type GustSource, StormHazard } from './storm-hazard.ts';

/** Prior expected annual damage ratios [1/yr] (ours): anywhere, and in a cyclone basin that no layer knows. */
const PRIOR = priorAssessment(0.0005);
const BASIN_PRIOR = priorAssessment(0.002);

/** Expected annual damage ratio [1/yr] of tornadoes and downbursts, which no map of gusts holds (ours). */
const UNMAPPED_DAMAGE = 0.00001;

/** Gust (3 s) over the one-minute wind at sea [1]. @see WMO/TD-No. 1555, table 1.1, at-sea (Harper, Kepert & Ginger 2010) */
const MINUTE_GUST_FACTOR = 1.11;

/** Spread of the damage that windstorms do and of half-damage winds: standard deviations of logarithms [1] (ours; the latter after Eberenz et al. 2021, figure 5). */
const WINDSTORM_DAMAGE_LOG_SPREAD = 0.7;
const HALF_DAMAGE_LOG_SPREAD = 0.25;

/** Nearer than this to the mapped shore a point off the coast may be an island or a quay [km]; see flood. */
const SHORE_TOLERANCE_KM = 3.5;

/** The coast layer ends here [km]; farther inland an unmapped cyclone has weakened, and the answer is only doubted. */
const CYCLONE_REACH_KM = 79;
const INLAND_DOUBT = 0.5;

/** Cells larger than this [m] do not see the hills and shores that gusts depend on. */
const COARSE_M = 10_000;

const WINDSTORM_DAMAGE_FACTORS = DRAWS[2]!.map((z) => Math.exp(WINDSTORM_DAMAGE_LOG_SPREAD * z));
const HALF_DAMAGE_FACTORS = DRAWS[3]!.map((z) => Math.exp(HALF_DAMAGE_LOG_SPREAD * z));
const CYCLONE_DRAWS = DRAWS[1]!;

/** Draws by their gust factor, which is a rising function of their first deviate, whatever the spread. */
const GUSTS_ASCENDING = Uint8Array.from(DRAWS[0]!.keys()).sort((a, b) => DRAWS[0]![a]! - DRAWS[0]![b]!);

/** Half-damage winds of each region's draws [m/s]. */
const HALF_DAMAGES = new Map(
  (Object.keys(HALF_DAMAGE_MPS) as CycloneRegion[]).map((region) => [
    region,
    HALF_DAMAGE_FACTORS.map((factor) =>
      Math.max(CYCLONE_THRESHOLD_MPS + 1, HALF_DAMAGE_MPS[region] * factor),
    ),
  ]),
);

/** Scratch, one per draw: an assessment is done before another begins. */
const windFactors = new Float64Array(DRAW_COUNT);
const annuals = new Float64Array(DRAW_COUNT);
const gustDamages = new Float64Array(DRAW_COUNT);
const ofMap = confidenceCorrection('storm', 'map');
const ofPrior = confidenceCorrection('storm', 'prior');

/** @returns the greatest wind factor */
function drawCyclones(logSpread: number): number {
  let greatest = 0;
  for (let k = 0; k < DRAW_COUNT; k++) {
    windFactors[k] = Math.exp(logSpread * CYCLONE_DRAWS[k]!);
    greatest = Math.max(greatest, windFactors[k]!);
  }
  return greatest;
}

class StormAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #hazard: StormHazard;
  readonly #weights: Float64Array;
  readonly #rates: Float64Array;
  readonly #coast: Candidates;
  /** Scratch, one per return period. */
  readonly #damages: Float64Array;
  /** Of places far inland, by where their gusts come from: the same for all of them. */
  readonly #farInland = new Map<GustSource, Assessment>();

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#hazard = new StormHazard(cards);
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
    this.#hazard.read(readings, Math.max(0, coastKm));
    const trust = basin === null ? 1 : INLAND_DOUBT;
    if (!this.#hazard.isFarInland) return this.#evaluate(lat, lng, trust);
    const { gustSource } = this.#hazard;
    let known = this.#farInland.get(gustSource);
    if (known === undefined) this.#farInland.set(gustSource, (known = this.#evaluate(lat, lng, 1)));
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
    this.#hazard.read(readings, Math.max(0, coastKm));
    const summary = this.#evaluate(lat, lng, basin === null ? 1 : INLAND_DOUBT);
    return {
      ...summary,
      intensity,
      hazardCurve: this.#curve(),
      layers,
      reasons: this.#reasons(basin),
    };
  }

  /** The basin whose cyclones no layer knows here; null where cyclones are mapped or do not occur. */
  #unknownBasin(readings: readonly LayerReading[], lat: number, lng: number): string | null {
    return this.#hazard.knowsCyclones(readings) ? null : unmappedBasin(lat, lng);
  }

  /** Reasons of what was read last. */
  #reasons(basin: string | null): Reason[] {
    const { gustSource, scaledGusts, seaWindKnown } = this.#hazard;
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

  /** The answer by the winds read last; leaves the damages of their return periods in the scratch. */
  #evaluate(lat: number, lng: number, trust: number): Assessment {
    const { gusts, winds, gustSource, cycloneLogSpread } = this.#hazard;
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
    const score = riskScore(expectedAnnualDamageRatio);
    const raw = confidenceOfRatios(score, annuals);
    const confidence = trust * (gustSource.version === null ? ofPrior(raw) : ofMap(raw));
    return { riskScore: score, confidence, expectedAnnualDamageRatio };
  }

  /** Gusts of both causes together: independent yearly maxima, so their rates add (`F = F_synoptic F_cyclone`). */
  #curve(): HazardPoint[] {
    const { gusts, winds, returnPeriodsYears } = this.#hazard;
    const cycloneGusts = winds.map((wind) => wind * MINUTE_GUST_FACTOR);
    const rateAbove = (gust: number): number =>
      rateOfLevel(gusts, this.#rates, gust) + rateOfLevel(cycloneGusts, this.#rates, gust);
    return returnPeriodsYears.map((returnPeriodYears, i) => {
      let low = Math.max(gusts[i]!, cycloneGusts[i]!);
      let high = Math.max(low, gusts.at(-1)!, cycloneGusts.at(-1)!);
      for (let step = 0; step < 40; step++) {
        const middle = (low + high) / 2;
        if (rateAbove(middle) > this.#rates[i]!) low = middle;
        else high = middle;
      }
      const spread = this.#jointSpread(low, gusts, cycloneGusts);
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
   * Spread of a gust of both causes together, as the standard deviation of its logarithm: each cause moves it by its
   * share of the gusts like it.
   */
  #jointSpread(gust: number, gusts: Float64Array, cycloneGusts: Float64Array): number {
    const { gustSource, cycloneLogSpread } = this.#hazard;
    const like = (levels: Float64Array): number =>
      rateOfLevel(levels, this.#rates, gust / LIKE) - rateOfLevel(levels, this.#rates, gust * LIKE);
    const [byWindstorm, byCyclone] = [like(gusts), like(cycloneGusts)];
    const both = byWindstorm + byCyclone;
    if (!(both > 0)) return cycloneGusts.at(-1)! > gusts.at(-1)! ? cycloneLogSpread : gustSource.logSpread;
    return Math.hypot((byWindstorm / both) * gustSource.logSpread, (byCyclone / both) * cycloneLogSpread);
  }
}

/** Factor to either side of a gust between which the rate of gusts like it is counted [1]. */
const LIKE = 1.01;

/** Wind of tropical cyclones and of extratropical storms. */
export const stormModel: RiskModel = {
  peril: 'storm',
  modelVersion: 'storm-v0.3.0',
  layers: ['coast-distance', 'gust', 'sea-wind', 'cyclone-wind', 'cyclone-count'],
  method:
    'Return levels of cyclone winds (best tracks, Holland fields, pooled over neighbouring tracks) with Emanuel damage by ' +
    'region, and of windstorm gusts (installed gust maps, else a sea climate fading to an inland prior) with Schwierz damage; ' +
    'both annual damages add.',
  citations: [
    'Holland 2008, doi:10.1175/2008MWR2395.1',
    'Holland, Belanger & Fritz 2010, doi:10.1175/2010MWR3119.1',
    'Emanuel 2011, doi:10.1175/WCAS-D-11-00007.1',
    'Eberenz, Lüthi & Bresch 2021, doi:10.5194/nhess-21-393-2021',
    'Schwierz et al. 2010, doi:10.1007/s10584-009-9712-1',
    'Harper, Kepert & Ginger 2010, WMO/TD-No. 1555',
  ],
  limits: [
    'Cyclones ship for the Atlantic basin only; other basins need a layer derived from their best tracks, and without one ' +
      'their coasts are given the prior, with confidence 0.',
    'Forty-six years of tracks: levels beyond 100 years lean on pooling storms within some 200 km.',
    'Winds are those over open water or flat country: hills, towns and forests are not seen.',
    'Without a gust layer, inland gusts are one prior for every continent.',
    'Tornadoes and downbursts are one small constant for every place; hail is left out.',
  ],
  prepare: (cards) => new StormAssessor(cards),
};
