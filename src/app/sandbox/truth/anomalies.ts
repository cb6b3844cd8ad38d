import { mapGrid } from '../../../geo/grid.ts';
import type { EventKind, PlantedEvent } from '../../../sandbox/events.ts';
import { SANDBOX_GRID } from '../../../sandbox/terrain.ts';
import { dateOfDay, FIRST_DAY_MS, SPELLS } from '../../../sandbox/weather.ts';
import { DAY_MS } from '../../../base/time.ts';
import type { AnomalyRecord } from '../../anomalies/anomaly-store.ts';
import type { Aoi } from '../../areas/aoi-store.ts';

/** Direction in which an event moves each metric: 1 up, -1 down. */
type Signs = Readonly<Record<string, 1 | -1>>;

const LESS_GREEN: Signs = { ndvi: -1, nbr: -1, ndmi: -1, moisture: -1 };
const WEATHER_SIGNS: Readonly<Record<(typeof SPELLS)[number]['what'], Signs>> = {
  drought: {
    ...LESS_GREEN,
    temperature: 1,
    humidity: -1,
    fwi: 1,
    precipitation_30d: -1,
    spi_3: -1,
    river_flow: -1,
  },
  deluge: { precipitation: 1, precipitation_30d: 1, spi_3: 1, river_flow: 1 },
  heat: { temperature: 1, fwi: 1 },
  storm: { wind: 1, gust: 1 },
  cold: { temperature: -1 },
};
const GROUND_SIGNS: Readonly<Record<EventKind, Signs>> = {
  clearing: LESS_GREEN,
  fire: LESS_GREEN,
  construction: LESS_GREEN,
  planting: LESS_GREEN,
  reservoir: { ...LESS_GREEN, mndwi: 1 },
  flood: { ...LESS_GREEN, mndwi: 1 },
  subsidence: { displacement: -1, displacement_up: -1, displacement_rate: -1 },
};
/**
 * Number of days for which an event still affects a metric after the event has ended: the window over which the metric
 * is computed, or the time that it needs to recover (our choice).
 */
const AFTER_DAYS: Readonly<Record<string, number>> = {
  precipitation_30d: 30,
  spi_3: 92,
  fwi: 52, // time lag of the drought code (Van Wagner 1987)
  river_flow: 14,
  ndvi: 45,
  nbr: 45,
  ndmi: 45,
  moisture: 45,
};
const HISTORY_DAYS = 365; // minimum length of an observed series before it is judged: docs/methods/anomaly.md

/** A planted event, or a period of planted or rare weather, that may cause anomalies. */
export interface TrueSpell {
  readonly what: string;
  /** First and last day, counted from 2022-01-01; `to` is null for a lasting change. */
  readonly from: number;
  readonly to: number | null;
  readonly signs: Signs;
  /** Number of days for which each metric is still affected after the last day; 0 for a metric without an entry. */
  readonly afterDays: Readonly<Record<string, number>>;
  /** Affected places, [lng, lat]; null for the whole region. */
  readonly places: readonly (readonly [lng: number, lat: number])[] | null;
}

/** Result of comparing one true spell with the anomalies. */
export interface JudgedSpell {
  readonly what: string;
  /** YYYY-MM-DD; `to` is null for a lasting change. */
  readonly from: string;
  readonly to: string | null;
  /** Metrics with an anomaly that matches the spell; empty when there is none. */
  readonly foundIn: readonly string[];
  /**
   * Number of days from the start of the spell to the first matching anomaly, and the highest severity of the matching
   * anomalies. Null if no anomaly matches.
   */
  readonly lagDays: number | null;
  readonly severity: AnomalyRecord['severity'] | null;
  /** Reason why no anomaly matches the spell; null if an anomaly matches. */
  readonly whyNot: string | null;
}

/** Comparison of the anomalies of areas with the truth. */
export interface AnomalyJudgement {
  readonly planted: readonly JudgedSpell[];
  /** Spells of weather that was not planted but is rare compared with earlier years, if an anomaly matches them. */
  readonly rareWeather: readonly JudgedSpell[];
  readonly claims: {
    /**
     * Number of anomalies. An anomaly of a station counts once, even if the station belongs to several areas.
     */
    readonly anomalies: number;
    /** Number of anomalies that match a planted spell, and number of the other anomalies that match rare weather. */
    readonly onPlanted: number;
    readonly onRareWeather: number;
    /** Share of anomalies that match neither a planted spell nor rare weather; null if there are no anomalies. */
    readonly falseShare: number | null;
  };
}

/** The properties of an anomaly that are compared with the truth. */
export type SeenAnomaly = Pick<
  AnomalyRecord,
  'collectionId' | 'station' | 'metric' | 'severity' | 'residual' | 'startedAt' | 'endedAt'
> & { readonly area: Pick<Aoi, 'id' | 'bounds'> };

/** Lists the planted weather and the ground events that began before `day`, with their effects on metrics. */
export function plantedSpells(events: readonly PlantedEvent[], day: number): readonly TrueSpell[] {
  const map = mapGrid(SANDBOX_GRID);
  const weather = SPELLS.map(({ what, from, to }) => ({
    what,
    from,
    to,
    signs: WEATHER_SIGNS[what],
    afterDays: AFTER_DAYS,
    places: null,
  }));
  const ground = events.map(({ id, kind, pixels, since, until }) => ({
    what: id,
    from: Math.min(...since),
    to: until,
    signs: GROUND_SIGNS[kind],
    afterDays: AFTER_DAYS,
    places: Array.from(pixels, (pixel) => map.pixelCentre(pixel)),
  }));
  return [...weather, ...ground].filter(({ from }) => from < day).toSorted((a, b) => a.from - b.from);
}

const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;

/**
 * Compares anomalies with the truth. Planted weather is always listed; ground events and unplanted rare weather
 * are listed only if an anomaly matches them.
 */
export function judgeAnomalies(
  planted: readonly TrueSpell[],
  rareWeather: readonly TrueSpell[],
  seen: readonly SeenAnomaly[],
): AnomalyJudgement {
  const keyOf = ({ collectionId, station, area, metric, startedAt }: SeenAnomaly): string =>
    [collectionId, metric, station?.id ?? area.id, startedAt.getTime()].join(' ');
  const anomalies = [...new Map(seen.map((anomaly) => [keyOf(anomaly), anomaly])).values()];
  const matchesAny = (anomaly: SeenAnomaly, spells: readonly TrueSpell[]): boolean =>
    spells.some((spell) => matches(anomaly, spell));
  const others = anomalies.filter((anomaly) => !matchesAny(anomaly, planted));
  const onRareWeather = others.filter((anomaly) => matchesAny(anomaly, rareWeather)).length;
  const count = anomalies.length;
  return {
    // A ground event of hectares may not show in the mean over square kilometres, so missed ground events are not
    // listed.
    planted: planted
      .map((spell) => judgeSpell(spell, anomalies))
      .filter(({ foundIn }, s) => foundIn.length > 0 || planted[s]!.places === null),
    rareWeather: rareWeather
      .map((spell) => judgeSpell(spell, others))
      .filter(({ foundIn }) => foundIn.length > 0),
    claims: {
      anomalies: count,
      onPlanted: count - others.length,
      onRareWeather,
      falseShare: count === 0 ? null : (others.length - onRareWeather) / count,
    },
  };
}

function judgeSpell(spell: TrueSpell, anomalies: readonly SeenAnomaly[]): JudgedSpell {
  const found = anomalies.filter((anomaly) => matches(anomaly, spell));
  const first = Math.min(...found.map(({ startedAt }) => dayOf(startedAt)));
  return {
    what: spell.what,
    from: dateOfDay(spell.from),
    to: spell.to === null ? null : dateOfDay(spell.to),
    foundIn: [...new Set(found.map(({ metric }) => metric))].toSorted(),
    lagDays: found.length === 0 ? null : Math.max(0, first - spell.from),
    severity:
      SEVERITIES.findLast((severity) => found.some((anomaly) => anomaly.severity === severity)) ?? null,
    whyNot: found.length > 0 ? null : reasonOf(spell),
  };
}

/** Whether an anomaly matches a spell in metric, direction, time and place. */
function matches(anomaly: SeenAnomaly, { signs, afterDays, from, to, places }: TrueSpell): boolean {
  const { metric, residual, startedAt, endedAt } = anomaly;
  if (signs[metric] === undefined || signs[metric] * residual <= 0) return false;
  if (to !== null && dayOf(startedAt) > to + (afterDays[metric] ?? 0)) return false;
  if (endedAt !== null && dayOf(endedAt) <= from) return false; // `endedAt` is the first normal day
  return places === null || places.some((place) => isSeenFrom(anomaly, place));
}

const NEAR_DEGREES = 0.0005; // about 50 m: maximum distance of an event from a station that measures it

function isSeenFrom(
  { station, area: { bounds } }: SeenAnomaly,
  [lng, lat]: readonly [lng: number, lat: number],
): boolean {
  if (station !== null)
    return Math.abs(station.lng - lng) < NEAR_DEGREES && Math.abs(station.lat - lat) < NEAR_DEGREES;
  const [west, south, east, north] = bounds;
  return lng >= west && lng <= east && lat >= south && lat <= north;
}

function reasonOf({ from, signs }: TrueSpell): string {
  if (from < HISTORY_DAYS)
    return `began ${from} days after the start of the series, which are judged once they are a year old`;
  return `missed in ${Object.keys(signs).join(', ')}`;
}

function dayOf(time: Date): number {
  return Math.floor((time.getTime() - FIRST_DAY_MS) / DAY_MS);
}
