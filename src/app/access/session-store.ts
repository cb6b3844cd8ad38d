import type { Identity } from './member-store.ts';

/** A session of a person in the console. The store contains the hash of its secret. */
export interface SessionRecord extends Identity {
  readonly createdAt: Date;
  /** When it was last used, to the minute. */
  readonly lastUsedAt: Date;
}

/** Sessions of people. */
export interface SessionStore {
  create(tokenHash: Buffer, session: SessionRecord): Promise<void>;
  find(tokenHash: Buffer): Promise<SessionRecord | undefined>;
  touch(tokenHash: Buffer, at: Date): Promise<void>;
  end(tokenHash: Buffer): Promise<void>;
  /** Ends the sessions of people who are no longer a member of any account. */
  endOrphaned(): Promise<void>;
}
