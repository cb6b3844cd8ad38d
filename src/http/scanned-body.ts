/** A request body that a scanner has read straight from its bytes and found valid. */
export abstract class ScannedBody {
  /** Number of items in the body. */
  abstract readonly count: number;
}

/**
 * Reads a body in a plain form from its bytes. Returns undefined for any other form: JSON.parse and the schema read
 * that.
 */
export type ScanBody = (bytes: Buffer) => ScannedBody | undefined;
