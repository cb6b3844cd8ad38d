/** Index that means no scene or no class. */
export const NONE = -1;

/** Specification of a stack: one metric on one grid over time. It does not contain the values. */
export interface StackSpec {
  readonly width: number;
  readonly height: number;
  /** Area of one pixel [m2]. */
  readonly pixelAreaM2: number;
  /** Metric key such as `ndvi`. */
  readonly metric: string;
  /** Acquisition times [ms since the Unix epoch], ascending. */
  readonly timesMs: Float64Array;
}

/**
 * Series of consecutive pixels of a grid, in row-major order: pixels `[from, from + values.length / times)`. The
 * values are `values[p * times + t]` [metric unit], NaN where nothing was observed.
 */
export interface PixelStrip {
  readonly from: number;
  readonly values: Float32Array | Float64Array;
  /** First scene whose values are there for all pixels; undefined: 0. */
  readonly since?: number | undefined;
  /** Fills in the values of earlier scenes of the pixel at a position of the strip. Undefined: they are there. */
  readonly complete?: ((p: number) => void) | undefined;
}

/** Returns the number of pixels in a strip. @throws RangeError when the strip is ragged or outside the grid */
export function stripPixels(spec: StackSpec, strip: PixelStrip): number {
  const count = spec.timesMs.length === 0 ? 0 : strip.values.length / spec.timesMs.length;
  if (!Number.isInteger(count)) throw new RangeError('strip does not hold whole series');
  if (strip.from < 0 || strip.from + count > spec.width * spec.height) {
    throw new RangeError(`strip ${strip.from}+${count} is outside a grid of ${spec.width} x ${spec.height}`);
  }
  return count;
}

/** Whether any of the values `[from, to)` is an observation. */
export function isSeen(values: ArrayLike<number>, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (Number.isFinite(values[i]!)) return true;
  return false;
}

/** Checks the specification of a stack. @throws RangeError when the stack cannot be monitored */
export function checkSpec(spec: StackSpec): void {
  if (!(spec.width > 0 && spec.height > 0 && spec.pixelAreaM2 > 0))
    throw new RangeError(
      `expected a width, a height and a pixelAreaM2 above 0, got ${spec.width}, ${spec.height} and ${spec.pixelAreaM2}`,
    );
  for (let t = 0; t < spec.timesMs.length; t++) {
    const time = spec.timesMs[t]!;
    if (!Number.isFinite(time) || (t > 0 && time < spec.timesMs[t - 1]!)) {
      throw new RangeError(`times must be finite and ascending; see index ${t}`);
    }
  }
}
