/** The current time; tests replace it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}
