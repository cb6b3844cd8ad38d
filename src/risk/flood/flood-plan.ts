import { annualDamageWeights } from '../expected-annual-damage.ts';
import { FLOOD_RETURN_PERIODS, waterLevels, type WaterLevels } from './flood-water.ts';
import type { CurveVersion } from '../hazard-curve.ts';

/** Return periods that a point is evaluated at, and all that depends on them alone. */
export interface FloodPlan {
  /** Ascending: those that the score and the curve are of. */
  readonly years: readonly number[];
  readonly weights: Float64Array;
  /**
   * Those that the draws are of: where maps answer also more frequent and rarer ones, which the score leaves out and the
   * truth does not. `drawn.years[from + i]` is `years[i]`.
   */
  readonly drawn: {
    readonly years: readonly number[];
    readonly weights: Float64Array;
    readonly from: number;
  };
  /** Of the drawn years. */
  readonly levels: WaterLevels;
  /** Whether defences hold off some of the events. */
  readonly isDefended: boolean;
}

/** Plans kept at most: defences of one layer have few different standards. */
const MAX_PLANS = 500;

/** Makes the plan of each point's maps and defences, once. */
export class FloodPlans {
  readonly #plans = new Map<string, FloodPlan>();
  /** Most return periods that a plan can have, drawn ones included. */
  readonly longest: number;

  constructor(river: readonly CurveVersion[], sea: readonly CurveVersion[]) {
    const most = (versions: readonly CurveVersion[]): number =>
      Math.max(0, ...versions.map(({ cards }) => cards.length));
    this.longest = Math.max(FLOOD_RETURN_PERIODS.length, most(river) + most(sea) + 4) + 1;
  }

  /**
   * Plan of a point: the return periods of the maps that answer there, or the model's own. Events more frequent than the
   * protection standard are removed: the plan begins there.
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

/** More frequent events than the first map's that the draws hold [years], and rarer than the last's as its multiples. */
const FREQUENT_YEARS = [2, 5] as const;
const RARER = [3, 10] as const;

const RAREST_YEARS = FLOOD_RETURN_PERIODS.at(-1)!;

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
    drawn: { years: drawn, weights: annualDamageWeights(drawn), from: frequent.length },
    // Held beyond the rarest of the model's own: defences to a rarer standard do not make the water higher.
    levels: waterLevels(drawn.map((T) => Math.min(T, RAREST_YEARS))),
    isDefended,
  };
}
