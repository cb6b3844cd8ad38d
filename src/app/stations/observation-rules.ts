import { InvalidInput } from '../../base/errors.ts';
import { metricCard } from '../series/metrics.ts';
import type { Conversion } from '../series/units.ts';

/** Numbers that always mean "nothing observed", as data providers write them. */
const CODES = new Set([-999, -9999, -99_999, -999_999, -999.9, -9999.9, -999.99, -9999.99, -32_768]);
/** Absolute value above which a number is a fill value, such as 1e20 and 9.96921e36 in NetCDF files. */
const FILL = 1e19;
/**
 * Numbers that mean "nothing observed" for most metrics. Metrics in `HIGH_METRICS` can really have such values: for
 * them, a number is a code only if it is outside the metric's range. For metrics without a range, it is never a code.
 */
const HIGH_CODES = new Set([999, 999.9, 9999, 9999.9, 99_999, 99_999.9, 32_767]);
const HIGH_METRICS = new Set(['pressure', 'river_flow', 'river_level']);
/** Two-digit codes for "nothing observed". A number counts as such a code only if it is outside the metric's range. */
const SHORT_CODES = new Set([-99, -99.9, -99.99, 99, 99.9, 99.99]);

/** How the values of a file are converted to observations of a metric. */
export interface ObservationChoice {
  readonly metric: string;
  readonly convert: Conversion;
  /** Applied before the unit conversion: value = number in the file * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** An additional number that means "nothing observed". */
  readonly nodata?: number | undefined;
  /** Whether values outside the range of the metric are left out. If not, such a value is an error. */
  readonly dropOutside: boolean;
}

/** Converts the numbers of a file to values in the unit of the metric, and counts the gaps. */
export class ObservationRules {
  empty = 0;
  coded = 0;
  outside = 0;
  /** Lowest and highest value so far, in the unit of the metric; infinite before the first value. */
  lowest = Infinity;
  highest = -Infinity;
  readonly #choice: ObservationChoice;
  readonly #range: readonly number[];
  readonly #plain: boolean;

  constructor(choice: ObservationChoice) {
    this.#choice = choice;
    this.#range = metricCard(choice.metric).range;
    this.#plain = choice.scale === 1 && choice.offset === 0;
  }

  reset(): void {
    this.empty = this.coded = this.outside = 0;
    [this.lowest, this.highest] = [Infinity, -Infinity];
  }

  /**
   * Converts one number to the unit of the metric. Returns NaN for a gap.
   * @param where returns the place of the number in its file, for error messages
   * @throws InvalidInput for a value outside the range of the metric, unless such values are left out
   */
  read(written: number, where: () => string): number {
    if (Number.isNaN(written)) {
      this.empty++;
      return Number.NaN;
    }
    const { metric, convert, scale, offset, nodata, dropOutside } = this.#choice;
    if (written === nodata || CODES.has(written) || Math.abs(written) > FILL) return this.#code();
    const value = convert(this.#plain ? written : Number((written * scale + offset).toPrecision(12)));
    const [low, high] = this.#range;
    if (low === undefined || high === undefined || (value >= low && value <= high)) {
      const isCode = low !== undefined && !HIGH_METRICS.has(metric) && HIGH_CODES.has(written);
      if (isCode) return this.#code();
      if (value < this.lowest) this.lowest = value;
      if (value > this.highest) this.highest = value;
      return value;
    }
    if (HIGH_CODES.has(written) || SHORT_CODES.has(written)) return this.#code();
    if (dropOutside) {
      this.outside++;
      return Number.NaN;
    }
    const { unit } = metricCard(metric);
    throw new InvalidInput(
      `${where()}: ${metric} expected in [${low}, ${high}] ${unit}, got ${value}` +
        `${value === written ? '' : ` (${written} as written)`}: check --unit and --scale, name a code with --nodata, or leave such values out with --drop-outside`,
      { param: 'file' },
    );
  }

  #code(): number {
    this.coded++;
    return Number.NaN;
  }
}
