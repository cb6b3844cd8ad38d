import { COAST_LAYER_REACH_KM } from '../coast-layer.ts';
import { COARSE_LOG_SPREAD, heightDraw, heightSpread } from './flood-ground.ts';
import { SEA_LEVEL_LOG_SPREAD, STAGE_LOG_SPREAD, type WaterLevels } from './flood-water.ts';
import { normalProbability } from '../../numerics/normal.ts';
import { DRAWS } from '../predictive-draws.ts';

/** The sea does not flood land farther inland than this [km]. */
export const SEA_REACH_KM = COAST_LAYER_REACH_KM;

/** Stages below this count as no flood [m]. */
const LEAST_STAGE_M = 0.05;

/** Standard normal deviate above all draws. */
const EXTREME_DRAW = 3;

export const COARSE_SPREAD = heightSpread(DRAWS[0]!, COARSE_LOG_SPREAD);

const HEIGHT_RANKS = DRAWS[0]!.map(normalProbability);
const LEAST_RANK = Math.min(...HEIGHT_RANKS);
/** The lowest draw of a height, whatever its spread: factors rise with their deviate. */
const LOWEST = DRAWS[0]!.indexOf(Math.min(...DRAWS[0]!));
const SEA_FACTORS = DRAWS[1]!.map((z) => Math.exp(SEA_LEVEL_LOG_SPREAD * z));
const STAGE_FACTORS = DRAWS[1]!.map((z) => Math.exp(STAGE_LOG_SPREAD * z));
const HIGHEST_SEA = Math.exp(SEA_LEVEL_LOG_SPREAD * EXTREME_DRAW);
const HIGHEST_STAGE = Math.exp(STAGE_LOG_SPREAD * EXTREME_DRAW);

/** Floods at one point by height and distance alone: prior water levels against the ground. */
export class TerrainFlood {
  /** Distance inland [km], 0 or more; infinite where no layer gives it. */
  inlandKm = 0;
  /** Fall of the sea's flood level over that distance [m]. */
  fallM = 0;
  /** Median ground height above mean sea level [m] and the factor of each draw; unset beyond the reach of the sea. */
  groundM = 0;
  groundSpread = COARSE_SPREAD;
  /** Height above the bank of the nearest drainage or river of any size [m], and its bankfull depth here [m]. */
  anyBankM = 0;
  anyDepthM = 0;
  anySpread = COARSE_SPREAD;
  /** Share of the draws that put the point on the valley floor [1]. */
  floorShare = 0;
  /** The same heights for the nearest large river [m]. */
  majorBankM = 0;
  majorDepthM = 0;
  /** Whether the height above the river is the height above nearest drainage. */
  byHand = false;

  /** Whether any draw of the rarest sea level is higher than the ground. */
  isReachedBySea(levels: WaterLevels): boolean {
    if (!(this.inlandKm < SEA_REACH_KM)) return false;
    const highest = levels.seaM[levels.seaM.length - 1]! * HIGHEST_SEA - this.fallM;
    return highest > heightDraw(this.groundM, this.groundSpread[LOWEST]!);
  }

  /** Whether any draw of the rarest stage is higher than a bank. */
  isReachedByRiver(levels: WaterLevels): boolean {
    const highest = levels.stageRatio[levels.stageRatio.length - 1]! * HIGHEST_STAGE;
    const lowest = this.floorShare > LEAST_RANK ? 0 : heightDraw(this.anyBankM, this.anySpread[LOWEST]!);
    return (
      this.anyDepthM * highest > Math.max(LEAST_STAGE_M, lowest) ||
      this.majorDepthM * highest >
        Math.max(LEAST_STAGE_M, heightDraw(this.majorBankM, COARSE_SPREAD[LOWEST]!))
    );
  }

  /** Whether a draw puts the point on the valley floor: the lowest draws do. */
  #isOnFloor(draw: number): boolean {
    return HEIGHT_RANKS[draw]! < this.floorShare;
  }

  /**
   * Raises `depths` [m] to those of one draw's floods from the sea, at each return period.
   * @returns index of the first return period that is wet; their number when none is
   */
  addSea({ seaM }: WaterLevels, draw: number, depths: Float64Array): number {
    const ground = heightDraw(this.groundM, this.groundSpread[draw]!) + this.fallM;
    const factor = SEA_FACTORS[draw]!;
    let i = seaM.length - 1;
    // From the rarest down: levels ascend, so below a dry one all are dry.
    for (; i >= 0; i--) {
      const depth = seaM[i]! * factor - ground;
      if (!(depth > 0)) break;
      if (depth > depths[i]!) depths[i] = depth;
    }
    return i + 1;
  }

  /** The same for floods from rivers. */
  addRiver({ stageRatio }: WaterLevels, draw: number, depths: Float64Array): number {
    const factor = STAGE_FACTORS[draw]!;
    const anyDepthM = this.anyDepthM;
    const majorDepthM = this.majorDepthM;
    const anyBank = this.#isOnFloor(draw) ? 0 : Math.max(0, heightDraw(this.anyBankM, this.anySpread[draw]!));
    const majorBank = Math.max(0, heightDraw(this.majorBankM, COARSE_SPREAD[draw]!));
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
