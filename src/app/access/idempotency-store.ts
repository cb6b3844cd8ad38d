import type { Owner } from '../owner.ts';

/** An answer kept for a repeated `Idempotency-Key`. */
export interface KeptAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: unknown;
}

export interface IdempotencyStore {
  /**
   * Claims a key for this request, waiting for another request that holds it; gives what that one answered.
   * @throws InvalidInput when the key was used for another request.
   */
  claim(owner: Owner, key: string, operation: string, requestHash: Buffer): Promise<KeptAnswer | undefined>;
  keep(owner: Owner, key: string, answer: KeptAnswer): Promise<void>;
}
