/**
 * Writes or reads one field after another. A class lists its saved fields once, as `this.x = stream.scene(this.x)`. A
 * `StateWriter` writes the given value and returns it. A `StateReader` ignores the given value and returns the saved
 * one.
 */
export interface StateStream {
  double(value: number): number;
  /** A number in single precision. */
  single(value: number): number;
  /** A number in half precision. */
  half(value: number): number;
  /** An integer from 0 to 2^31 - 1; below 128 it takes one byte. */
  natural(value: number): number;
  /** An integer from -2^30 to 2^30 - 1. */
  whole(value: number): number;
  /** Index of a scene or a number of scenes; -1 for none. */
  scene(value: number): number;
  /** An unsigned byte. */
  byte(value: number): number;
  flag(value: boolean): boolean;
}
