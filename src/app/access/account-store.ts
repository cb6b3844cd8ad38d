export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** When the account was closed; null while it is open. All credentials of a closed account are disabled. */
  readonly disabledAt: Date | null;
}

export interface AccountStore {
  create(name: string): Promise<Account>;
  find(id: string): Promise<Account | undefined>;
  byName(name: string): Promise<Account | undefined>;
  /** Closes an account at the given time; null reopens it. */
  setDisabled(id: string, at: Date | null): Promise<void>;
  list(): Promise<readonly Account[]>;
}
