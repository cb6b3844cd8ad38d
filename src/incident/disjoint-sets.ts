/** Disjoint sets of the numbers below a count (union by size, with path halving). */
export class DisjointSets {
  readonly #parent: Int32Array;
  readonly #size: Int32Array;

  constructor(count: number) {
    this.#parent = Int32Array.from({ length: count }, (_, i) => i);
    this.#size = new Int32Array(count).fill(1);
  }

  rootOf(i: number): number {
    const parent = this.#parent;
    let at = i;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]!]!;
      at = parent[at]!;
    }
    return at;
  }

  areJoined(a: number, b: number): boolean {
    return this.rootOf(a) === this.rootOf(b);
  }

  join(a: number, b: number): void {
    let [larger, smaller] = [this.rootOf(a), this.rootOf(b)];
    if (larger === smaller) return;
    if (this.#size[larger]! < this.#size[smaller]!) [larger, smaller] = [smaller, larger];
    this.#parent[smaller] = larger;
    this.#size[larger]! += this.#size[smaller]!;
  }
}
