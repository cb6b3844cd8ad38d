import type { RangeQuery } from 'zarrita';

/** Maximum depth of groups. */
export const MOST_DEPTH = 8;
/** Maximum size of a metadata document [bytes]. */
export const MOST_DOCUMENT = 2 ** 24;

export type Json = Readonly<Record<string, unknown>>;

/** Where the files of a Zarr group or array are. */
export interface ZarrStore {
  /** Name for messages, and for an array that has no other. */
  readonly name: string;
  /** SHA-256 (hex) of what the store is known by; absent for a folder, whose files can be hashed. */
  readonly sha256?: string;
  /**
   * The metadata of the arrays with their paths; those of version 2 have the member `attributes`, as in version 3.
   * @throws InvalidInput when it is not JSON
   */
  documents(): AsyncIterable<readonly [path: string, document: Json]>;
  /** The attributes of the whole. @throws InvalidInput when they are not JSON */
  attributes(): Promise<Json>;
  /** A whole file; undefined when there is none. */
  get(path: string): Promise<Uint8Array | undefined>;
  /** A part of a file; undefined when there is none. */
  getRange(path: string, range: RangeQuery): Promise<Uint8Array | undefined>;
}

/** A JSON object; undefined for another value. */
export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
