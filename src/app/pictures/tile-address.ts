import { InvalidInput, NotFound } from '../../base/errors.ts';
import { TILE_ZOOM } from '../../contract/limits.ts';
import type { Tile } from '../../geo/tile.ts';

const WHOLE = /^(?:0|[1-9]\d{0,8})$/;

/**
 * Reads zoom, column and row of a tile from the path of a call.
 * @throws InvalidInput naming the part that is no number or out of range
 * @throws NotFound when the zoom has no such column or row
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
  const most = 2 ** TILE_ZOOM - 1;
  const tile = { z: part('z', TILE_ZOOM), x: part('x', most), y: part('y', most) };
  const last = 2 ** tile.z - 1;
  if (tile.x > last || tile.y > last)
    throw new NotFound(
      `There is no tile ${tile.z}/${tile.x}/${tile.y}: at zoom ${tile.z} columns and rows go to ${last}`,
    );
  return tile;
}
