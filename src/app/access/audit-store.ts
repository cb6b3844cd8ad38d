import type { Environment } from '../owner.ts';

/** One security-relevant act: who did what to what, from where, and how it ended. */
export interface AuditEntry {
  /** Credential id, or `operator <user>` for the command line, or `anonymous`. */
  readonly actor: string;
  /** Operation or command, such as `createKey` or `keys revoke`. */
  readonly action: string;
  /** Id of what it was done to; null where there is none. */
  readonly target: string | null;
  readonly accountId: string | null;
  readonly environment: Environment | null;
  readonly address: string | null;
  readonly requestId: string | null;
  /** `done`, or why not. */
  readonly result: string;
  /** How often, where many of one kind are told as one. */
  readonly count: number;
}

/** An entry as recorded. */
export interface AuditRecord extends AuditEntry {
  /** From 1, without a gap. */
  readonly seq: number;
  readonly at: Date;
  /** HMAC-SHA256 over the entry and the hash before it. */
  readonly hash: Buffer;
}

/** What a look through the whole log found. */
export type AuditVerdict =
  | { readonly intact: true; readonly entries: number; readonly head: string }
  | { readonly intact: false; readonly seq: number; readonly reason: string };

/** The log of security-relevant acts: it only grows, and each entry vouches for all before it. */
export interface AuditStore {
  /** Adds entries, in the transaction of their cause where there is one. */
  record(entries: readonly AuditEntry[]): Promise<void>;
  /** All entries in their order, a few thousand at a time. */
  read(): AsyncIterable<readonly AuditRecord[]>;
  /** Recomputes every hash. `noted`: an entry and its hash (hex) noted down earlier, which must still be there. */
  verify(noted?: { readonly seq: number; readonly hash: string }): Promise<AuditVerdict>;
}
