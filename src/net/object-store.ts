/** An object, or a part of one. */
export interface StoredObject {
  readonly bytes: Buffer;
  /** Changes whenever the object is replaced. */
  readonly etag: string;
}

/** An entry of a list of objects. */
export interface ListedObject {
  readonly name: string;
  readonly size: number;
  /** Time since the object was written, by the clock of the store [ms]. */
  readonly ageMs: number;
  /** Time of the clock of the store when it answered [ms since the epoch]. */
  readonly nowMs: number;
}

/** What must hold for an object to be written: it does not exist, or still has this ETag. */
export type Condition = 'absent' | { readonly etag: string };

/**
 * Objects by name. A write is whole or does not happen, and is durable when its promise resolves; a later read sees it.
 * Every method throws {@link ObjectStoreFailed} when the store does not answer or refuses.
 */
export interface ObjectStore {
  /**
   * Reads an object, or its bytes from `range[0]` up to but without `range[1]`.
   * @returns undefined when there is none; `'same'` when its ETag still is `unless`
   */
  get(
    name: string,
    options?: {
      readonly range?: readonly [number, number];
      readonly unless?: string;
    },
  ): Promise<StoredObject | 'same' | undefined>;
  /** Writes an object if the condition holds. @returns its ETag; undefined when the condition does not hold */
  put(name: string, bytes: Uint8Array, when: Condition): Promise<string | undefined>;
  /** Lists the objects whose name begins with `prefix`, in order of their names. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Deletes an object; does nothing when there is none. */
  delete(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The store does not answer, or refuses. The message names the store, what was asked and what it answered. */
export class ObjectStoreFailed extends Error {
  override readonly name: string = 'ObjectStoreFailed';
}

/** An object that another one names is missing, or has other bytes than were written. Another call would not help. */
export class DamagedObject extends ObjectStoreFailed {}
