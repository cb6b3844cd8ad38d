import type { Exchange } from '../kernel/track-arrays.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import { YEAR_PARTS } from './departure-season.ts';

/**
 * CUSUM of the absolute residuals of a pixel from its like pixels. A change of seasonality, as of savanna to crops, departs
 * upwards in one season and downwards in another, so a CUSUM of either side falls back. Beside it the state of the latest
 * note: for a year it is seen whether the pixel still departs.
 */
export class TwoSidedSum {
  /** CUSUM [standard deviations]. */
  value = 0;
  /** Scene at which it left 0; `NONE` while it is 0. */
  began = NONE;
  /** Number of [downward, upward] departures since then, up to `seasonalLooks`. */
  readonly looks = new Int32Array(2);
  /** Scene of the open note, and its first anomaly; `NONE` if there is none. */
  noted = NONE;
  notedFrom = NONE;
  /** Number of looks since the note, and of those that departed. */
  #seen = 0;
  #departed = 0;

  /** Clears the sum. An open note stays open. */
  clear(): void {
    this.value = 0;
    this.began = NONE;
    this.looks[0] = 0;
    this.looks[1] = 0;
  }

  /** Closes the open note. */
  close(): void {
    this.noted = NONE;
    this.notedFrom = NONE;
    this.#seen = 0;
    this.#departed = 0;
  }

  /** Adds a look. @param z residual [standard deviations] @param floors the same in noise floors */
  update(scene: number, z: number, floors: number): void {
    const { cusumClip, seasonalSlack, seasonalLooks, plainFloors } = PARAMETERS;
    const isDeparted = Math.abs(floors) >= plainFloors;
    if (this.noted !== NONE) {
      this.#seen += 1;
      if (isDeparted) this.#departed += 1;
    }
    const sum = Math.max(0, this.value + Math.min(cusumClip, Math.abs(z)) - seasonalSlack);
    if (sum === 0) {
      this.clear();
      return;
    }
    this.value = Math.fround(sum);
    if (this.began === NONE) this.began = scene;
    if (!isDeparted) return;
    const side = floors < 0 ? 0 : 1;
    this.looks[side] = Math.min(seasonalLooks, this.looks[side]! + 1);
  }

  /** Whether the pixel has departed on both sides for long enough. */
  isEvident(timesMs: Float64Array, scene: number): boolean {
    const { seasonalCusum, seasonalLooks, seasonalAfterMs } = PARAMETERS;
    return (
      this.value > seasonalCusum &&
      this.looks[0]! >= seasonalLooks &&
      this.looks[1]! >= seasonalLooks &&
      timesMs[scene]! - timesMs[this.began]! >= seasonalAfterMs
    );
  }

  /** Notes that the pixel is evident. */
  note(now: number): void {
    this.noted = now;
    this.notedFrom = this.began;
    this.#seen = 0;
    this.#departed = 0;
  }

  /** Whether few looks since the note departed: fewer than there are parts of a year in a change of seasonality. */
  get isBack(): boolean {
    return this.#departed * YEAR_PARTS < PARAMETERS.seasonParts * this.#seen;
  }

  /** Hands the sum to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.value = record.double(this.value);
    this.began = record.whole(this.began);
    for (let side = 0; side < 2; side++) this.looks[side] = record.whole(this.looks[side]!);
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    const { seasonalLooks } = PARAMETERS;
    const base = seasonalLooks + 1;
    const isNoted = this.noted !== NONE;
    const code = this.value === 0 ? 0 : 1 + this.looks[0]! + base * this.looks[1]!;
    const byte = stream.byte(2 * code + Number(isNoted));
    const looks = (byte >> 1) - 1;
    if (looks < 0) this.clear();
    else {
      this.looks[0] = looks % base;
      this.looks[1] = Math.floor(looks / base);
      this.value = stream.single(this.value);
      this.began = stream.scene(this.began);
    }
    if ((byte & 1) === 0) {
      this.close();
      return;
    }
    this.noted = stream.scene(this.noted);
    this.notedFrom = stream.scene(this.notedFrom);
    this.#seen = stream.natural(this.#seen);
    this.#departed = stream.natural(this.#departed);
  }
}
