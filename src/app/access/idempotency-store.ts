import type { Owner } from '../owner.ts';

/** A stored answer, sent again when an `Idempotency-Key` is repeated. */
export interface KeptAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: unknown;
}

export interface IdempotencyStore {
  /**
   * Claims a key for this request. Waits while another request holds the key.
   * @returns the answer stored for the key; undefined when this request is the first
   * @throws InvalidInput when the key was used for a different request
   */
  claim(owner: Owner, key: string, operation: string, requestHash: Buffer): Promise<KeptAnswer | undefined>;
  keep(owner: Owner, key: string, answer: KeptAnswer): Promise<void>;
}
