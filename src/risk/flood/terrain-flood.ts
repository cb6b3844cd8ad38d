import { COAST_LAYER_REACH_KM } from '../coast-layer.ts';
import { COARSE_LOG_SPREAD, heightDraw, heightSpread, leastDikedHeightM } from './flood-ground.ts';
import type { FloodPlan } from './flood-plan.ts';
import type { GaugedLevels, GaugeReading } from './gauged-levels.ts';
import { isStrong } from './flood-defences.ts';
import {
  INLAND_FALL_LOG_SPREAD,
  SEA_LEVEL_LOG_SPREAD,
  STAGE_LOG_SPREAD,
  type WaterLevels,
} from './flood-water.ts';
import { normalProbability } from '../../numerics/normal.ts';
import { DRAWS } from '../predictive-draws.ts';

/** Maximum distance inland of floods from the sea [km]. */
export const SEA_REACH_KM = COAST_LAYER_REACH_KM;

/** Minimum river stage that counts as a flood [m]. */
const LEAST_STAGE_M = 0.05;

/** Standard normal deviate that is greater than the deviates of all draws. */
const EXTREME_DRAW = 3;

export const COARSE_SPREAD = heightSpread(DRAWS[0]!, COARSE_LOG_SPREAD);

const HEIGHT_RANKS = DRAWS[0]!.map(normalProbability);
const LEAST_RANK = Math.min(...HEIGHT_RANKS);
/**
 * Index of the draw with the lowest height. It is the same for every spread, because the factor of the height
 * increases with the deviate of the draw.
 */
const LOWEST = DRAWS[0]!.indexOf(Math.min(...DRAWS[0]!));
const SEA_FACTORS = DRAWS[1]!.map((z) => Math.exp(SEA_LEVEL_LOG_SPREAD * z));
const STAGE_FACTORS = DRAWS[1]!.map((z) => Math.exp(STAGE_LOG_SPREAD * z));
const FALL_FACTORS = DRAWS[3]!.map((z) => Math.exp(INLAND_FALL_LOG_SPREAD * z));
const LEAST_FALL = Math.exp(-INLAND_FALL_LOG_SPREAD * EXTREME_DRAW);
const HIGHEST_SEA = Math.exp(SEA_LEVEL_LOG_SPREAD * EXTREME_DRAW);
const HIGHEST_STAGE = Math.exp(STAGE_LOG_SPREAD * EXTREME_DRAW);

/**
 * Floods at one point from heights and distances alone: compares prior water levels with the height of the
 * ground.
 */
export class TerrainFlood {
  /** Distance inland [km], 0 or more; infinite if no layer has a value. */
  inlandKm = 0;
  /** Decrease of the flood level of the sea over the distance inland [m]. */
  fallM = 0;
  /**
   * Median ground height above mean sea level [m], and the factor of the height in each draw. Not set beyond
   * SEA_REACH_KM.
   */
  groundM = 0;
  groundSpread = COARSE_SPREAD;
  /**
   * Height of the point above the bank of the nearest drainage or river of any size [m], and the bankfull depth
   * of that river, reduced with distance [m].
   */
  anyBankM = 0;
  anyDepthM = 0;
  anySpread = COARSE_SPREAD;
  /** Share of the draws in which the point is on the valley floor [1]. */
  floorShare = 0;
  /** Height above the bank, and bankfull depth reduced with distance, of the nearest large river [m]. */
  majorBankM = 0;
  majorDepthM = 0;
  /** Whether any layer of heights or of distances to rivers has a value. */
  isKnown = false;
  /** Whether the height above the river comes from the layer of height above nearest drainage. */
  byHand = false;
  /** Gauges that speak for the point; undefined where the water levels are priors. */
  seaGauge: GaugeReading | undefined;
  riverGauge: GaugeReading | undefined;
  /** Usual levels of the coast; undefined where no layer has them. */
  coast: GaugeReading | undefined;
  readonly #coasts: GaugedLevels;
  readonly #seaGauges: GaugedLevels;
  readonly #riverGauges: GaugedLevels;

  /** The gauges blend their own readings with the priors. */
  constructor(coasts: GaugedLevels, seaGauges: GaugedLevels, riverGauges: GaugedLevels) {
    this.#coasts = coasts;
    this.#seaGauges = seaGauges;
    this.#riverGauges = riverGauges;
  }

  /** Water levels at the return periods of the draws: those of the plan, blended with the levels of coast and gauges. */
  levelsOf({ levels, drawn }: FloodPlan): WaterLevels {
    const { coast, seaGauge, riverGauge } = this;
    if (coast === undefined && seaGauge === undefined && riverGauge === undefined) return levels;
    const { stageRatio } = levels;
    const seaM = coast === undefined ? levels.seaM : this.#coasts.blend(coast, drawn.variates, levels.seaM);
    return {
      seaM: seaGauge === undefined ? seaM : this.#seaGauges.blend(seaGauge, drawn.variates, seaM),
      stageRatio:
        riverGauge === undefined
          ? stageRatio
          : this.#riverGauges.blend(riverGauge, drawn.variates, stageRatio),
    };
  }

  get #seaReading(): GaugeReading | undefined {
    return this.seaGauge ?? this.coast;
  }

  /** Whether an upper bound of the rarest sea level is above the ground in the draw with the lowest ground. */
  isReachedBySea(levels: WaterLevels): boolean {
    if (!(this.inlandKm < SEA_REACH_KM)) return false;
    const highest =
      levels.seaM[levels.seaM.length - 1]! * (this.#seaReading?.highest ?? HIGHEST_SEA) -
      LEAST_FALL * this.fallM;
    return highest > heightDraw(this.groundM, this.groundSpread[LOWEST]!);
  }

  /**
   * Whether an upper bound of the rarest stage exceeds the height above a bank in the draw with the lowest height.
   */
  isReachedByRiver(levels: WaterLevels): boolean {
    const highest =
      levels.stageRatio[levels.stageRatio.length - 1]! * (this.riverGauge?.highest ?? HIGHEST_STAGE);
    const lowest = this.floorShare > LEAST_RANK ? 0 : heightDraw(this.anyBankM, this.anySpread[LOWEST]!);
    return (
      this.anyDepthM * highest > Math.max(LEAST_STAGE_M, lowest) ||
      this.majorDepthM * highest >
        Math.max(LEAST_STAGE_M, heightDraw(this.majorBankM, COARSE_SPREAD[LOWEST]!))
    );
  }

  /**
   * Whether the point is on the valley floor in a draw: true for the share `floorShare` of the draws, those with
   * the lowest heights.
   */
  #isOnFloor(draw: number): boolean {
    return HEIGHT_RANKS[draw]! < this.floorShare;
  }

  /**
   * For each return period, replaces the value in `depths` [m] by the depth of the flood from the sea in this draw
   * if the latter is greater. An undefended building stands above the usual water.
   * @param builtM sea level [m] that undefended buildings stand above
   * @param defenceLog logarithm of the return period that the defences hold [years]
   * @returns index of the first wet return period; the number of return periods if none is wet
   */
  addSea(
    { seaM }: WaterLevels,
    draw: number,
    depths: Float64Array,
    builtM: number,
    defenceLog: number,
  ): number {
    const factor = (this.#seaReading?.factors ?? SEA_FACTORS)[draw]!;
    const isDiked = isStrong(defenceLog);
    let ground = heightDraw(this.groundM, this.groundSpread[draw]!);
    if (isDiked) ground = Math.max(ground, leastDikedHeightM(this.groundM));
    ground += this.fallM * FALL_FACTORS[draw]!;
    if (!isDiked) ground = Math.max(ground, builtM * factor);
    let i = seaM.length - 1;
    // Start with the rarest: if a return period is dry, all more frequent ones are dry too.
    for (; i >= 0; i--) {
      const depth = seaM[i]! * factor - ground;
      if (!(depth > 0)) break;
      if (depth > depths[i]!) depths[i] = depth;
    }
    return i + 1;
  }

  /**
   * For each return period, replaces the value in `depths` [m] by the depth of the flood from rivers in this draw
   * if the latter is greater. An undefended building stands above the usual water.
   * @param builtRatio stage, relative to the bankfull depth [1], that undefended buildings stand above
   * @param defenceLog logarithm of the return period that the defences hold [years]
   * @returns index of the first wet return period; the number of return periods if none is wet
   */
  addRiver(
    { stageRatio }: WaterLevels,
    draw: number,
    depths: Float64Array,
    builtRatio: number,
    defenceLog: number,
  ): number {
    const factor = (this.riverGauge?.factors ?? STAGE_FACTORS)[draw]!;
    const anyDepthM = this.anyDepthM;
    const majorDepthM = this.majorDepthM;
    const builtStage = isStrong(defenceLog) ? 0 : Math.max(0, builtRatio * factor);
    const mappedBank = this.#isOnFloor(draw) ? 0 : heightDraw(this.anyBankM, this.anySpread[draw]!);
    const anyBank = Math.max(builtStage * anyDepthM, mappedBank);
    const majorBank = Math.max(builtStage * majorDepthM, heightDraw(this.majorBankM, COARSE_SPREAD[draw]!));
    let i = stageRatio.length - 1;
    for (; i >= 0; i--) {
      const ratio = stageRatio[i]! * factor;
      const depth = Math.max(ratio * anyDepthM - anyBank, ratio * majorDepthM - majorBank);
      if (!(depth > 0)) break;
      if (depth > depths[i]!) depths[i] = depth;
    }
    return i + 1;
  }
}
