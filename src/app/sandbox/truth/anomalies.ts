import { mapGrid } from '../../../geo/grid.ts';
import type { EventKind, PlantedEvent } from '../../../sandbox/events.ts';
import { SANDBOX_GRID } from '../../../sandbox/terrain.ts';
import { dateOfDay, FIRST_DAY_MS, SPELLS } from '../../../sandbox/weather.ts';
import { DAY_MS } from '../../../base/time.ts';
import type { AnomalyRecord } from '../../anomalies/anomaly-store.ts';
import type { Aoi } from '../../areas/aoi-store.ts';

/** Which way each metric goes when something happens: 1 up, -1 down. */
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
/** Days for which a metric goes on telling of what is over: its own window, or the time it takes to recover (ours). */
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
const HISTORY_DAYS = 365; // before which a feed is not judged: docs/methods/anomaly.md

/** Something of the truth that feeds may tell of. */
export interface TrueSpell {
  readonly what: string;
  /** First and last day, from 2022-01-01; null for what lasts. */
  readonly from: number;
  readonly to: number | null;
  readonly signs: Signs;
  /** Days after its last on which a metric still tells of it; none where a metric is not named. */
  readonly afterDays: Readonly<Record<string, number>>;
  /** Places it touches, [lng, lat]; null for all of the region. */
  readonly places: readonly (readonly [lng: number, lat: number])[] | null;
}

/** What became of one of them. */
export interface JudgedSpell {
  readonly what: string;
  /** YYYY-MM-DD; `to` is null for what lasts. */
  readonly from: string;
  readonly to: string | null;
  /** Metrics in which an anomaly tells of it; empty when none does. */
  readonly foundIn: readonly string[];
  /** Days from its first to the first of them, and the highest severity; null when it was not found. */
  readonly lagDays: number | null;
  readonly severity: AnomalyRecord['severity'] | null;
  /** Why it was not found; null when it was. */
  readonly whyNot: string | null;
}

/** The anomalies of some areas, held against the truth. */
export interface AnomalyJudgement {
  readonly planted: readonly JudgedSpell[];
  /** Weather that nobody planted and that is rare by the years recorded before, where an anomaly tells of it. */
  readonly rareWeather: readonly JudgedSpell[];
  readonly claims: {
    /** Anomalies, each of a feed once however many areas see it. */
    readonly anomalies: number;
    /** Those that tell of something planted, and of the others those that tell of rare weather. */
    readonly onPlanted: number;
    readonly onRareWeather: number;
    /** Share of those that tell of neither; null where nothing is claimed. */
    readonly falseShare: number | null;
  };
}

/** What is judged of an anomaly. */
export type SeenAnomaly = Pick<
  AnomalyRecord,
  'collectionId' | 'station' | 'metric' | 'severity' | 'residual' | 'startedAt' | 'endedAt'
> & { readonly area: Pick<Aoi, 'id' | 'bounds'> };

/** The weather and the events on the ground until a day, as feeds may tell of them. */
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
 * Holds anomalies against the truth. Events on the ground, and weather that nobody planted, are listed where an anomaly
 * tells of them.
 */
export function judgeAnomalies(
  planted: readonly TrueSpell[],
  rareWeather: readonly TrueSpell[],
  seen: readonly SeenAnomaly[],
): AnomalyJudgement {
  const feedOf = ({ collectionId, station, area, metric, startedAt }: SeenAnomaly): string =>
    [collectionId, metric, station?.id ?? area.id, startedAt.getTime()].join(' ');
  const anomalies = [...new Map(seen.map((anomaly) => [feedOf(anomaly), anomaly])).values()];
  const tellsOfAny = (anomaly: SeenAnomaly, spells: readonly TrueSpell[]): boolean =>
    spells.some((spell) => tellsOf(anomaly, spell));
  const others = anomalies.filter((anomaly) => !tellsOfAny(anomaly, planted));
  const onRareWeather = others.filter((anomaly) => tellsOfAny(anomaly, rareWeather)).length;
  const count = anomalies.length;
  return {
    // The mean over an area of kilometres need not show hectares: of the ground only what it shows is listed.
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
  const found = anomalies.filter((anomaly) => tellsOf(anomaly, spell));
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

/** Whether an anomaly goes the way that a spell makes its metric go, at its time and place. */
function tellsOf(anomaly: SeenAnomaly, { signs, afterDays, from, to, places }: TrueSpell): boolean {
  const { metric, residual, startedAt, endedAt } = anomaly;
  if (signs[metric] === undefined || signs[metric] * residual <= 0) return false;
  if (to !== null && dayOf(startedAt) > to + (afterDays[metric] ?? 0)) return false;
  if (endedAt !== null && dayOf(endedAt) <= from) return false; // it ended with the first day that was as usual
  return places === null || places.some((place) => isSeenFrom(anomaly, place));
}

const NEAR_DEGREES = 0.0005; // 50 m: a station tells of the ground that it stands on

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
    return `began ${from} days after the feeds, which are judged once they are a year old`;
  return `missed in ${Object.keys(signs).join(', ')}`;
}

function dayOf(time: Date): number {
  return Math.floor((time.getTime() - FIRST_DAY_MS) / DAY_MS);
}
