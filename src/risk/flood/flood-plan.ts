import { annualDamageWeights } from '../expected-annual-damage.ts';
import { FLOOD_RETURN_PERIODS, LEAST_PERIOD_YEARS, waterLevels, type WaterLevels } from './flood-water.ts';
import { type CurveVersion, reducedVariate } from '../hazard-curve.ts';

/** Return periods at which a point is evaluated, and the quantities that depend only on them. */
export interface FloodPlan {
  /** Return periods of the score and of the hazard curve [years], ascending. */
  readonly years: readonly number[];
  readonly weights: Float64Array;
  /**
   * Return periods of the draws [years]: those in `years` and, if there are flood maps, some below and above. The
   * events of the additional return periods occur in reality but do not enter the score. `drawn.years[from + i]`
   * is `years[i]`.
   */
  readonly drawn: {
    readonly years: readonly number[];
    readonly weights: Float64Array;
    readonly from: number;
    /** Logarithms of the years, and their reduced variates. */
    readonly logYears: Float64Array;
    readonly variates: Float64Array;
  };
  /** Prior water levels at the return periods of the draws. */
  readonly levels: WaterLevels;
  /** Whether defences prevent events of some of the return periods. */
  readonly isDefended: boolean;
}

/** Maximum number of cached plans. Few are needed, because the defences in a layer have few different standards. */
const MAX_PLANS = 500;

/** Caches one plan for each combination of maps and defences. */
export class FloodPlans {
  readonly #plans = new Map<string, FloodPlan>();
  /** Maximum number of return periods of a plan, including those of the draws. */
  readonly longest: number;

  constructor(river: readonly CurveVersion[], sea: readonly CurveVersion[]) {
    const most = (versions: readonly CurveVersion[]): number =>
      Math.max(0, ...versions.map(({ cards }) => cards.length));
    this.longest = Math.max(FLOOD_RETURN_PERIODS.length, most(river) + most(sea) + 4) + 1;
  }

  /**
   * Returns the plan of a point: it has the return periods of the maps with values there or, without such maps,
   * those of the model. Defences prevent events more frequent than the protection standard, so the plan starts
   * at this standard.
   * @param protectionYears NaN where no defence is known
   */
  planOf(river: CurveVersion | undefined, sea: CurveVersion | undefined, protectionYears: number): FloodPlan {
    const standard = protectionYears > 1 ? protectionYears : 0;
    const key = `${river?.version ?? ''}/${sea?.version ?? ''}/${standard}`;
    let plan = this.#plans.get(key);
    if (plan === undefined) {
      plan = planFor(river, sea, standard);
      if (this.#plans.size >= MAX_PLANS) this.#plans.clear();
      this.#plans.set(key, plan);
    }
    return plan;
  }
}

/**
 * Additional return periods of the draws: below the first map [years], and above the last map as multiples of its
 * return period [1].
 */
const FREQUENT_YEARS = [2, 5] as const;
const RARER = [3, 10] as const;

const RAREST_YEARS = FLOOD_RETURN_PERIODS.at(-1)!;

/**
 * Return period [years] of the water that does not reach an undefended building (our choice): buildings are not put
 * where it floods more often, or stand on stilts and mounds there. Of the insured buildings on flood plains of the USA
 * one in a hundred is flooded twice within ten years.
 * @see GAO-04-401T (2004)
 */
export const BUILT_YEARS = 10;

/**
 * Level [same unit] that undefended buildings stand above, from the levels at the return periods of the draws.
 */
export function builtLevel({ drawn: { logYears } }: FloodPlan, levels: Float64Array): number {
  const at = BUILT_LOG;
  let i = 1;
  while (i < logYears.length - 1 && logYears[i]! < at) i++;
  const t = (at - logYears[i - 1]!) / (logYears[i]! - logYears[i - 1]!);
  return levels[i - 1]! + Math.min(1, Math.max(0, t)) * (levels[i]! - levels[i - 1]!);
}

const BUILT_LOG = Math.log(BUILT_YEARS);

function planFor(
  river: CurveVersion | undefined,
  sea: CurveVersion | undefined,
  standard: number,
): FloodPlan {
  const mapped = [...(river?.returnPeriodsYears ?? []), ...(sea?.returnPeriodsYears ?? [])];
  const all = mapped.length > 0 ? [...new Set(mapped)].sort((a, b) => a - b) : [...FLOOD_RETURN_PERIODS];
  const isDefended = standard > all[0]!;
  const years = isDefended ? [standard, ...all.filter((T) => T > standard)] : all;
  const frequent = mapped.length > 0 && !isDefended ? FREQUENT_YEARS.filter((T) => T < years[0]!) : [];
  const rare = mapped.length > 0 ? RARER.map((times) => times * years.at(-1)!) : [];
  const drawn = [...frequent, ...years, ...rare];
  return {
    years,
    weights: annualDamageWeights(years),
    drawn: {
      years: drawn,
      weights: annualDamageWeights(drawn),
      from: frequent.length,
      logYears: Float64Array.from(drawn, Math.log),
      variates: Float64Array.from(drawn, (T) => reducedVariate(Math.max(T, LEAST_PERIOD_YEARS))),
    },
    // Water levels are constant beyond the model's rarest return period, even if the protection standard has a
    // longer one.
    levels: waterLevels(drawn.map((T) => Math.min(T, RAREST_YEARS))),
    isDefended,
  };
}
