/** When an operation was deprecated and when it will stop, as RFC 9745 and RFC 8594 announce it. */
export interface Deprecation {
  /** Unix time [s]. */
  readonly since: number;
  /** Unix time [s]; at least twelve months after `since`. */
  readonly sunset: number;
  /** Address of the page that says what to use instead. */
  readonly link: string;
}

/** Deprecated operations by id. None is today. */
export const DEPRECATIONS: Readonly<Record<string, Deprecation>> = {};
