import { InvalidInput } from '../../base/errors.ts';
import { TILE_ZOOM } from '../../contract/limits.ts';
import type { Tile } from '../../geo/tile.ts';

const WHOLE = /^(?:0|[1-9]\d{0,8})$/;

/**
 * Reads zoom, column and row of a tile from the path of a call.
 * @throws InvalidInput naming the part that is no number or out of range
 */
export function readTile(text: { readonly z: string; readonly x: string; readonly y: string }): Tile {
  const part = (name: 'z' | 'x' | 'y', most: number): number => {
    const value = WHOLE.test(text[name]) ? Number(text[name]) : Infinity;
    if (value > most)
      throw new InvalidInput(
        `${name}: expected a whole number from 0 to ${most}, got ${JSON.stringify(text[name].slice(0, 40))}`,
        { param: name },
      );
    return value;
  };
  const z = part('z', TILE_ZOOM);
  return { z, x: part('x', 2 ** z - 1), y: part('y', 2 ** z - 1) };
}
