/** What opens and closes a fire season: some days in a row, each of them or their mean. */
export interface SeasonRule {
  readonly days: number;
  /** `each`: every one of the days passes the threshold; `mean`: their mean does. */
  readonly by: 'each' | 'mean';
  /** Whether the last of the days is the day itself, or the one before. */
  readonly countsToday: boolean;
  /** The season opens from this temperature on and closes below the other [C]. */
  readonly opensFromC: number;
  readonly closesBelowC: number;
  /** Snow at least this deep [m] keeps it closed; null: snow is not looked at. */
  readonly snowDepthM: number | null;
}

/**
 * The day's maximum at 12 C or more on three days opens the season on the fourth, below 5 C closes it likewise.
 * @see doi:10.5558/tfc69187-2 (Wotton & Flannigan 1993)
 */
export const WOTTON_FLANNIGAN: SeasonRule = {
  days: 3,
  by: 'each',
  countsToday: false,
  opensFromC: 12,
  closesBelowC: 5,
  snowDepthM: null,
};

/**
 * The Global Fire Weather Database's rule: three-day means of noon temperature about 6 C and of snow depth about 1 cm.
 * @see doi:10.5194/nhess-15-1407-2015 (Field et al. 2015)
 */
export const GLOBAL_FIRE_WEATHER: SeasonRule = {
  days: 3,
  by: 'mean',
  countsToday: true,
  opensFromC: 6,
  closesBelowC: 6,
  snowDepthM: 0.01,
};

/** Where the season stands; `recent` holds at most the rule's `days`, oldest first. */
export interface SeasonState {
  readonly open: boolean;
  readonly recent: readonly SeasonDay[];
}

export interface SeasonDay {
  /** As the rule asks: the day's maximum, or at noon. */
  readonly temperatureC: number;
  /** [m]; not read by a rule without snow. */
  readonly snowDepthM?: number;
}

/** Before the first day. */
export const CLOSED_SEASON: SeasonState = { open: false, recent: [] };

/**
 * The season after one more day; `open` tells whether that day belongs to it. Streaming. Fewer days than the rule looks
 * back on change nothing.
 * @throws RangeError on a temperature, or for a rule with snow a depth, that is no number
 */
export function nextSeasonDay(
  state: SeasonState,
  day: SeasonDay,
  rule: SeasonRule = WOTTON_FLANNIGAN,
): SeasonState {
  if (!Number.isFinite(day.temperatureC)) throw new RangeError(`temperature ${day.temperatureC}`);
  if (rule.snowDepthM !== null && !Number.isFinite(day.snowDepthM))
    throw new RangeError(`snow depth ${day.snowDepthM}, wanted by the rule`);
  const recent = [...state.recent, day].slice(-rule.days);
  const looked = rule.countsToday ? recent : state.recent;
  return { open: looked.length < rule.days ? state.open : isOpen(state.open, looked, rule), recent };
}

function isOpen(wasOpen: boolean, days: readonly SeasonDay[], rule: SeasonRule): boolean {
  const temperatures = days.map((day) => day.temperatureC);
  const depths = days.map((day) => day.snowDepthM ?? 0);
  const byMean = rule.by === 'mean';
  return isSeasonOpen(
    wasOpen,
    byMean ? mean(temperatures) : Math.min(...temperatures),
    byMean ? mean(temperatures) : Math.max(...temperatures),
    byMean ? mean(depths) : Math.max(...depths),
    rule,
  );
}

/**
 * Whether a season is open after the days that the rule looks back on.
 * @param coldestC temperature of the coldest of those days, or their mean, as the rule asks
 * @param warmestC of the warmest, or their mean
 * @param snowM depth of the deepest snow, or the mean
 */
export function isSeasonOpen(
  wasOpen: boolean,
  coldestC: number,
  warmestC: number,
  snowM: number,
  rule: SeasonRule,
): boolean {
  if (rule.snowDepthM !== null && snowM >= rule.snowDepthM) return false;
  return wasOpen ? warmestC >= rule.closesBelowC : coldestC >= rule.opensFromC;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
