/** A binary heap of cells, lowest level first. Cells of equal level come in order of insertion. */
export class FloodQueue {
  readonly #levels: Float32Array;
  #cells: Int32Array;
  /** Insertion number of each entry of the heap: keeps cells of equal level in breadth-first order. */
  #turns: Float64Array;
  #size = 0;
  #turn = 0;

  /** @param levels level of each cell, set before the cell is pushed */
  constructor(levels: Float32Array) {
    this.#levels = levels;
    this.#cells = new Int32Array(1024);
    this.#turns = new Float64Array(1024);
  }

  get size(): number {
    return this.#size;
  }

  /** Level of the next cell; Infinity when the queue is empty. */
  get level(): number {
    return this.#size === 0 ? Infinity : this.#levels[this.#cells[0]!]!;
  }

  push(cell: number): void {
    if (this.#size === this.#cells.length) this.#grow();
    const [levels, cells, turns] = [this.#levels, this.#cells, this.#turns];
    const level = levels[cell]!;
    let at = this.#size++;
    // The new cell comes after cells of equal level, so it moves up only past cells of higher level.
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (levels[cells[parent]!]! <= level) break;
      cells[at] = cells[parent]!;
      turns[at] = turns[parent]!;
      at = parent;
    }
    cells[at] = cell;
    turns[at] = this.#turn++;
  }

  /** Removes and returns the next cell. @throws RangeError when the queue is empty */
  pop(): number {
    if (this.#size === 0) throw new RangeError('the queue is empty');
    const [levels, cells, turns] = [this.#levels, this.#cells, this.#turns];
    const first = cells[0]!;
    const size = --this.#size;
    const [cell, turn] = [cells[size]!, turns[size]!];
    const level = levels[cell]!;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      let least = levels[cells[child]!]!;
      if (child + 1 < size) {
        const other = levels[cells[child + 1]!]!;
        if (other < least || (other === least && turns[child + 1]! < turns[child]!)) {
          child++;
          least = other;
        }
      }
      if (least > level || (least === level && turns[child]! > turn)) break;
      cells[at] = cells[child]!;
      turns[at] = turns[child]!;
      at = child;
    }
    cells[at] = cell;
    turns[at] = turn;
    return first;
  }

  #grow(): void {
    const cells = new Int32Array(this.#cells.length * 2);
    const turns = new Float64Array(cells.length);
    cells.set(this.#cells);
    turns.set(this.#turns);
    this.#cells = cells;
    this.#turns = turns;
  }
}
