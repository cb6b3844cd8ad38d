import type { LayerMeta, LayerReading } from '../assessment.ts';
import {
  bankHeightM,
  FINE_LOG_SPREAD,
  groundHeightM,
  HAND_LOG_SPREAD,
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
  stageShare,
} from './flood-water.ts';
import { GaugedLevels } from './gauged-levels.ts';
import { answeringCard, candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAWS } from '../predictive-draws.ts';
import { COARSE_SPREAD, SEA_REACH_KM, TerrainFlood } from './terrain-flood.ts';

/**
 * Maximum distance between the mapped line of a river and its true bed, including the error of interpolation
 * between cells [km].
 */
const RIVER_TOLERANCE_KM = 3;

/**
 * Maximum distance to a river [km], where the river layers end: a distance there means "at least". It is beyond the
 * reach of any river.
 */
const RIVER_LIMIT_KM = 60;

/**
 * Upstream area of a drainage if no layer has a value [km2]: the area of the smallest streams derived from a DEM
 * (our choice).
 */
const UNKNOWN_STREAM_KM2 = 100;

const FINE_SPREAD = heightSpread(DRAWS[0]!, FINE_LOG_SPREAD);
const HAND_SPREAD = heightSpread(DRAWS[0]!, HAND_LOG_SPREAD);

/** Bankfull depths of the two mapped classes of river [m]. */
const ANY_DEPTH_M = bankfullDepthM(ANY_RIVER.bankfullM3s);
const MAJOR_DEPTH_M = bankfullDepthM(MAJOR_RIVER.bankfullM3s);

/** Layers of heights and distances, from which floods are inferred where no map covers a point. */
export class TerrainLayers {
  readonly #cards: readonly LayerMeta[];
  readonly #elevation: Candidates;
  readonly #coast: Candidates;
  readonly #water: Candidates;
  readonly #majorRiver: Candidates;
  readonly #heightAboveWater: Candidates;
  readonly #hand: Candidates;
  readonly #upstreamArea: Candidates;
  readonly #settledHeight: Candidates;
  readonly #settledBank: Candidates;
  readonly #settledMajorBank: Candidates;
  readonly #coasts: GaugedLevels;
  readonly #seaGauges: GaugedLevels;
  readonly #riverGauges: GaugedLevels;
  readonly #site: TerrainFlood;

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#elevation = candidatesOf(cards, 'elevation');
    this.#coast = candidatesOf(cards, 'coast-distance');
    this.#water = candidatesOf(cards, 'water-distance');
    this.#majorRiver = candidatesOf(cards, 'major-river-distance');
    this.#heightAboveWater = candidatesOf(cards, 'height-above-water');
    this.#hand = candidatesOf(cards, 'hand');
    this.#upstreamArea = candidatesOf(cards, 'upstream-area');
    this.#settledHeight = candidatesOf(cards, 'settled-height');
    this.#settledBank = candidatesOf(cards, 'settled-bank');
    this.#settledMajorBank = candidatesOf(cards, 'settled-major-bank');
    this.#coasts = new GaugedLevels(cards, 'coast-level', SEA_LEVEL_LOG_SPREAD);
    this.#seaGauges = new GaugedLevels(cards, 'sea-level', SEA_LEVEL_LOG_SPREAD);
    this.#riverGauges = new GaugedLevels(cards, 'river-stage', STAGE_LOG_SPREAD);
    this.#site = new TerrainFlood(this.#coasts, this.#seaGauges, this.#riverGauges);
  }

  /** Distance to the shore [km], negative at sea; NaN if no layer has a value. */
  coastKm(readings: readonly LayerReading[]): number {
    return valueOf(readings, this.#coast);
  }

  /**
   * Returns heights and distances at a point. The next call overwrites the returned object: it is reused to
   * avoid allocating memory for each query.
   */
  locate(readings: readonly LayerReading[]): TerrainFlood {
    const site = this.#site;
    const coastKm = valueOf(readings, this.#coast);
    site.inlandKm = Number.isNaN(coastKm) ? Infinity : Math.max(0, coastKm);
    site.fallM = INLAND_FALL_M_PER_KM * site.inlandKm;
    // Only floods from the sea need the height of the ground.
    site.isKnown = false;
    if (site.inlandKm < SEA_REACH_KM) this.#readGround(site, readings);
    this.#readRivers(site, readings);
    site.coast = this.#coasts.read(readings);
    site.seaGauge = this.#seaGauges.read(readings, site.coast?.logSpread);
    site.riverGauge = this.#riverGauges.read(readings);
    return site;
  }

  #readGround(site: TerrainFlood, readings: readonly LayerReading[]): void {
    const card = answeringCard(readings, this.#elevation);
    const fine = card >= 0 && isFine(this.#cards[card]!.resolutionM);
    const elevation = valueOf(readings, this.#elevation);
    site.isKnown = card >= 0;
    site.groundM = fine
      ? elevation
      : groundHeightM(elevation, site.inlandKm, valueOf(readings, this.#settledHeight));
    site.groundSpread = fine ? FINE_SPREAD : COARSE_SPREAD;
  }

  #readRivers(site: TerrainFlood, readings: readonly LayerReading[]): void {
    const waterKm = valueOf(readings, this.#water);
    const majorKm = valueOf(readings, this.#majorRiver);
    const height = valueOf(readings, this.#heightAboveWater);
    const hand = valueOf(readings, this.#hand);
    const majorRiverKm = Number.isNaN(majorKm) ? Infinity : Math.max(0, majorKm - RIVER_TOLERANCE_KM);
    site.majorDepthM = MAJOR_DEPTH_M * stageShare(MAJOR_RIVER, majorRiverKm);
    site.majorBankM = bankHeightM(
      MAJOR_RIVER.heights,
      height,
      Math.min(majorRiverKm, RIVER_LIMIT_KM),
      valueOf(readings, this.#settledMajorBank),
    );
    site.byHand = !Number.isNaN(hand);
    site.isKnown ||= site.byHand || !(Number.isNaN(waterKm) && Number.isNaN(majorKm) && Number.isNaN(height));
    if (site.byHand) {
      const area = valueOf(readings, this.#upstreamArea);
      site.anyDepthM = bankfullDepthM(
        bankfullDischargeM3s(Number.isNaN(area) ? UNKNOWN_STREAM_KM2 : Math.max(0, area)),
      );
      site.anyBankM = Math.max(0, hand);
      site.anySpread = HAND_SPREAD;
      site.floorShare = valleyFloorShare(hand, this.#cards[answeringCard(readings, this.#hand)]!.resolutionM);
      // A large river is no higher than a drainage that flows into it. So the height of the point above the large
      // river is at least its height above the drainage.
      site.majorBankM = Math.max(site.majorBankM, site.anyBankM);
      return;
    }
    const riverKm = Number.isNaN(waterKm) ? Infinity : Math.max(0, waterKm - RIVER_TOLERANCE_KM);
    site.anyDepthM = ANY_DEPTH_M * stageShare(ANY_RIVER, riverKm);
    site.anyBankM = bankHeightM(
      ANY_RIVER.heights,
      height,
      Math.min(riverKm, RIVER_LIMIT_KM),
      valueOf(readings, this.#settledBank),
    );
    site.anySpread = COARSE_SPREAD;
    site.floorShare = 0;
  }
}
