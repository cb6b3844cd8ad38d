/** A valid request body that a scanner has read directly from its bytes. */
export abstract class ScannedBody {
  /** Number of items in the body. */
  abstract readonly count: number;
}

/**
 * Reads a body in a plain form from its bytes. Returns undefined for a body in any other form, which JSON.parse and
 * the schema then read.
 */
export type ScanBody = (bytes: Buffer) => ScannedBody | undefined;
