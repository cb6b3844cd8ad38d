import {
  angularDistortion,
  settlementDamageRatio,
  HORIZON_YEARS,
  strengthOf,
} from '../../src/risk/subsidence/angular-distortion.ts';
import { DisplacementFitter } from '../../src/risk/subsidence/displacement-field.ts';
import { velocityGradient } from '../../src/risk/subsidence/displacement-gradient.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../src/base/time.ts';
import { riskScore } from '../../src/risk/score.ts';
import { soilDamage } from '../../src/risk/subsidence/subsidence-soil.ts';
import { type Random, simulatedCard, type SimulatedCase } from './simulated-case.ts';

const DATE_COUNTS = [20, 40, 80] as const;
const SPACING_DAYS = [6, 12, 24] as const;
const CELLS_M = [30, 90, 200] as const;
/** Side of the mapped patch [cells]; the place is in its middle. */
const PATCH = 3;
/**
 * Ground as in src/risk/subsidence/subsidence-ground.ts: share of moving ground [1], and the spreads of velocity
 * [mm/yr], acceleration [mm/yr2] and gradient [mm/yr per m] on stable and on moving ground.
 */
const MOVING_SHARE = 0.25;
export const STABLE = { velocity: 1, acceleration: 0.2, gradient: 0.004 };
export const MOVING = { velocity: 15, acceleration: 2, gradient: 0.06 };
/**
 * Ground that differs from the model: a smaller share of moving ground [1], and gradients that are the velocity divided
 * by a length [m].
 */
const OTHER_MOVING_SHARE = 0.1;
const GRADIENT_LENGTHS_M = [100, 2000] as const;
/**
 * Constants of src/risk/subsidence/subsidence.ts and subsidence-soil.ts: standard deviations of logarithms [1], lengths
 * [m] and durations [years].
 */
const LIMIT = 0.35;
const PERSISTENCE = 0.5;
const RESOLUTION = 0.5;
const LENGTH = 0.8;
const LENGTH_M = 240;
const MAPPED_LENGTH_M = 1000;
const ACCELERATING_YEARS = 5;
const CLAY_SPREAD = 1.1;
const UNKNOWN_SPREAD = 1.6;
const UNSEEN = 0.00005; // annual damage ratio without visible displacement [1/yr]: src/risk/subsidence/subsidence.ts

/**
 * A place on ground with known movement, observed by radar. The displacement series of a patch of cells have white
 * and autocorrelated noise, seasons, outliers and gaps, and pass through the fit that makes the layers. Half of the
 * places have no gradient layer, and half have no clay layer. The movement within a cell, the duration of the movement
 * and the strength of the building are drawn from the spreads of the model.
 */
export function surveyedGroundCase(random: Random): SimulatedCase {
  const spread = random.uniform() < MOVING_SHARE ? MOVING : STABLE;
  return surveyedCase(
    {
      velocity: spread.velocity * random.normal(),
      acceleration: spread.acceleration * random.normal(),
      gradient: Math.abs(spread.gradient * random.normal()),
    },
    random,
  );
}

/** A place observed as in {@link surveyedGroundCase}, on ground that differs from the assumptions of the model. */
export function otherGroundCase(random: Random): SimulatedCase {
  const spread = random.uniform() < OTHER_MOVING_SHARE ? MOVING : STABLE;
  const velocity = spread.velocity * random.normal();
  const [shortest, longest] = GRADIENT_LENGTHS_M;
  const lengthM = Math.exp(random.between(Math.log(shortest), Math.log(longest)));
  const acceleration = spread.acceleration * random.normal();
  return surveyedCase({ velocity, acceleration, gradient: Math.abs(velocity) / lengthM }, random);
}

/** True velocity [mm/yr], acceleration [mm/yr2] and gradient [mm/yr per m]. */
interface TrueGround {
  readonly velocity: number;
  readonly acceleration: number;
  readonly gradient: number;
}

function surveyedCase(truth: TrueGround, random: Random): SimulatedCase {
  const { velocity, acceleration, gradient } = truth;
  const cellM = random.pick(CELLS_M);
  const layers = survey(truth, cellM, random);
  if (random.uniform() < 0.5) layers.delete('velocity-gradient');
  const isMapped = layers.has('velocity-gradient');
  const clay = random.uniform() < 0.5 ? random.between(0, 70) : Number.NaN;
  if (!Number.isNaN(clay)) layers.set('soil-clay', clay);
  const lasting = Math.exp(PERSISTENCE * random.normal());
  const coarseness = Math.sqrt(Math.max(1, cellM / 90));
  const hidden = Math.exp(RESOLUTION * coarseness * random.normal());
  const lengthM = (isMapped ? MAPPED_LENGTH_M : LENGTH_M) * Math.exp(LENGTH * random.normal());
  const causes = [
    isMapped ? angularDistortion(gradient) * hidden * lasting : 0,
    angularDistortion(velocity / lengthM) * lasting,
    angularDistortion((acceleration * ACCELERATING_YEARS) / lengthM) * lasting,
  ] as const;
  const bearing = Math.exp(LIMIT * random.normal());
  const [g, v, a] = causes.map((distortion) => strengthOf(distortion * bearing)) as [number, number, number];
  const soil =
    soilDamage(clay).annual * Math.exp((Number.isNaN(clay) ? UNKNOWN_SPREAD : CLAY_SPREAD) * random.normal());
  return {
    cards: [...layers.keys()].map((layer) => simulatedCard(layer, null, cellM)),
    readings: Array.from(layers.values(), (value) =>
      Number.isFinite(value)
        ? { ok: true as const, value }
        : { ok: false as const, reason: 'nodata' as const },
    ),
    lat: 45,
    lng: 10,
    trueScore: riskScore(Math.min(1, settlementDamageRatio(g, v, a) / HORIZON_YEARS + soil)),
    trueIntensity: () => Math.max(...causes),
  };
}

/** Readings of the layers in the middle of a patch whose velocity increases eastward by the gradient. */
export function survey(
  { velocity, acceleration, gradient }: TrueGround,
  cellM: number,
  random: Random,
): Map<string, number> {
  const count = random.pick(DATE_COUNTS);
  const spacing = random.pick(SPACING_DAYS) * DAY_MS;
  const timesMs = Array.from({ length: count }, (_, i) => i * spacing);
  const noiseMm = Math.exp(random.between(Math.log(1.5), Math.log(6)));
  const memory = random.between(0, 0.5);
  const seasonMm = random.between(0, 4);
  const gaps = random.between(0, 0.3);
  const values = new Float32Array(PATCH * PATCH * count);
  for (let cell = 0; cell < PATCH * PATCH; cell++) {
    const rate = velocity + gradient * cellM * ((cell % PATCH) - 1);
    let noise = noiseMm * random.normal();
    for (let i = 0; i < count; i++) {
      noise = memory * noise + Math.sqrt(1 - memory ** 2) * noiseMm * random.normal();
      const years = (timesMs[i]! - timesMs.at(-1)! / 2) / JULIAN_YEAR_MS;
      const moved = rate * years + 0.5 * acceleration * years ** 2 + seasonMm * Math.sin(2 * Math.PI * years);
      const wild = random.uniform() < 0.01 ? 10 * noiseMm * random.normal() : 0;
      values[cell * count + i] = random.uniform() < gaps ? Number.NaN : moved + noise + wild;
    }
  }
  const fitter = new DisplacementFitter(timesMs, PATCH * PATCH);
  fitter.fit(values, 0);
  const field = fitter.finish();
  const cells = new Float64Array(PATCH).fill(cellM);
  const slopes = velocityGradient({
    ...field,
    width: PATCH,
    height: PATCH,
    cellWidthM: cells,
    cellHeightM: cells,
  });
  const middle = (PATCH * PATCH - 1) / 2;
  const layers = new Map([
    ['displacement-velocity', field.velocity[middle]!],
    ['velocity-error', field.error[middle]!],
    ['velocity-gradient', slopes[middle]!],
  ]);
  if (field.acceleration !== null) layers.set('displacement-acceleration', field.acceleration[middle]!);
  return layers;
}

/** A place with only a clay layer; its true damage is drawn with the spreads of the model. */
export function soilCase(random: Random): SimulatedCase {
  const clay = random.between(0, 70);
  const soil = soilDamage(clay).annual * Math.exp(CLAY_SPREAD * random.normal());
  return {
    cards: [simulatedCard('soil-clay', null, 250)],
    readings: [{ ok: true, value: clay }],
    lat: 45,
    lng: 10,
    trueScore: riskScore(soil + UNSEEN * Math.exp(UNKNOWN_SPREAD * random.normal())),
    trueIntensity: () => 0,
  };
}
