/** When an operation was deprecated and when it will be removed, for the headers of RFC 9745 and RFC 8594. */
export interface Deprecation {
  /** Unix time [s]. */
  readonly since: number;
  /** Unix time [s]; at least twelve months after `since`. */
  readonly sunset: number;
  /** Address of the page that explains what to use instead. */
  readonly link: string;
}

/** Deprecated operations by id. Currently there are none. */
export const DEPRECATIONS: Readonly<Record<string, Deprecation>> = {};
