import {
  defencePrior,
  FRAGILITY_FOLDS,
  isStrong,
  type StandardPrior,
} from '../../src/risk/flood/flood-defences.ts';
import { MODEL_LOG_SPREAD, wettedShare } from '../../src/risk/flood/flood-assessor.ts';
import {
  bankHeightM,
  groundHeightM,
  heightDraw,
  leastDikedHeightM,
} from '../../src/risk/flood/flood-ground.ts';
import { BUILT_YEARS } from '../../src/risk/flood/flood-plan.ts';
import { RAIN_LOG_SPREAD, rainDamage } from '../../src/risk/flood/flood-rain.ts';
import {
  ANY_RIVER,
  bankfullDepthM,
  INLAND_FALL_LOG_SPREAD,
  INLAND_FALL_M_PER_KM,
  MAJOR_RIVER,
  SEA_LEVEL_LOG_SPREAD,
  STAGE_LOG_SPREAD,
  stageShare,
  waterLevels,
} from '../../src/risk/flood/flood-water.ts';
import { building } from './flood-cases.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';

/** Places with the codes of their countries: Germany, USA, Brazil, India, Chad, Netherlands. */
export const FLOOD_PLACES = [
  [50, 8, 276],
  [40, -90, 840],
  [-12, -55, 76],
  [25, 85, 356],
  [12, 16, 148],
  [52, 5, 528],
] as const;
const CELL_M = 9277;
const LOG_SPREAD = 1; // log spread of the ground in a cell: COARSE_LOG_SPREAD in src/risk/flood/flood-ground.ts
const LINE_ERROR_KM = 3; // position error of mapped rivers: src/risk/flood/terrain-layers.ts

/** Draws the annual damage ratio [1/yr] from rain and from water that is in no layer. @param mm as in `rainDamage` */
export function unmappedDamage(random: Random, mm = Number.NaN): number {
  return rainDamage(mm) * Math.exp(RAIN_LOG_SPREAD * random.normal() - RAIN_LOG_SPREAD ** 2 / 2);
}

/** Factor of the modelled damage at a place, whose mean is 1. */
export function modelFactor(random: Random): number {
  return Math.exp(MODEL_LOG_SPREAD * random.normal() - MODEL_LOG_SPREAD ** 2 / 2);
}

/** A defence: the return period that it is built for, and the one at which it fails [years]. */
export interface Defence {
  readonly standardLog: number;
  readonly failsAt: number;
}

/** Draws a defence from its prior, and the event at which it fails. */
export function drawnDefence({ mean, spread }: StandardPrior, random: Random): Defence {
  const standardLog = mean + spread * random.normal();
  return { standardLog, failsAt: Math.exp(standardLog + FRAGILITY_FOLDS * (random.uniform() - 0.5)) };
}

/**
 * A place with the shipped layers only. Its true ground, sea, rivers, defences, rain and building are drawn with the
 * spreads of the model.
 */
export function terrainFloodCase(random: Random): SimulatedCase {
  const [lat, lng, country] = random.pick(FLOOD_PLACES);
  const coastKm = random.uniform() < 0.5 ? random.between(0, 30) : 80;
  const waterKm = random.between(0, 25);
  const majorKm = random.between(0, 60);
  const elevationM = Math.exp(random.between(Math.log(0.5), Math.log(200)));
  const aboveWaterM = Math.exp(random.between(Math.log(0.5), Math.log(100)));
  const rainMm = random.between(30, 180);
  const z = random.normal();
  const spread = Math.exp(LOG_SPREAD * z);
  const fall = INLAND_FALL_M_PER_KM * Math.exp(INLAND_FALL_LOG_SPREAD * random.normal());
  const townM = groundHeightM(elevationM, coastKm);
  const drawnM = heightDraw(townM, spread);
  const seaFactor = Math.exp(SEA_LEVEL_LOG_SPREAD * random.normal());
  const stageFactor = Math.exp(STAGE_LOG_SPREAD * random.normal());
  const prior = defencePrior(country);
  const [seaDefence, riverDefence] = [drawnDefence(prior.sea, random), drawnDefence(prior.river, random)];
  const dikedM = isStrong(seaDefence.standardLog) ? leastDikedHeightM(townM) : Number.NEGATIVE_INFINITY;
  const groundM = Math.max(drawnM, dikedM) + fall * coastKm;
  const rivers = [
    { river: ANY_RIVER, km: Math.max(0, waterKm - LINE_ERROR_KM) },
    { river: MAJOR_RIVER, km: Math.max(0, majorKm - LINE_ERROR_KM) },
  ].map(({ river, km }) => {
    const medianM = bankHeightM(river.heights, aboveWaterM, km);
    return {
      bankM: Math.max(0, heightDraw(medianM, spread)),
      depthM: bankfullDepthM(river.bankfullM3s) * stageShare(river, km) * stageFactor,
    };
  });
  const built = waterLevels([BUILT_YEARS]);
  const above = (level: number, builtLevel: number, heightM: number, { standardLog }: Defence): number =>
    level - (isStrong(standardLog) ? heightM : Math.max(heightM, builtLevel));
  const seaDepth = (T: number): number =>
    coastKm < 79
      ? Math.max(
          0,
          above(waterLevels([T]).seaM[0]! * seaFactor, built.seaM[0]! * seaFactor, groundM, seaDefence),
        )
      : 0;
  const riverDepth = (T: number): number => {
    const ratio = waterLevels([T]).stageRatio[0]!;
    const depths = rivers.map(({ bankM, depthM }) =>
      above(depthM * ratio, depthM * built.stageRatio[0]!, bankM, riverDefence),
    );
    return Math.max(0, ...depths);
  };
  const ratioOf = building(lat, lng, random.uniform());
  const damageOf = (depthM: number): number => Math.max(0, wettedShare(depthM)) * ratioOf(depthM);
  const reach = random.uniform();
  const reached = ({ standardLog }: Defence): number => (isStrong(standardLog) ? reach : 1);
  const factor = modelFactor(random);
  const rain = unmappedDamage(random, rainMm);
  const layers = {
    'coast-distance': coastKm,
    'water-distance': waterKm,
    'major-river-distance': majorKm,
    elevation: elevationM,
    'height-above-water': aboveWaterM,
    country,
    'extreme-rain': rainMm,
  };
  return {
    cards: Object.keys(layers).map((layer) => simulatedCard(layer, null, CELL_M)),
    readings: Object.values(layers).map((value) => ({ ok: true, value })),
    lat,
    lng,
    trueScore: trueScoreOf((T) => {
      const bySea = T >= seaDefence.failsAt ? reached(seaDefence) * damageOf(seaDepth(T)) : 0;
      const byRiver = T >= riverDefence.failsAt ? reached(riverDefence) * damageOf(riverDepth(T)) : 0;
      return factor * Math.max(bySea, byRiver);
    }, rain),
    trueIntensity: (T) => Math.max(seaDepth(T), riverDepth(T)),
  };
}
