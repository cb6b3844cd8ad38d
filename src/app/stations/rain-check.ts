import { expandBbox } from '../../geo/nearby.ts';
import type { StationStore, NewStationSeries, PointCollection } from '../series/station-store.ts';
import {
  AROUND_M,
  rainDoubt,
  type RainRecord,
  remarkableRainMm,
  medianIntervalHours,
} from '../series/derived/rain-quality.ts';
import { DAY_MS } from '../../base/time.ts';

const CONTEXT_MS = DAY_MS; // maximum time between a high value and the stored observations read to check it

/** An observation that quality control rejects, and the reason. */
export interface DoubtfulObservation {
  readonly station: string;
  readonly timeMs: number;
  readonly value: number;
  readonly reason: string;
}

/** Removes doubtful values of rain. Compares each high value with neighbouring values, both given and stored. */
export async function withoutDoubtfulRain(
  store: Pick<StationStore, 'stations' | 'read'>,
  collection: PointCollection,
  series: readonly NewStationSeries[],
): Promise<{ readonly kept: readonly NewStationSeries[]; readonly doubts: readonly DoubtfulObservation[] }> {
  const doubts: DoubtfulObservation[] = [];
  const records = series.map(({ station, timesMs, values }): RainRecord => ({ ...station, timesMs, values }));
  const kept: NewStationSeries[] = [];
  for (const [s, one] of series.entries()) {
    const { station, timesMs, values } = one;
    const usual = medianIntervalHours(timesMs.subarray(0, 1000));
    // A single observation has no interval; one hour is the strictest assumption.
    const least = remarkableRainMm(Number.isNaN(usual) ? 1 : usual);
    const refused = new Set<number>();
    for (let i = 0; i < values.length; i++) {
      if (values[i]! <= least) continue;
      const stored = await storedAround(store, collection, station, timesMs[i]!);
      const before = stored.find(({ key }) => key === station.key);
      const record = together(records[s]!, before);
      const hours = Number.isNaN(usual) ? medianIntervalHours(record.timesMs) : usual;
      if (Number.isNaN(hours)) continue;
      const given = new Set(series.map((other) => other.station.key));
      const around = [
        ...records.filter((_, other) => other !== s),
        ...stored.filter(({ key }) => key !== station.key && !given.has(key)),
      ];
      const reason = rainDoubt(record, record.timesMs.indexOf(timesMs[i]!), hours, around);
      if (reason === undefined) continue;
      refused.add(i);
      doubts.push({ station: station.key, timeMs: timesMs[i]!, value: values[i]!, reason });
    }
    const isKept = (_: number, i: number): boolean => !refused.has(i);
    kept.push(
      refused.size === 0 ? one : { station, timesMs: timesMs.filter(isKept), values: values.filter(isKept) },
    );
  }
  return { kept, doubts };
}

/** Reads the stored observations of a station and of nearby stations, within CONTEXT_MS of a time. */
async function storedAround(
  store: Pick<StationStore, 'stations' | 'read'>,
  collection: PointCollection,
  { lng, lat }: NewStationSeries['station'],
  timeMs: number,
): Promise<readonly (RainRecord & { readonly key: string })[]> {
  const stations = await store.stations(collection.id, expandBbox([lng, lat, lng, lat], AROUND_M));
  if (stations.length === 0) return [];
  const read = await store.read(collection.id, stations, timeMs - CONTEXT_MS, timeMs + CONTEXT_MS);
  return read.map(({ station, timesMs, values }) => ({ ...station, timesMs, values }));
}

/** Merges given and stored observations of a station. At equal times, the given value is used. */
function together(
  given: RainRecord,
  stored: RainRecord | undefined,
): { readonly timesMs: number[]; readonly values: number[] } & RainRecord {
  const all = new Map(Array.from(stored?.timesMs ?? [], (timeMs, i) => [timeMs, stored!.values[i]!]));
  for (let i = 0; i < given.timesMs.length; i++) all.set(given.timesMs[i]!, given.values[i]!);
  const ordered = [...all].toSorted(([a], [b]) => a - b);
  return { ...given, timesMs: ordered.map(([timeMs]) => timeMs), values: ordered.map(([, value]) => value) };
}
