/** What opens and closes a fire season: the temperature of some days in a row, each of them or their mean. */
export interface SeasonRule {
  readonly days: number;
  /** `each`: every one of the days meets the threshold; `mean`: their mean does. */
  readonly by: 'each' | 'mean';
  /** Whether the last of these days is the day itself; otherwise it is the day before. */
  readonly countsToday: boolean;
  /** The season opens at this temperature or above and closes below the other [C]. */
  readonly opensFromC: number;
  readonly closesBelowC: number;
  /** Snow at least this deep [m] keeps it closed; null: snow is ignored. */
  readonly snowDepthM: number | null;
}

/**
 * Daily maxima of 12 C or more on three days open the season on the fourth day; maxima below 5 C close it likewise.
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

/** Whether a season is open, and the latest days, oldest first, at most as many as the rule's `days`. */
export interface SeasonState {
  readonly open: boolean;
  readonly recent: readonly SeasonDay[];
}

export interface SeasonDay {
  /** Temperature that the rule uses: the day's maximum, or at noon. */
  readonly temperatureC: number;
  /** [m]; not read by a rule without snow. */
  readonly snowDepthM?: number;
}

/** State before the first day. */
export const CLOSED_SEASON: SeasonState = { open: false, recent: [] };

/**
 * State of the season after one more day; `open` says whether that day belongs to the season. It stays as it is
 * until there are as many days as the rule needs.
 * @throws RangeError on a temperature, or for a rule with snow a depth, that is not finite
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
 * Whether a season is open after the days that the rule uses.
 * @param coldestC temperature of the coldest of those days, or their mean, depending on the rule
 * @param warmestC temperature of the warmest, or their mean
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
