import type { TileLayer } from './tiles.ts';
import type { Town } from './towns.ts';

/** Fewest people of a place that the search finds, those that Natural Earth knows aside. */
const SEARCHED_PEOPLE = 15_000;
/** Fewest people of a place that Natural Earth does not know, by class. */
const CLASSES = [Infinity, Infinity, Infinity, 1_000_000, 300_000, 100_000, 30_000, 10_000, 4_000] as const;
/** Lowest zoom with the places of a class. */
const FROM = [2, 3, 4, 5, 5, 5, 6, 6, 6, 6] as const;

/** The layer of towns: `class` 0 (world city) to 9 (village), and `capital`. */
export function placeLayer(towns: readonly Town[]): TileLayer {
  return {
    name: 'places',
    features: towns.map((town) => {
      const { name, lat, lng, isCapital } = town;
      const rank = classOf(town);
      return {
        geometry: { type: 'Point' as const, coordinates: [lng, lat] },
        properties: { name, class: rank, ...(isCapital && { capital: true }) },
        from: FROM[rank]!,
      };
    }),
  };
}

function classOf({ rank, people, isCapital }: Town): number {
  const byPeople = CLASSES.findIndex((least) => people >= least);
  const own = byPeople < 0 ? 9 : byPeople;
  // Natural Earth has scale ranks 0 to 10; its first two are the cities of a world map.
  const byRank = rank === undefined ? 9 : Math.max(0, rank - 1);
  return Math.min(own, byRank, isCapital ? 3 : 9);
}

/** The table of the place search: a line a place, most people first: name, country, latitude, longitude. */
export function searchTable(towns: readonly Town[]): string {
  return towns
    .filter(({ people, rank }) => people >= SEARCHED_PEOPLE || rank !== undefined)
    .map(({ name, country, lat, lng }) => `${name}\t${country}\t${lat.toFixed(2)}\t${lng.toFixed(2)}\n`)
    .join('');
}
