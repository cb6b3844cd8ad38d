import type { Random } from './simulated-case.ts';

/**
 * Range of the rates of climates [1/yr] and of their losses, each uniform in its logarithm. Rarer fire has the score 0,
 * whatever the layers say, so that nothing could be checked.
 */
const RATES = [3e-4, 0.1] as const;
const LOSSES = [0.01, 0.12] as const;

/** Log spreads of docs/methods/wildfire.md: effect of people; severity of a place about that usual in its climate. */
const PEOPLE = 1.2;
export const USUAL_SEVERITY = 0.5;
/** Loss of the unknown fuel in Iberia, to which the losses of fuels belong. */
export const MIXED_LOSS = 0.12;

/** A climate with the layers that say it, and the effect of people on the buildings of one place of it. */
export interface DrawnClimate {
  readonly rate: number;
  readonly severity: number;
  /** Ratio of the losses there to those of Iberia. */
  readonly lossRatio: number;
  /** True ratio of the rate of buildings to the mapped one. */
  readonly ofPeople: number;
  readonly layers: readonly (readonly [layer: string, returnPeriodYears: null, value: number])[];
}

/** Draws a climate in which a place has this severity. */
export function drawnClimate(
  random: Random,
  severity: number,
  usual: number = severity * Math.exp(USUAL_SEVERITY * random.normal()),
): DrawnClimate {
  const rate = logUniform(random, RATES);
  const loss = logUniform(random, LOSSES);
  return {
    rate,
    severity: usual,
    lossRatio: loss / MIXED_LOSS,
    ofPeople: lognormal(random, PEOPLE),
    layers: [
      ['fire-climate', null, Math.log10(rate)],
      ['fire-climate-loss', null, Math.log10(loss)],
      ['fire-climate-severity', null, Math.log10(usual)],
    ],
  };
}

/** Number whose logarithm is uniform in a range. */
export function logUniform(random: Random, [low, high]: readonly [number, number]): number {
  return Math.exp(random.between(Math.log(low), Math.log(high)));
}

/** Lognormal number of mean 1. */
export function lognormal(random: Random, spread: number): number {
  return Math.exp(spread * random.normal() - spread ** 2 / 2);
}
