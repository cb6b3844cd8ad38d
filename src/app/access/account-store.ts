export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** When the account was closed; null while it is open. All credentials of a closed account are disabled. */
  readonly disabledAt: Date | null;
}

export interface ListedAccount extends Account {
  /** Whether an erasure of the account has begun, and did not end. */
  readonly isBeingErased: boolean;
}

export interface AccountStore {
  create(name: string): Promise<Account>;
  find(id: string): Promise<Account | undefined>;
  byName(name: string): Promise<Account | undefined>;
  /** Closes an account at the given time; null reopens it. @throws InvalidInput when it is being erased */
  setDisabled(id: string, at: Date | null): Promise<void>;
  list(): Promise<readonly ListedAccount[]>;
}
