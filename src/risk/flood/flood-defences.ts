import { countryFacts, type IncomeGroup } from '../countries.ts';
import { normalProbability } from '../../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';

/**
 * Return period that defences hold where nothing but the income of a country is known [years].
 * @see FLOPROS as used by the World Bank's Unbreakable model: 2, 10, 18 and 50 years from low to high income
 */
const STANDARD_BY_INCOME: Readonly<Record<IncomeGroup, number>> = {
  low: 2,
  'lower-middle': 10,
  'upper-middle': 18,
  high: 50,
};

/** Standard where not even the income is known [years], and its spread [log] (our choice). */
const UNKNOWN_STANDARD = 10;
const UNKNOWN_LOG_SPREAD = 1.5;

/**
 * Weight of a designed or decreed standard against the standard by income [1] (our choice): a standard on paper is not
 * the state of the dikes.
 */
const PAPER_WEIGHT = 0.75;

/**
 * Spread of the standard of a place about the figure of its country, as the standard deviation of the logarithm [1]
 * (our choice): where a design or policy is known, and where the figure is inferred from wealth.
 */
const PAPER_LOG_SPREAD = 0.8;
const GUESS_LOG_SPREAD = 1.2;

/**
 * Range of return periods, in e-folds about the standard, over which the probability that a defence fails rises from 0
 * to 1 (our choice): it fails at its standard with a probability of a half, and never below half of it.
 */
export const FRAGILITY_FOLDS = 1.5;

/** Return period from which a defence counts as one that ground below the usual water can be built behind [years] (our choice). */
const BUILT_BEHIND_YEARS = 25;

/** Defences of a country, drawn: one entry per predictive draw. */
export interface DefenceDraws {
  /** Logarithm of the return period [years] that river defences hold, and sea defences. */
  readonly riverLog: Float64Array;
  readonly seaLog: Float64Array;
}

/**
 * Share of the ground behind a strong defence that the water of one breach reaches, in each draw: uniform from 0 to 1
 * (our choice: a breach floods a part of a dike ring or of a flood plain, and relieves the rest).
 */
const BREACH_SHARES = DRAWS[5]!.map(normalProbability);

/** Share of the ground behind a defence that one failure floods, in a draw [0-1]. @param log as in `isStrong` */
export function breachShare(log: number, draw: number): number {
  return isStrong(log) ? BREACH_SHARES[draw]! : 1;
}

const STRONG_LOG = Math.log(BUILT_BEHIND_YEARS);

/** Whether ground below the usual water can be built on behind a defence that holds the return period `exp(log)`. */
export function isStrong(log: number): boolean {
  return log >= STRONG_LOG;
}

/**
 * Share [0-1] of the events of a return period that a defence lets through.
 * @param eventLog logarithm of the return period of the event [years]
 * @param standardLog logarithm of the return period that the defence holds [years]
 * @param isLast whether the event stands for all rarer ones, too: then those rarer than the standard pass
 */
export function passingShare(eventLog: number, standardLog: number, isLast: boolean): number {
  const folds = eventLog - standardLog;
  const share = 0.5 + folds / FRAGILITY_FOLDS;
  if (share >= 1) return 1;
  if (isLast) return Math.max(share, Math.exp(Math.min(0, folds)));
  return share > 0 ? share : 0;
}

/** Prior of a standard: the mean and the standard deviation of the logarithm of the return period [years]. */
export interface StandardPrior {
  readonly mean: number;
  readonly spread: number;
}

/** Priors of the standards of river and sea defences. */
export interface DefencePrior {
  readonly river: StandardPrior;
  readonly sea: StandardPrior;
}

const UNKNOWN: StandardPrior = { mean: Math.log(UNKNOWN_STANDARD), spread: UNKNOWN_LOG_SPREAD };

/**
 * Prior of the defences by the value of the layer `country`, NaN where it has none. The river standard is the published
 * median by area, the sea standard a design or policy. Both are moved towards the standard by income, entirely where
 * nothing is published. Standards differ within a country, so they have a wide spread.
 * @see doi:10.5194/nhess-16-1049-2016 (Scussolini et al. 2016, FLOPROS)
 */
export function defencePrior(country: number): DefencePrior {
  const facts = countryFacts(country);
  if (facts === undefined) return { river: UNKNOWN, sea: UNKNOWN };
  const { income, riverYears, riverGuessedShare, coastDesignYears, coastPolicyYears } = facts;
  const usual = Math.log(income === null ? UNKNOWN_STANDARD : STANDARD_BY_INCOME[income]);
  const median = riverYears[1];
  const coast = Math.max(orLeast(coastDesignYears), orLeast(coastPolicyYears));
  return {
    river: median >= 1 ? standard(median, riverGuessedShare, usual) : standard(Math.exp(usual), 1, usual),
    sea: coast > 1 ? standard(coast, 0, usual) : standard(Math.exp(usual), 1, usual),
  };
}

function orLeast(years: number): number {
  return years > 1 ? years : 1;
}

/** A share of a figure that is inferred from wealth needs no move towards the standard by income. */
function standard(years: number, guessedShare: number, usualLog: number): StandardPrior {
  const log = Math.log(years);
  return {
    mean: log + (1 - guessedShare) * (1 - PAPER_WEIGHT) * (usualLog - log),
    spread: Math.hypot(
      Math.sqrt(guessedShare) * GUESS_LOG_SPREAD,
      Math.sqrt(1 - guessedShare) * PAPER_LOG_SPREAD,
    ),
  };
}

const CACHE = new Map<number, DefenceDraws>();

/** Draws of the prior of the defences. @param country as in `defencePrior` */
export function defenceDraws(country: number): DefenceDraws {
  let drawn = CACHE.get(country);
  if (drawn === undefined) {
    const { river, sea } = defencePrior(country);
    drawn = { riverLog: drawsOf(river), seaLog: drawsOf(sea) };
    if (CACHE.size < MOST_COUNTRIES) CACHE.set(country, drawn);
  }
  return drawn;
}

/** Codes beyond this number are not cached; there are some 250 countries. */
const MOST_COUNTRIES = 1000;

function drawsOf({ mean, spread }: StandardPrior): Float64Array {
  return Float64Array.from({ length: DRAW_COUNT }, (_, k) => mean + spread * DRAWS[4]![k]!);
}
