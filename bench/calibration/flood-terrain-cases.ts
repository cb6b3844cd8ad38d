import { bankHeightM, groundHeightM, heightDraw } from '../../src/risk/flood/flood-ground.ts';
import {
  ANY_RIVER,
  bankfullDepthM,
  INLAND_FALL_M_PER_KM,
  MAJOR_RIVER,
  SEA_LEVEL_LOG_SPREAD,
  STAGE_LOG_SPREAD,
  waterLevels,
} from '../../src/risk/flood/flood-water.ts';
import { building } from './flood-cases.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';

const PLACES = [
  [50, 8],
  [40, -90],
  [-12, -55],
  [25, 85],
  [5, 20],
] as const;
const CELL_M = 9277;
const LOG_SPREAD = 1.1; // log spread of the ground in a cell: COARSE_LOG_SPREAD in src/risk/flood/flood-ground.ts
const LINE_ERROR_KM = 3; // position error of mapped rivers: src/risk/flood/terrain-layers.ts
const UNMAPPED = { mean: 0.0001, logSpread: 1.6 }; // annual damage ratio [1/yr]: src/risk/flood/flood-assessor.ts

/** Draws the annual damage ratio [1/yr] from water that is in no layer. */
export function unmappedDamage(random: Random): number {
  return UNMAPPED.mean * Math.exp(UNMAPPED.logSpread * random.normal() - UNMAPPED.logSpread ** 2 / 2);
}

/**
 * A place with the shipped layers only. Its true ground, sea, rivers and building are drawn with the spreads of the
 * model, so the check covers the computation of the confidence from these spreads, not the spreads themselves.
 */
export function terrainFloodCase(random: Random): SimulatedCase {
  const [lat, lng] = random.pick(PLACES);
  const coastKm = random.uniform() < 0.5 ? random.between(0, 30) : 80;
  const waterKm = random.between(0, 25);
  const majorKm = random.between(0, 60);
  const elevationM = Math.exp(random.between(Math.log(0.5), Math.log(200)));
  const aboveWaterM = Math.exp(random.between(Math.log(0.5), Math.log(100)));
  const spread = Math.exp(LOG_SPREAD * random.normal());
  const groundM = heightDraw(groundHeightM(elevationM, coastKm), spread) + INLAND_FALL_M_PER_KM * coastKm;
  const seaFactor = Math.exp(SEA_LEVEL_LOG_SPREAD * random.normal());
  const stageFactor = Math.exp(STAGE_LOG_SPREAD * random.normal());
  const rivers = [
    { river: ANY_RIVER, km: Math.max(0, waterKm - LINE_ERROR_KM) },
    { river: MAJOR_RIVER, km: Math.max(0, majorKm - LINE_ERROR_KM) },
  ].map(({ river, km }) => ({
    bankM: Math.max(0, heightDraw(bankHeightM(aboveWaterM, km, river.valleySlopeMPerKm), spread)),
    depthM: bankfullDepthM(river.bankfullM3s) * Math.exp(-km / river.reachKm) * stageFactor,
  }));
  const depthAt = (T: number): number => {
    const { seaM, stageRatio } = waterLevels([T]);
    const bySea = coastKm < 79 ? seaM[0]! * seaFactor - groundM : 0;
    return Math.max(0, bySea, ...rivers.map(({ bankM, depthM }) => depthM * stageRatio[0]! - bankM));
  };
  const damageOf = building(lat, lng, random.uniform());
  const unmapped = unmappedDamage(random);
  const layers = {
    'coast-distance': coastKm,
    'water-distance': waterKm,
    'major-river-distance': majorKm,
    elevation: elevationM,
    'height-above-water': aboveWaterM,
  };
  return {
    cards: Object.keys(layers).map((layer) => simulatedCard(layer, null, CELL_M)),
    readings: Object.values(layers).map((value) => ({ ok: true, value })),
    lat,
    lng,
    trueScore: trueScoreOf((T) => damageOf(depthAt(T)), unmapped),
    trueIntensity: depthAt,
  };
}
