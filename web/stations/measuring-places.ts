import type { Station } from '../../src/client/index.ts';
import type { Place } from '../route.ts';

/** A place with one or more stations, and all metrics that are measured there. */
export interface MeasuringPlace extends Place {
  readonly name: string;
  /** Keys of the metrics, at least one, in alphabetical order. */
  readonly metrics: readonly string[];
}

/**
 * Groups stations by name and position, in alphabetical order. This is needed because the service lists a station once
 * for each of its metrics.
 */
export function measuringPlaces(stations: readonly Station[]): readonly MeasuringPlace[] {
  const byPlace = Map.groupBy(stations, ({ name, lat, lng }) => JSON.stringify([name, lat, lng]));
  return [...byPlace.values()]
    .map((there) => {
      const { name, lat, lng } = there[0]!;
      return { name, lat, lng, metrics: [...new Set(there.map(({ metric }) => metric))].toSorted() };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}
