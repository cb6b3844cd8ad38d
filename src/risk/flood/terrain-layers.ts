import type { LayerMeta, LayerReading } from '../assessment.ts';
import {
  bankHeightM,
  COARSE_LOG_SPREAD,
  FINE_LOG_SPREAD,
  groundHeightM,
  HAND_LOG_SPREAD,
  heightDraw,
  heightSpread,
  isFine,
  valleyFloorShare,
} from './flood-ground.ts';
import {
  ANY_RIVER,
  bankfullDepthM,
  bankfullDischargeM3s,
  INLAND_FALL_M_PER_KM,
  MAJOR_RIVER,
  SEA_LEVEL_LOG_SPREAD,
  STAGE_LOG_SPREAD,
  type WaterLevels,
} from './flood-water.ts';
import { answeringCard, candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { normalProbability } from '../../numerics/normal.ts';
import { DRAWS } from '../predictive-draws.ts';

/** A river's mapped line is this far from its bed, interpolation between cells included [km]. */
const RIVER_TOLERANCE_KM = 3;

/** From here inland the sea's floods are not felt [km]; the coast layer ends there too. */
export const SEA_REACH_KM = 79;

/** Rivers farther off than this are not looked at [km]; the river layers end there too. */
const RIVER_LIMIT_KM = 60;

/** A stage lower than this cannot be told from none [m]. */
const LEAST_STAGE_M = 0.05;

/** Standard normal deviate that no draw passes. */
const EXTREME_DRAW = 3;

/** Upstream area of a drainage whose size no layer tells [km2]: that of a stream a DEM's drainage begins with (ours). */
const UNKNOWN_STREAM_KM2 = 100;

const COARSE_SPREAD = heightSpread(DRAWS[0]!, COARSE_LOG_SPREAD);
const FINE_SPREAD = heightSpread(DRAWS[0]!, FINE_LOG_SPREAD);
const HAND_SPREAD = heightSpread(DRAWS[0]!, HAND_LOG_SPREAD);
const HEIGHT_RANKS = DRAWS[0]!.map(normalProbability);
const LEAST_RANK = Math.min(...HEIGHT_RANKS);
/** The lowest draw of a height, whatever its spread: factors rise with their deviate. */
const LOWEST = DRAWS[0]!.indexOf(Math.min(...DRAWS[0]!));
const SEA_FACTORS = DRAWS[1]!.map((z) => Math.exp(SEA_LEVEL_LOG_SPREAD * z));
const STAGE_FACTORS = DRAWS[1]!.map((z) => Math.exp(STAGE_LOG_SPREAD * z));
const HIGHEST_SEA = Math.exp(SEA_LEVEL_LOG_SPREAD * EXTREME_DRAW);
const HIGHEST_STAGE = Math.exp(STAGE_LOG_SPREAD * EXTREME_DRAW);

/** Bankfull depths of the two mapped classes of river [m]. */
const ANY_DEPTH_M = bankfullDepthM(ANY_RIVER.bankfullM3s);
const MAJOR_DEPTH_M = bankfullDepthM(MAJOR_RIVER.bankfullM3s);

/**
 * Floods by height and distance alone: prior water levels against the ground. `locate` looks at one point; the other
 * methods speak of the point looked at last.
 */
export class FloodTerrain {
  readonly #cards: readonly LayerMeta[];
  readonly #elevation: Candidates;
  readonly #coast: Candidates;
  readonly #water: Candidates;
  readonly #majorRiver: Candidates;
  readonly #heightAboveWater: Candidates;
  readonly #hand: Candidates;
  readonly #upstreamArea: Candidates;
  #groundM = 0;
  #groundSpread = COARSE_SPREAD;
  #fallM = 0;
  #inlandKm = 0;
  #anyBankM = 0;
  #anyDepthM = 0;
  #anySpread = COARSE_SPREAD;
  #floorShare = 0;
  #majorBankM = 0;
  #majorDepthM = 0;
  #byHand = false;

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#elevation = candidatesOf(cards, 'elevation');
    this.#coast = candidatesOf(cards, 'coast-distance');
    this.#water = candidatesOf(cards, 'water-distance');
    this.#majorRiver = candidatesOf(cards, 'major-river-distance');
    this.#heightAboveWater = candidatesOf(cards, 'height-above-water');
    this.#hand = candidatesOf(cards, 'hand');
    this.#upstreamArea = candidatesOf(cards, 'upstream-area');
  }

  /** Distance to the shore [km], negative at sea; NaN where no layer tells. */
  coastKm(readings: readonly LayerReading[]): number {
    return valueOf(readings, this.#coast);
  }

  /** Distance to a river or lake [km], negative inside lakes; NaN where no layer tells. */
  waterKm(readings: readonly LayerReading[]): number {
    return valueOf(readings, this.#water);
  }

  /** Whether a height above nearest drainage stood for the river of the point. */
  get byHand(): boolean {
    return this.#byHand;
  }

  locate(readings: readonly LayerReading[]): void {
    const coastKm = valueOf(readings, this.#coast);
    const waterKm = valueOf(readings, this.#water);
    const majorKm = valueOf(readings, this.#majorRiver);
    const height = valueOf(readings, this.#heightAboveWater);
    const hand = valueOf(readings, this.#hand);

    this.#inlandKm = Number.isNaN(coastKm) ? Infinity : Math.max(0, coastKm);
    this.#fallM = INLAND_FALL_M_PER_KM * this.#inlandKm;
    // The sea alone asks for the ground.
    if (this.#inlandKm < SEA_REACH_KM) {
      const elevationCard = answeringCard(readings, this.#elevation);
      const fine = elevationCard >= 0 && isFine(this.#cards[elevationCard]!.resolutionM);
      const elevation = valueOf(readings, this.#elevation);
      this.#groundM = fine ? elevation : groundHeightM(elevation, this.#inlandKm);
      this.#groundSpread = fine ? FINE_SPREAD : COARSE_SPREAD;
    }

    const majorRiverKm = Number.isNaN(majorKm) ? Infinity : Math.max(0, majorKm - RIVER_TOLERANCE_KM);
    this.#majorDepthM = MAJOR_DEPTH_M * Math.exp(-majorRiverKm / MAJOR_RIVER.reachKm);
    this.#majorBankM = bankHeightM(
      height,
      Math.min(majorRiverKm, RIVER_LIMIT_KM),
      MAJOR_RIVER.valleySlopeMPerKm,
    );
    this.#byHand = !Number.isNaN(hand);
    if (this.#byHand) {
      const area = valueOf(readings, this.#upstreamArea);
      this.#anyDepthM = bankfullDepthM(
        bankfullDischargeM3s(Number.isNaN(area) ? UNKNOWN_STREAM_KM2 : Math.max(0, area)),
      );
      this.#anyBankM = Math.max(0, hand);
      this.#anySpread = HAND_SPREAD;
      this.#floorShare = valleyFloorShare(
        hand,
        this.#cards[answeringCard(readings, this.#hand)]!.resolutionM,
      );
      // A larger river lies no higher than the drainage that leads to it.
      this.#majorBankM = Math.max(this.#majorBankM, this.#anyBankM);
      return;
    }
    const riverKm = Number.isNaN(waterKm) ? Infinity : Math.max(0, waterKm - RIVER_TOLERANCE_KM);
    this.#anyDepthM = ANY_DEPTH_M * Math.exp(-riverKm / ANY_RIVER.reachKm);
    this.#anyBankM = bankHeightM(height, Math.min(riverKm, RIVER_LIMIT_KM), ANY_RIVER.valleySlopeMPerKm);
    this.#anySpread = COARSE_SPREAD;
    this.#floorShare = 0;
  }

  /** Whether any draw of the rarest sea level comes over the ground. */
  isReachedBySea(levels: WaterLevels): boolean {
    if (!(this.#inlandKm < SEA_REACH_KM)) return false;
    const highest = levels.seaM[levels.seaM.length - 1]! * HIGHEST_SEA - this.#fallM;
    return highest > heightDraw(this.#groundM, this.#groundSpread[LOWEST]!);
  }

  /** Whether any draw of the rarest stage comes over a bank. */
  isReachedByRiver(levels: WaterLevels): boolean {
    const highest = levels.stageRatio[levels.stageRatio.length - 1]! * HIGHEST_STAGE;
    const lowest = this.#floorShare > LEAST_RANK ? 0 : heightDraw(this.#anyBankM, this.#anySpread[LOWEST]!);
    return (
      this.#anyDepthM * highest > Math.max(LEAST_STAGE_M, lowest) ||
      this.#majorDepthM * highest >
        Math.max(LEAST_STAGE_M, heightDraw(this.#majorBankM, COARSE_SPREAD[LOWEST]!))
    );
  }

  /** The lowest draws of a place that may stand on the floor of its valley have it there. */
  #isOnFloor(draw: number): boolean {
    return HEIGHT_RANKS[draw]! < this.#floorShare;
  }

  /**
   * Adds one draw's depths [m] of floods from the sea at each return period: the larger of what stands and them.
   * @returns the first return period that it makes wet; how many there are when it makes none so
   */
  addSea({ seaM }: WaterLevels, draw: number, depths: Float64Array): number {
    const ground = heightDraw(this.#groundM, this.#groundSpread[draw]!) + this.#fallM;
    const factor = SEA_FACTORS[draw]!;
    let i = seaM.length - 1;
    // From the rarest down: levels ascend, so where one stays dry all below do.
    for (; i >= 0; i--) {
      const depth = seaM[i]! * factor - ground;
      if (!(depth > 0)) break;
      if (depth > depths[i]!) depths[i] = depth;
    }
    return i + 1;
  }

  /** The same of floods from rivers. */
  addRiver({ stageRatio }: WaterLevels, draw: number, depths: Float64Array): number {
    const factor = STAGE_FACTORS[draw]!;
    const anyDepthM = this.#anyDepthM;
    const majorDepthM = this.#majorDepthM;
    const anyBank = this.#isOnFloor(draw)
      ? 0
      : Math.max(0, heightDraw(this.#anyBankM, this.#anySpread[draw]!));
    const majorBank = Math.max(0, heightDraw(this.#majorBankM, COARSE_SPREAD[draw]!));
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
