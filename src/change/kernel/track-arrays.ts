/** Arrays of one metric of the pixel that is followed, one number per scene unless stated otherwise. */
export interface TrackArrays {
  /** Scene and value [metric unit] of each observation of the history. */
  readonly scenes: Int32Array;
  readonly values: Float64Array;
  /** Departures by scene, and 1 where the scene is in the history; see `JudgeBaseline`. */
  readonly departures: Float32Array;
  readonly isHistory: Uint8Array;
  /** The observations that are withheld from the history; see `PendingObservations`. */
  readonly pendingScenes: Int32Array;
  readonly pendingValues: Float64Array;
  readonly pendingDepartures: Float32Array;
  readonly pendingResiduals: Float32Array;
  readonly pendingFroms: Int32Array;
  readonly pendingTos: Int32Array;
  /** Coefficients of the seasonal fit by column, and one bit per scene that it kept; see `PixelFitter`. */
  readonly coefficients: Float64Array;
  readonly kept: Uint8Array;
}

/** Returns the length of each of the arrays, given the numbers of scenes and of columns of the design. */
export function arrayLengths(times: number, columns: number): Record<keyof TrackArrays, number> {
  return {
    scenes: times,
    values: times,
    departures: times,
    isHistory: times,
    pendingScenes: times,
    pendingValues: times,
    pendingDepartures: times,
    pendingResiduals: times,
    pendingFroms: times,
    pendingTos: times,
    coefficients: columns,
    kept: Math.ceil(times / 8),
  };
}

/**
 * Hands the fields of a pixel to the kernel, or takes them back, always in the same order. One class does both: calls of
 * two classes are not inlined.
 */
export class Exchange {
  readonly #doubles: Float64Array;
  readonly #wholes: Int32Array;
  #isRead = false;
  #double = 0;
  #whole = 0;

  /** @param doubles record in the kernel's memory, and its whole numbers */
  constructor(doubles: Float64Array, wholes: Int32Array) {
    this.#doubles = doubles;
    this.#wholes = wholes;
  }

  /** Begins to write the record. */
  write(): this {
    this.#isRead = false;
    this.#double = 0;
    this.#whole = 0;
    return this;
  }

  /** Begins to read the record. */
  read(): this {
    this.write();
    this.#isRead = true;
    return this;
  }

  /** Writes a number and returns it, or returns the number that is read. */
  double(value: number): number {
    const i = this.#double++;
    if (this.#isRead) return this.#doubles[i]!;
    this.#doubles[i] = value;
    return value;
  }

  /** The same for a whole number below 2^31, or a scene or `NONE`. */
  whole(value: number): number {
    const i = this.#whole++;
    if (this.#isRead) return this.#wholes[i]!;
    this.#wholes[i] = value;
    return value;
  }

  /** Leaves out fields that the state does not have. */
  skip(doubles: number, wholes: number): void {
    this.#double += doubles;
    this.#whole += wholes;
  }

  /** The same for a flag. */
  flag(value: boolean): boolean {
    return this.whole(value ? 1 : 0) === 1;
  }
}
