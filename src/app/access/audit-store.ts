import type { Environment, Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

/** One security-relevant action with its actor, target, origin and result. */
export interface AuditEntry {
  /** Credential id, or `operator <user>` for the command line, or `anonymous`. */
  readonly actor: string;
  /** Operation or command, such as `createKey` or `keys revoke`. */
  readonly action: string;
  /** Id of the object acted on; null when there is none. */
  readonly target: string | null;
  readonly accountId: string | null;
  readonly environment: Environment | null;
  readonly address: string | null;
  readonly requestId: string | null;
  /** `done`, or the reason for the refusal. */
  readonly result: string;
  /** Number of equal actions that this entry records. */
  readonly count: number;
}

/** An entry as recorded. */
export interface AuditRecord extends AuditEntry {
  /** Consecutive number, from 1. */
  readonly seq: number;
  readonly at: Date;
  /** HMAC-SHA256 over the entry and the hash of the previous entry. */
  readonly hash: Buffer;
}

/** Result of verifying the whole log. */
export type AuditVerdict =
  | { readonly intact: true; readonly entries: number; readonly head: string }
  | { readonly intact: false; readonly seq: number; readonly reason: string };

/** Append-only log of security-relevant actions. The hash of an entry covers all entries before it. */
export interface AuditStore {
  /** Appends entries. If the audited action runs in a transaction, they are written in the same transaction. */
  record(entries: readonly AuditEntry[]): Promise<void>;
  /** Entries of an account in one environment and in none, newest first. */
  ofOwner(owner: Owner, page: PageRequest): Promise<Page<AuditRecord>>;
  /** Yields all entries in order, a few thousand at a time. */
  read(): AsyncIterable<readonly AuditRecord[]>;
  /**
   * Recomputes every hash.
   * @param noted number and hash (hex) of an entry that was copied to another place earlier; the log must still
   * contain this entry
   */
  verify(noted?: { readonly seq: number; readonly hash: string }): Promise<AuditVerdict>;
}
