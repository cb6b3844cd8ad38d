import { InvalidInput } from '../../base/errors.ts';
import type { Station } from '../../app/series/station-store.ts';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';

/** Stations of a file by key, in the order in which they are found. */
export class StationRegister {
  readonly list: Omit<Station, 'id'>[] = [];
  readonly #places = new Map<string, number>();

  /** Index of a station in the list; undefined for an unknown key. */
  find(key: string): number | undefined {
    return this.#places.get(key);
  }

  /**
   * Adds a station unless it is known.
   * @returns its index in the list
   * @throws InvalidInput for an empty key or one that is no name, an invalid position, or a different position of a known station
   */
  add(key: string, lng: number, lat: number): number {
    const known = this.#places.get(key);
    if (known !== undefined) {
      const there = this.list[known]!;
      if (Math.abs(there.lat - lat) > MOVED || Math.abs(there.lng - lng) > MOVED)
        throw invalid(
          `station ${key} stands at ${there.lat}, ${there.lng} before and at ${lat}, ${lng} here`,
        );
      return known;
    }
    if (key === '') throw invalid('a station without a name');
    const hidden = hiddenCharacter(key);
    if (hidden !== undefined) throw invalid(`the name of a station: expected ${NAME_RULE}, got ${hidden}`);
    if (!(Math.abs(lat) <= 90))
      throw invalid(`station ${key}: a latitude from -90 to 90 expected, got ${lat}`);
    // Some files have longitudes from 0 to 360.
    const east = lng > 180 && lng <= 360 ? lng - 360 : lng;
    if (!(Math.abs(east) <= 180))
      throw invalid(`station ${key}: a longitude from -180 to 180 expected, got ${lng}`);
    this.#places.set(key, this.list.length);
    this.list.push({ key, lng: Number(east.toFixed(9)), lat });
    return this.list.length - 1;
  }
}

const invalid = (message: string): InvalidInput => new InvalidInput(message, { param: 'file' });

/** Maximum difference between two positions of a station [degrees], about 100 m. */
const MOVED = 0.001;
