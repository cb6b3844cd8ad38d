import { InvalidInput } from '../../base/errors.ts';
import { metricCard } from '../series/metrics.ts';
import type { Conversion } from '../series/units.ts';

/** Numbers that mean "nothing observed" wherever they stand, as makers of records write them. */
const CODES = new Set([-999, -9999, -99_999, -999_999, -999.9, -9999.9, -999.99, -9999.99, -32_768]);
/** Beyond it a number is a fill value: 1e20 and 9.96921e36 of NetCDF. */
const FILL = 1e19;
/** The same, but such a number may also be measured: in these metrics, and where no range rules it out. */
const HIGH_CODES = new Set([999, 999.9, 9999, 9999.9, 99_999, 99_999.9, 32_767]);
const HIGH_METRICS = new Set(['pressure', 'river_flow', 'river_level']);
/** Codes of two digits, which only a range tells from values. */
const SHORT_CODES = new Set([-99, -99.9, -99.99, 99, 99.9, 99.99]);

/** How values of a file become observations of a metric. */
export interface ObservationChoice {
  readonly metric: string;
  readonly convert: Conversion;
  /** Before the unit: value = written * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Another number that means "nothing observed". */
  readonly nodata?: number | undefined;
  /** Whether values out of the metric's range are left out; else they are refused. */
  readonly dropOutside: boolean;
}

/** Turns what is written into values of the metric's unit, and counts what is not. */
export class ObservationRules {
  empty = 0;
  coded = 0;
  outside = 0;
  /** Of the values, in the metric's unit; infinite before there is one. */
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
   * The value, NaN for a gap.
   * @param where tells the place of the value in its file
   * @throws InvalidInput for a value that the metric cannot have
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
