import type { Exchange } from '../kernel/track-arrays.ts';
import { nextCusum } from '../scene/like-bank.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import { YEAR_PARTS } from './departure-season.ts';

/** Number of observations that must be low for a departure to be plain. */
const LATEST = 3;

/**
 * A note beside the state of a pixel that it departs from its like pixels. For a year it is seen whether the pixel
 * still departs.
 */
export class OpenNote {
  /** Scene of the note, and its first anomaly; `NONE` if none is open. */
  scene = NONE;
  firstAnomaly = NONE;
  /** Number of looks since the note, and of those that departed. */
  #seen = 0;
  #departed = 0;

  get isOpen(): boolean {
    return this.scene !== NONE;
  }

  open(scene: number, firstAnomaly: number): void {
    this.scene = scene;
    this.firstAnomaly = firstAnomaly;
    this.#seen = 0;
    this.#departed = 0;
  }

  close(): void {
    this.open(NONE, NONE);
  }

  /** Counts a look. */
  see(isDeparted: boolean): void {
    if (!this.isOpen) return;
    this.#seen += 1;
    if (isDeparted) this.#departed += 1;
  }

  /** Whether it was made more than a year before a scene. */
  isYearOld(timesMs: Float64Array, scene: number): boolean {
    return timesMs[scene]! - timesMs[this.scene]! > PARAMETERS.recoveryWindowMs;
  }

  /**
   * Whether few of the counted looks departed.
   * @param parts parts of the year (of 24) of which this share is fewer
   */
  isBack(parts: number): boolean {
    return this.#departed * YEAR_PARTS < parts * this.#seen;
  }

  /** Writes or reads the fields of an open note, always in the same order. */
  fields(stream: StateStream): void {
    this.scene = stream.scene(this.scene);
    this.firstAnomaly = stream.scene(this.firstAnomaly);
    this.#seen = stream.natural(this.#seen);
    this.#departed = stream.natural(this.#departed);
  }
}

/**
 * One-sided CUSUMs of falls and of rises of a pixel (Page 1954, doi:10.1093/biomet/41.1-2.100), and its latest
 * residuals.
 */
export class DepartureSums {
  /** CUSUM of [fall, rise] [standard deviations]. */
  readonly values = new Float64Array(2);
  /** Scene at which the CUSUM of [fall, rise] left 0; `NONE` while it is 0. */
  readonly began = new Int32Array(2).fill(NONE);
  /** Largest median of three consecutive residuals of [fall, rise] since the CUSUM left 0 [noise floors]. */
  readonly #depths = new Float32Array(2);
  /** Latest residuals since there is evidence, in order of time [noise floors]; 0 before it. */
  readonly #latest = new Float32Array(LATEST);
  /** Number of consecutive values outside what the ground has been. */
  beyondRun = 0;
  /** Scene of the latest note that a fall is evident early; it is of this fall if the CUSUM left 0 before it. */
  noted = NONE;
  /** Scene of the latest note that a [fall, rise] is plain, in the same way. */
  readonly plainNoted = new Int32Array(2).fill(NONE);
  /** The open notes of such a [fall, rise]. `clear` leaves them. */
  readonly notes = [new OpenNote(), new OpenNote()] as const;
  readonly #sorted = new Float64Array(LATEST);

  clear(): void {
    // Assignments are faster than `fill` on so few numbers, because `fill` calls a native function.
    this.values[0] = 0;
    this.values[1] = 0;
    this.began[0] = NONE;
    this.began[1] = NONE;
    this.#depths[0] = 0;
    this.#depths[1] = 0;
    for (let i = 0; i < LATEST; i++) this.#latest[i] = 0;
    this.beyondRun = 0;
    this.noted = NONE;
    this.plainNoted[0] = NONE;
    this.plainNoted[1] = NONE;
  }

  /**
   * Adds an observation.
   * @param z residual [standard deviations], and the same in noise floors; negative for a fall
   * @param isDormant whether the expected value is so low that it shows no fall
   */
  update(scene: number, z: number, floors: number, isDormant: boolean, isBeyond: boolean): void {
    this.beyondRun = isBeyond ? this.beyondRun + 1 : 0;
    for (let i = 1; i < LATEST; i++) this.#latest[i - 1] = this.#latest[i]!;
    this.#latest[LATEST - 1] = floors;
    if (!isDormant) this.#next(0, -z, scene);
    this.#next(1, z, scene);
    if (this.isCalm) this.clear();
  }

  #next(side: 0 | 1, z: number, scene: number): void {
    const sum = nextCusum(this.values[side]!, z);
    this.values[side] = sum;
    if (sum === 0) {
      this.began[side] = NONE;
      this.#depths[side] = 0;
      return;
    }
    if (this.began[side] === NONE) this.began[side] = scene;
    this.#depths[side] = Math.max(this.#depths[side]!, this.#medianOf(side === 0 ? -1 : 1));
  }

  #medianOf(direction: -1 | 1): number {
    const latest = this.#latest; // destructured, it would be iterated
    const low = Math.min(latest[0]!, latest[1]!);
    const high = Math.max(latest[0]!, latest[1]!);
    return direction * Math.max(low, Math.min(high, latest[2]!));
  }

  /** Whether the latest residual is as large as that of a low observation: the pixel has not begun to return. */
  isLow(direction: -1 | 1): boolean {
    const depth = this.#depths[direction < 0 ? 0 : 1]!;
    return direction * this.#latest[LATEST - 1]! >= PARAMETERS.returnedShare * depth;
  }

  /**
   * Whether the latest look, and three looks in a row since the CUSUM of falls left 0, were so low that a clear season may show
   * a fall.
   */
  get isSeasonLow(): boolean {
    const { seasonFloors } = PARAMETERS;
    return this.#depths[0]! >= seasonFloors && -this.#latest[LATEST - 1]! >= seasonFloors;
  }

  /** Whether both sums are 0: neither a fall nor a rise has evidence. */
  get isCalm(): boolean {
    return this.values[0] === 0 && this.values[1] === 0;
  }

  /**
   * Size of a departure: the median of the latest observations in its direction [noise floors]; 0 if one of them is not
   * low, which is half of `floors` or more.
   */
  sizeOf(direction: -1 | 1, floors: number): number {
    for (let i = 0; i < LATEST; i++) this.#sorted[i] = direction * this.#latest[i]!;
    this.#sorted.sort();
    const median = this.#sorted[(LATEST - 1) / 2]!;
    return this.#sorted[0]! > floors / 2 && median >= floors ? median : 0;
  }

  /** Size of the smaller one of the latest two observations in a direction [noise floors]; negative if it is opposite. */
  leastOfTwo(direction: -1 | 1): number {
    const latest = this.#latest;
    return Math.min(direction * latest[LATEST - 1]!, direction * latest[LATEST - 2]!);
  }

  /** Hands the sums to the kernel, or takes them back. */
  exchange(record: Exchange): void {
    for (let side = 0; side < 2; side++) {
      this.values[side] = record.double(this.values[side]!);
      this.began[side] = record.whole(this.began[side]!);
    }
    for (let side = 0; side < 2; side++) this.#depths[side] = record.double(this.#depths[side]!);
    for (let i = 0; i < LATEST; i++) this.#latest[i] = record.double(this.#latest[i]!);
    this.beyondRun = record.whole(this.beyondRun);
  }

  /**
   * Scene of a note of the present [fall, rise]; `NONE` for one of an earlier fall or rise. The kernel, which does not know
   * notes, leaves that when the sums begin again.
   */
  #known(side: number, scene: number): number {
    const start = this.began[side]!;
    return start !== NONE && scene >= start ? scene : NONE;
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    const [fall, rise] = this.notes;
    const byte = stream.byte(Number(this.isCalm) + 2 * Number(fall.isOpen) + 4 * Number(rise.isOpen));
    if ((byte & 2) === 0) fall.close();
    else fall.fields(stream);
    if ((byte & 4) === 0) rise.close();
    else rise.fields(stream);
    if ((byte & 1) === 1) {
      this.clear();
      return;
    }
    for (let side = 0; side < 2; side++) {
      this.values[side] = stream.double(this.values[side]!);
      this.began[side] = stream.scene(this.began[side]!);
      this.#depths[side] = stream.single(this.#depths[side]!);
    }
    this.beyondRun = stream.natural(this.beyondRun);
    this.noted = stream.scene(this.#known(0, this.noted));
    for (let side = 0; side < 2; side++)
      this.plainNoted[side] = stream.scene(this.#known(side, this.plainNoted[side]!));
    for (let i = 0; i < LATEST; i++) this.#latest[i] = stream.single(this.#latest[i]!);
  }
}

/**
 * CUSUM of the absolute residuals of a pixel from its like pixels. A change of seasonality, as of savanna to crops, departs
 * upwards in one season and downwards in another, so a CUSUM of either side falls back. Beside it the open note of one.
 */
export class TwoSidedSum {
  /** CUSUM [standard deviations]. */
  value = 0;
  /** Scene at which it left 0; `NONE` while it is 0. */
  began = NONE;
  /** Number of [downward, upward] departures since then, up to `seasonalLooks`. */
  readonly looks = new Int32Array(2);
  readonly note = new OpenNote();

  /** Clears the sum. An open note stays open. */
  clear(): void {
    this.value = 0;
    this.began = NONE;
    this.looks[0] = 0;
    this.looks[1] = 0;
  }

  /** Adds a look. @param z residual [standard deviations] @param floors the same in noise floors */
  update(scene: number, z: number, floors: number): void {
    const { cusumClip, seasonalSlack, seasonalLooks, plainFloors } = PARAMETERS;
    const isDeparted = Math.abs(floors) >= plainFloors;
    this.note.see(isDeparted);
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
    const code = this.value === 0 ? 0 : 1 + this.looks[0]! + base * this.looks[1]!;
    const byte = stream.byte(2 * code + Number(this.note.isOpen));
    const looks = (byte >> 1) - 1;
    if (looks < 0) this.clear();
    else {
      this.looks[0] = looks % base;
      this.looks[1] = Math.floor(looks / base);
      this.value = stream.single(this.value);
      this.began = stream.scene(this.began);
    }
    if ((byte & 1) === 0) this.note.close();
    else this.note.fields(stream);
  }
}
