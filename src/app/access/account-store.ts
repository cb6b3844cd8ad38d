export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** When it was closed, and all its credentials with it; null while it is open. */
  readonly disabledAt: Date | null;
}

export interface AccountStore {
  create(name: string): Promise<Account>;
  byName(name: string): Promise<Account | undefined>;
  /** Closes an account at a time, or (null) opens it again. */
  setDisabled(id: string, at: Date | null): Promise<void>;
  list(): Promise<readonly Account[]>;
}
