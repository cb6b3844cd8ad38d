import type { Station } from '../../src/client/index.ts';
import type { Place } from '../route.ts';

/** A place where something is measured, with all that is measured there. */
export interface MeasuringPlace extends Place {
  readonly name: string;
  /** Keys of metrics, at least one, in alphabetical order. */
  readonly metrics: readonly string[];
}

/** Stations by name and position, the names in alphabetical order: the service tells one for each metric. */
export function measuringPlaces(stations: readonly Station[]): readonly MeasuringPlace[] {
  const byPlace = Map.groupBy(stations, ({ name, lat, lng }) => JSON.stringify([name, lat, lng]));
  return [...byPlace.values()]
    .map((there) => {
      const { name, lat, lng } = there[0]!;
      return { name, lat, lng, metrics: [...new Set(there.map(({ metric }) => metric))].toSorted() };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}
