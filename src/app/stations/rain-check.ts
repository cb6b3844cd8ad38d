import { boxWithin } from '../../geo/nearby.ts';
import type { StationStore, NewStationSeries, PointCollection } from '../series/station-store.ts';
import {
  AROUND_M,
  doubtOfRain,
  type RainRecord,
  remarkableRainMm,
  usualHours,
} from '../series/derived/rain-quality.ts';
import { DAY_MS } from '../../base/time.ts';

const CONTEXT_MS = DAY_MS; // on either side of a value in question, of what is stored

/** An observation that is not believed, and why. */
export interface DoubtfulObservation {
  readonly station: string;
  readonly timeMs: number;
  readonly value: number;
  readonly reason: string;
}

/** Takes out of series of rain what quality control does not believe, by what stands beside it in them and in the store. */
export async function withoutDoubtfulRain(
  feeds: Pick<StationStore, 'stations' | 'read'>,
  collection: PointCollection,
  series: readonly NewStationSeries[],
): Promise<{ readonly kept: readonly NewStationSeries[]; readonly doubts: readonly DoubtfulObservation[] }> {
  const doubts: DoubtfulObservation[] = [];
  const records = series.map(({ station, timesMs, values }): RainRecord => ({ ...station, timesMs, values }));
  const kept: NewStationSeries[] = [];
  for (const [s, one] of series.entries()) {
    const { station, timesMs, values } = one;
    const usual = usualHours(timesMs.subarray(0, 1000));
    // One observation alone does not tell how often there is one: by the hour is the most careful.
    const least = remarkableRainMm(Number.isNaN(usual) ? 1 : usual);
    const refused = new Set<number>();
    for (let i = 0; i < values.length; i++) {
      if (values[i]! <= least) continue;
      const stored = await storedAround(feeds, collection, station, timesMs[i]!);
      const before = stored.find(({ key }) => key === station.key);
      const record = together(records[s]!, before);
      const hours = Number.isNaN(usual) ? usualHours(record.timesMs) : usual;
      if (Number.isNaN(hours)) continue;
      const given = new Set(series.map((other) => other.station.key));
      const around = [
        ...records.filter((_, other) => other !== s),
        ...stored.filter(({ key }) => key !== station.key && !given.has(key)),
      ];
      const reason = doubtOfRain(record, record.timesMs.indexOf(timesMs[i]!), hours, around);
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

/** What the store holds of a station and those around it, around a time. */
async function storedAround(
  feeds: Pick<StationStore, 'stations' | 'read'>,
  collection: PointCollection,
  { lng, lat }: NewStationSeries['station'],
  timeMs: number,
): Promise<readonly (RainRecord & { readonly key: string })[]> {
  const stations = await feeds.stations(collection.id, boxWithin([lng, lat, lng, lat], AROUND_M));
  if (stations.length === 0) return [];
  const read = await feeds.read(collection.id, stations, timeMs - CONTEXT_MS, timeMs + CONTEXT_MS);
  return read.map(({ station, timesMs, values }) => ({ ...station, timesMs, values }));
}

/** What is given and what is stored; where both have a time, what is given. */
function together(
  given: RainRecord,
  stored: RainRecord | undefined,
): { readonly timesMs: number[]; readonly values: number[] } & RainRecord {
  const all = new Map(Array.from(stored?.timesMs ?? [], (timeMs, i) => [timeMs, stored!.values[i]!]));
  for (let i = 0; i < given.timesMs.length; i++) all.set(given.timesMs[i]!, given.values[i]!);
  const ordered = [...all].toSorted(([a], [b]) => a - b);
  return { ...given, timesMs: ordered.map(([timeMs]) => timeMs), values: ordered.map(([, value]) => value) };
}
