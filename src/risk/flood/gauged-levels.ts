import type { LayerMeta, LayerReading } from '../assessment.ts';
import {
  curveVersionsOf,
  type CurveVersion,
  levelAt,
  type MappedCurve,
  mappedCurve,
  readCurve,
  reducedVariate,
  versionAt,
} from '../hazard-curve.ts';
import { candidatesOf, type Candidates, valueOf } from '../layer-choice.ts';
import { DRAWS } from '../predictive-draws.ts';

/** Error of a gauge's levels where no layer states it, as the standard deviation of the logarithm [1] (our choice). */
const USUAL_ERROR = 0.3;
/** Normal deviate that is greater than the deviates of all draws. */
const EXTREME_DRAW = 3;

/** Water levels of gauges at a point, and how much they count there. */
export interface GaugeReading {
  readonly version: CurveVersion;
  readonly curve: MappedCurve;
  /** Share of the gauges in the levels [1]; the rest is the prior's. */
  readonly weight: number;
  /** Spread of the levels of both together, as the standard deviation of their logarithm [1]. */
  readonly logSpread: number;
  /** Factor of the levels in each draw, and a factor above all of them. */
  readonly factors: Float64Array;
  readonly highest: number;
}

/** Reads the levels of gauges of one kind from their layers, and blends them with the prior. */
export class GaugedLevels {
  readonly #versions: readonly CurveVersion[];
  readonly #variates: readonly Float64Array[];
  readonly #errors: readonly Candidates[];
  readonly #curve: MappedCurve;
  readonly #factors: Float64Array = new Float64Array(DRAWS[1]!.length);
  readonly #priorLogSpread: number;

  /** @param priorLogSpread spread of the prior level, as the standard deviation of its logarithm [1] */
  constructor(
    cards: readonly LayerMeta[],
    layer: 'coast-level' | 'sea-level' | 'river-stage',
    priorLogSpread: number,
  ) {
    this.#versions = curveVersionsOf(cards, layer);
    this.#variates = this.#versions.map(({ returnPeriodsYears }) =>
      Float64Array.from(returnPeriodsYears, reducedVariate),
    );
    const errors = candidatesOf(cards, `${layer}-error`);
    this.#errors = this.#versions.map(({ version }) => errors.filter((i) => cards[i]!.version === version));
    this.#curve = mappedCurve(this.#versions);
    this.#priorLogSpread = priorLogSpread;
  }

  /**
   * Reads the gauges that speak for a point; undefined where none does. Gauge and prior are two measurements of the same
   * level: each counts by the inverse square of its error. The next call overwrites the returned object's arrays.
   * @param priorLogSpread spread of the prior at the point, if it is not that of all places
   */
  read(readings: readonly LayerReading[], priorLogSpread = this.#priorLogSpread): GaugeReading | undefined {
    const v = versionAt(this.#versions, readings);
    if (v < 0) return undefined;
    readCurve(this.#versions[v]!, this.#variates[v]!, readings, this.#curve);
    const stated = valueOf(readings, this.#errors[v]!);
    const error = (stated >= 0 ? stated : USUAL_ERROR) ** 2;
    const prior = priorLogSpread ** 2;
    const weight = prior / (prior + error);
    const logSpread = Math.sqrt((1 - weight) * prior);
    for (let k = 0; k < this.#factors.length; k++) this.#factors[k] = Math.exp(logSpread * DRAWS[1]![k]!);
    return {
      version: this.#versions[v]!,
      curve: this.#curve,
      weight,
      logSpread,
      factors: this.#factors,
      highest: Math.exp(logSpread * EXTREME_DRAW),
    };
  }

  /**
   * Levels of gauge and prior together. Beyond the return periods of the gauge, its first or last level changes as the
   * prior's.
   * @param variates reduced variates of the return periods, ascending
   * @param prior levels of the prior at the same return periods
   */
  blend({ curve, weight }: GaugeReading, variates: Float64Array, prior: Float64Array): Float64Array {
    const { count } = curve;
    const [first, last] = [curve.variates[0]!, curve.variates[count - 1]!];
    const priorCurve = { count: variates.length, variates, levels: prior };
    const [atFirst, atLast] = [levelAt(priorCurve, first), levelAt(priorCurve, last)];
    return prior.map((expected, i) => {
      const variate = variates[i]!;
      const beyond = variate < first ? expected - atFirst : variate > last ? expected - atLast : 0;
      return Math.max(0, weight * (levelAt(curve, variate) + beyond) + (1 - weight) * expected);
    });
  }
}
