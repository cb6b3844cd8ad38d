import type { Exchange } from '../kernel/track-arrays.ts';
import type { ClassEdges } from '../scene/levels.ts';
import { RankClass } from '../scene/like-pixels.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';

/** Number of phenology classes: combinations of a rank in green scenes and a rank in dormant scenes. */
export const PHENOLOGY_CLASSES = PARAMETERS.likeClasses ** 2;

/**
 * Class of a pixel by its rank in the grid in green scenes and its rank in dormant scenes. A meadow and a wood may be
 * equally green in June, but not in winter or in a drought.
 */
export class PhenologyClass {
  readonly #isGreen: Uint8Array;
  readonly #green = new RankClass();
  readonly #dormant = new RankClass();
  /** The class, 0 or above; -1 until the pixel was observed in a green scene and in a dormant scene. */
  value = NONE;

  /** @param isGreen 1 where a scene is green; see `greenScenes` */
  constructor(isGreen: Uint8Array) {
    this.#isGreen = isGreen;
  }

  clear(): void {
    this.#green.clear();
    this.#dormant.clear();
    this.value = NONE;
  }

  /** Adds the rank of an observation. */
  add(scene: number, rank: number): void {
    (this.#isGreen[scene] === 1 ? this.#green : this.#dormant).add(rank);
    this.#classify();
  }

  save(writer: StateWriter): void {
    this.#green.save(writer);
    this.#dormant.save(writer);
  }

  load(reader: StateReader): void {
    this.#green.load(reader);
    this.#dormant.load(reader);
    this.#classify();
  }

  /** Hands the ranks to the kernel, or takes them back. */
  exchange(record: Exchange): void {
    this.#green.exchange(record);
    this.#dormant.exchange(record);
    this.#classify();
  }

  #classify(): void {
    const green = this.#green.value;
    const dormant = this.#dormant.value;
    this.value = green < 0 || dormant < 0 ? NONE : green * PARAMETERS.likeClasses + dormant;
  }
}

/**
 * Returns 1 for each green scene, else 0. A scene is green if the median of the grid is above the middle of the range
 * of medians over the preceding `levelMemoryMs`.
 * @param timesMs acquisition times [ms since the Unix epoch], ascending
 */
export function greenScenes(timesMs: Float64Array, edges: ClassEdges): Uint8Array {
  const classes = PARAMETERS.likeClasses;
  const medians = timesMs.map((_, t) => edges[t * (classes - 1) + classes / 2 - 1]!);
  return Uint8Array.from(medians, (median, t) => {
    let [low, high] = [median, median];
    for (let s = t - 1; s >= 0 && timesMs[t]! - timesMs[s]! <= PARAMETERS.levelMemoryMs; s--) {
      low = Math.min(low, Number.isNaN(medians[s]!) ? low : medians[s]!);
      high = Math.max(high, Number.isNaN(medians[s]!) ? high : medians[s]!);
    }
    return median > (low + high) / 2 ? 1 : 0;
  });
}
