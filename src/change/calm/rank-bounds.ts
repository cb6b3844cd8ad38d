import type { ClassEdges } from '../scene/levels.ts';
import { rankOf } from '../scene/like-pixels.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';

/** The saved mean rank of a pixel, and whether its class is certain whichever of some more values are added. */
export class RankBounds {
  #sum = 0;
  #count = 0;
  /** Number of values above the mean and below it, and their extreme ranks. */
  #above = 0;
  #below = 0;
  #highest = 0;
  #lowest = 0;

  /** Reads what `RankClass` saved. */
  read(reader: StateReader): void {
    this.#sum = reader.natural();
    this.#count = reader.natural();
    this.#above = 0;
    this.#below = 0;
    this.#highest = 0;
    this.#lowest = PARAMETERS.likeClasses;
  }

  /** Notes that some values of unknown rank may be added. */
  addAny(count: number): void {
    if (count === 0) return;
    this.#above += count;
    this.#below += count;
    this.#highest = PARAMETERS.likeClasses - 1;
    this.#lowest = 0;
  }

  /** Notes that a value of a scene may be added [metric unit]. */
  add(edges: ClassEdges, scene: number, value: number): void {
    const rank = rankOf(edges, scene, value);
    if (rank < 0) return;
    const beyond = rank * this.#count - this.#sum;
    if (beyond > 0 || this.#count === 0) {
      this.#above += 1;
      this.#highest = Math.max(this.#highest, rank);
    }
    if (beyond < 0) {
      this.#below += 1;
      this.#lowest = Math.min(this.#lowest, rank);
    }
  }

  /** The class; -1 if it is unknown or may change. */
  get value(): number {
    if (this.#count === 0) return NONE;
    const high = Math.round((this.#sum + this.#above * this.#highest) / (this.#count + this.#above));
    const low = Math.round((this.#sum + this.#below * this.#lowest) / (this.#count + this.#below));
    return high === low ? high : NONE;
  }
}
