import {
  angularDistortion,
  HORIZON_YEARS,
  settlementDamageRatio,
  strengthOf,
} from '../../../src/risk/subsidence/angular-distortion.ts';
import { soilDamage } from '../../../src/risk/subsidence/subsidence-soil.ts';
import { riskScore } from '../../../src/risk/score.ts';
import type { Random } from '../simulated-case.ts';
import { MOVING, STABLE, survey } from '../subsidence-cases.ts';
import { type Place, type ViewLayer, viewOf, type World } from './world.ts';

/**
 * Range of the mapped share of moving ground [1], standard deviation of the logarithm of the true share about it, speeds of
 * moving ground [mm/yr], usual and at places with a published rate, and lengths over which a velocity changes [m], from a house to a valley (our choice).
 */
const SHARES = [0.005, 0.7] as const;
const SHARE = 0.7;
const SPEEDS_MM_YR = [8, 8, 40] as const;
const LENGTHS_M = [100, 2000] as const;
const GROUND_CELL_M = 9277;
const CELLS_M = [30, 90, 200] as const;
/** Standard deviations of logarithms [1]: limits of buildings, duration of a movement, soil damage at a clay content. */
const LIMIT = 0.35;
const PERSISTENCE = 0.5;
const SOIL = 1.1;
const ACCELERATING_YEARS = 5;
const CLAY_CELL_M = 250;
/** Clay of soils [%] (our choice): most are loams, one in four has 35 % or more. */
const CLAY = { mean: 26, deviation: 13 };

function place(random: Random): Place {
  const truth = random.uniform() < 0.5 ? 'gradients of their own' : 'gradients of the velocity';
  const mapped = Math.exp(random.between(Math.log(SHARES[0]), Math.log(SHARES[1])));
  const share = mapped * Math.exp(SHARE * (random.normal() - SHARE / 2));
  const speed = random.pick(SPEEDS_MM_YR);
  const faster = speed / MOVING.velocity;
  const moving = {
    velocity: speed,
    gradient: faster * MOVING.gradient,
    acceleration: faster * MOVING.acceleration,
  };
  const spread = random.uniform() < share ? moving : STABLE;
  const velocity = spread.velocity * random.normal();
  const acceleration = spread.acceleration * random.normal();
  const lengthM = Math.exp(random.between(Math.log(LENGTHS_M[0]), Math.log(LENGTHS_M[1])));
  const isOwn = truth === 'gradients of their own';
  const gradient = Math.abs(isOwn ? spread.gradient * random.normal() : velocity / lengthM);
  const clay = Math.min(70, Math.max(0, CLAY.mean + CLAY.deviation * random.normal()));

  const lasting = Math.exp(PERSISTENCE * random.normal());
  const bearing = Math.exp(LIMIT * random.normal());
  const [g, v, a] = [
    angularDistortion(gradient) * lasting,
    isOwn ? angularDistortion(velocity / lengthM) * lasting : 0,
    angularDistortion((acceleration * ACCELERATING_YEARS) / lengthM) * lasting,
  ].map((distortion) => strengthOf(distortion * bearing)) as [number, number, number];
  const soil = soilDamage(clay).annual * Math.exp(SOIL * random.normal());

  const cellM = random.pick(CELLS_M);
  const surveyed = [...survey({ velocity, acceleration, gradient }, cellM, random)].map(
    ([layer, value]): ViewLayer => [layer, null, cellM, value],
  );
  const soilMap: ViewLayer = ['soil-clay', null, CLAY_CELL_M, clay];
  const ground: readonly ViewLayer[] = [
    ['subsiding-share', null, GROUND_CELL_M, mapped],
    ['subsiding-speed', null, GROUND_CELL_M, speed],
  ];
  const besides = [...(random.uniform() < 0.5 ? [soilMap] : []), ...(random.uniform() < 0.7 ? ground : [])];
  return {
    lat: 45,
    lng: 10,
    truth,
    trueScore: riskScore(Math.min(1, settlementDamageRatio(g, v, a) / HORIZON_YEARS + soil)),
    views: [
      viewOf(ground),
      viewOf([soilMap, ...(random.uniform() < 0.7 ? ground : [])]),
      viewOf([...surveyed.filter(([layer]) => layer !== 'velocity-gradient'), ...besides]),
      viewOf([...surveyed, ...besides]),
    ],
  };
}

/** Subsidence: ground that moves or not, with gradients of their own or of the velocity, on soils of any clay. */
export const SUBSIDENCE_WORLD: World = { peril: 'subsidence', place };
