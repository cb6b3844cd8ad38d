import { QUALITY_ENCODINGS } from './encodings.ts';
import type { QualityName } from './encodings.ts';
import { VIEWS } from './view.ts';
import type { View } from './view.ts';

/** Number of pixels of one scene with each view. */
export type ViewCounts = Readonly<Record<View, number>>;

/** Determines with a lookup table which pixels show the ground, according to a quality band. */
export class ClearView {
  /** Index in VIEWS for each raw value. */
  readonly #views: Uint8Array;

  constructor(name: QualityName) {
    const { bits, view } = QUALITY_ENCODINGS[name];
    this.#views = Uint8Array.from({ length: 2 ** bits }, (_, value) => VIEWS.indexOf(view(value)));
  }

  /** View of a pixel with this raw value; `fill` for NaN and for a value outside the encoding. */
  view(value: number): View {
    return VIEWS[this.#at(value)]!;
  }

  /** Whether a pixel with this raw value shows the ground. */
  isClear(value: number): boolean {
    return this.#at(value) >= FIRST_CLEAR;
  }

  /**
   * Calls `hide` with the position and the view of each pixel that does not show the ground.
   * @param quality raw values of a scene, row-major, NaN where it has none; signed 16-bit values are read as unsigned bits
   * @returns number of pixels with each view
   */
  hideUnclear(quality: ArrayLike<number>, hide: (pixel: number, view: View) => void): ViewCounts {
    const counts = new Uint32Array(VIEWS.length);
    for (let p = 0; p < quality.length; p++) {
      const view = this.#at(quality[p]!);
      counts[view]! += 1;
      if (view < FIRST_CLEAR) hide(p, VIEWS[view]!);
    }
    return Object.fromEntries(VIEWS.map((view, i) => [view, counts[i]!])) as Record<View, number>;
  }

  #at(value: number): number {
    const size = this.#views.length;
    const bits = value < 0 ? value + size : value;
    return bits >= 0 && bits < size ? this.#views[bits]! : FILL; // NaN too
  }
}

const FILL = VIEWS.indexOf('fill');
const FIRST_CLEAR = VIEWS.indexOf('water'); // `water` and `clear` are the last two entries
