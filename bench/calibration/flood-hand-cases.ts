import { wettedShare } from '../../src/risk/flood/flood-assessor.ts';
import { defencePrior, isStrong } from '../../src/risk/flood/flood-defences.ts';
import { BUILT_YEARS } from '../../src/risk/flood/flood-plan.ts';
import { HAND_LOG_SPREAD, heightDraw, valleyFloorShare } from '../../src/risk/flood/flood-ground.ts';
import {
  bankfullDepthM,
  bankfullDischargeM3s,
  STAGE_LOG_SPREAD,
  waterLevels,
} from '../../src/risk/flood/flood-water.ts';
import { normalProbability } from '../../src/numerics/normal.ts';
import { building } from './flood-cases.ts';
import { drawnDefence, modelFactor, unmappedDamage } from './flood-terrain-cases.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';

const PLACES = [
  [50, 8],
  [40, -90],
  [-12, -55],
  [25, 85],
  [5, 20],
] as const;
const CELLS_M = [30, 90] as const;

/**
 * A place with height above nearest drainage, far from the sea and large rivers. Its true height and stage are drawn
 * with the spreads of the model, so the check covers the computation of the confidence from these spreads, not the
 * spreads themselves.
 */
export function handFloodCase(random: Random): SimulatedCase {
  const handM = Math.exp(random.between(Math.log(0.1), Math.log(30)));
  const areaKm2 = 10 ** random.between(0, 5.5);
  const cellM = random.pick(CELLS_M);
  const z = random.normal();
  const isOnFloor = normalProbability(z) < valleyFloorShare(handM, cellM);
  const trueHandM = isOnFloor ? 0 : Math.max(0, heightDraw(handM, Math.exp(HAND_LOG_SPREAD * z)));
  return handCase(random, cellM, { handM, areaKm2 }, { handM: trueHandM, areaKm2 });
}

interface Drainage {
  readonly handM: number;
  readonly areaKm2: number;
}

/** A place with mapped drainage `said` and true drainage `truth`; its stage and its building are drawn. */
export function handCase(random: Random, cellM: number, said: Drainage, truth: Drainage): SimulatedCase {
  const [lat, lng] = random.pick(PLACES);
  const stage =
    bankfullDepthM(bankfullDischargeM3s(truth.areaKm2)) * Math.exp(STAGE_LOG_SPREAD * random.normal());
  const defence = drawnDefence(defencePrior(Number.NaN).river, random);
  const builtM = isStrong(defence.standardLog) ? 0 : stage * waterLevels([BUILT_YEARS]).stageRatio[0]!;
  const heightM = Math.max(truth.handM, builtM);
  const depthAt = (T: number): number => Math.max(0, stage * waterLevels([T]).stageRatio[0]! - heightM);
  const ratioOf = building(lat, lng, random.uniform());
  const factor = modelFactor(random);
  const reached = isStrong(defence.standardLog) ? random.uniform() : 1;
  const damageAt = (T: number): number =>
    T >= defence.failsAt ? factor * reached * Math.max(0, wettedShare(depthAt(T))) * ratioOf(depthAt(T)) : 0;
  return {
    cards: [
      simulatedCard('hand', null, cellM),
      simulatedCard('upstream-area', null, cellM),
      simulatedCard('coast-distance', null, 4638),
    ],
    readings: [said.handM, said.areaKm2, 80].map((value) => ({ ok: true, value })),
    lat,
    lng,
    trueScore: trueScoreOf(damageAt, unmappedDamage(random)),
    trueIntensity: depthAt,
  };
}
