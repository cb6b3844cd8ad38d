/** Rule for the start and the end of a fire season, based on the temperature of several consecutive days. */
export interface SeasonRule {
  readonly days: number;
  /** `each`: every one of the days must meet the threshold; `mean`: their mean must meet it. */
  readonly by: 'each' | 'mean';
  /** Whether the last of the consecutive days is the current day; otherwise it is the day before. */
  readonly countsToday: boolean;
  /** The season starts at or above `opensFromC` and ends below `closesBelowC` [C]. */
  readonly opensFromC: number;
  readonly closesBelowC: number;
  /** Minimum snow depth that prevents or ends the season [m]; null if snow is ignored. */
  readonly snowDepthM: number | null;
}

/**
 * Daily maximum temperatures of 12 C or more on three days start the season on the fourth day; maxima below 5 C
 * on three days end it on the fourth day.
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
 * Rule of the Global Fire Weather Database: the season is open while the three-day mean of noon temperature is at
 * least 6 C and the three-day mean of snow depth is below 1 cm.
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

/** Whether a season is open, and the latest days, oldest first: at most as many as `SeasonRule.days`. */
export interface SeasonState {
  readonly open: boolean;
  readonly recent: readonly SeasonDay[];
}

export interface SeasonDay {
  /** Temperature for the rule [C]: the maximum of the day, or the temperature at noon. */
  readonly temperatureC: number;
  /** Snow depth [m]; not used by a rule without snow. */
  readonly snowDepthM?: number;
}

/** State before the first day. */
export const CLOSED_SEASON: SeasonState = { open: false, recent: [] };

/**
 * Returns the state of the season after one more day; `open` is whether this day belongs to the season. `open`
 * does not change until the state has as many days as the rule requires.
 * @throws RangeError if the temperature is not finite, or the snow depth if the rule uses snow
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
 * @param warmestC temperature of the warmest of those days, or their mean
 * @param snowM depth of the deepest snow, or the mean depth
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
