import type { Bbox } from '../geo/bbox.ts';
import type { DisjointSets } from './disjoint-sets.ts';

/** Side of a cell [degrees]: about the reach of weather links at the equator (our choice). */
const CELL = 0.25;
/** Number of cells around the Earth. */
const AROUND = 360 / CELL;
/** A box over more cells than this is kept apart, and is a candidate for every place. */
const MOST_CELLS = 1024;

/** Items of one cell by the root of their set, as it was when they were added. */
type Cell = Map<number, number[]>;

/**
 * Boxes by the cells of a grid over the Earth, and in each cell by the set that they belong to. A set that is known to
 * be joined is skipped as a whole, so that thousands of boxes on the ground of one set cost as much as one.
 */
export class GroundIndex {
  readonly #sets: DisjointSets;
  readonly #cells = new Map<number, Cell>();
  readonly #wide: Cell = new Map();

  constructor(sets: DisjointSets) {
    this.#sets = sets;
  }

  add(item: number, box: Bbox): void {
    const cells = cellsOf(box);
    if (cells === undefined) addTo(this.#wide, this.#sets.rootOf(item), [item]);
    for (const number of cells ?? []) {
      const cell = this.#cells.get(number) ?? new Map<number, number[]>();
      this.#cells.set(number, cell);
      addTo(cell, this.#sets.rootOf(item), [item]);
    }
  }

  /**
   * Calls `visit` with items of other sets whose boxes may overlap the box of an item, until their sets are joined.
   * @param isOver whether an item can be forgotten, for this call and all later ones
   */
  visit(item: number, box: Bbox, isOver: (other: number) => boolean, visit: (other: number) => void): void {
    const cells = cellsOf(box);
    const near =
      cells === undefined
        ? [...this.#cells.values()]
        : cells.flatMap((number) => this.#cells.get(number) ?? []);
    for (const cell of [this.#wide, ...near]) this.#visitCell(cell, item, isOver, visit);
  }

  #visitCell(
    cell: Cell,
    item: number,
    isOver: (other: number) => boolean,
    visit: (other: number) => void,
  ): void {
    for (const [key, added] of Array.from(cell)) {
      const root = this.#sets.rootOf(key);
      if (root !== key) {
        cell.delete(key);
        addTo(cell, root, added);
      }
      const items = cell.get(root);
      if (items === undefined || this.#sets.areJoined(item, root)) continue;
      let kept = 0; // items before this place stay; those up to `at` were looked at
      let at = 0;
      for (; at < items.length && !this.#sets.areJoined(item, root); at++) {
        const other = items[at]!;
        if (isOver(other)) continue;
        items[kept++] = other;
        visit(other);
      }
      if (kept < at) items.splice(kept, at - kept);
      if (items.length === 0) cell.delete(root);
    }
  }
}

function addTo(cell: Cell, root: number, items: readonly number[]): void {
  const there = cell.get(root);
  if (there === undefined) cell.set(root, [...items]);
  else there.push(...items);
}

/** The cells under a box; undefined when they are too many. Boxes that reach a pole are over all cells around it. */
function cellsOf([west, south, east, north]: Bbox): readonly number[] | undefined {
  const [left, right] = [Math.floor(west / CELL), Math.floor(east / CELL)];
  const [low, high] = [Math.floor(south / CELL), Math.floor(north / CELL)];
  const reachesPole = south <= -90 || north >= 90;
  if (reachesPole || (right - left + 1) * (high - low + 1) > MOST_CELLS) return undefined;
  const cells: number[] = [];
  for (let y = low; y <= high; y++)
    for (let x = left; x <= right; x++)
      cells.push(y * AROUND + ((((x + AROUND / 2) % AROUND) + AROUND) % AROUND));
  return cells;
}
