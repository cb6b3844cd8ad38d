/** A backup, and what its restore demands of it. */
export interface BackupToRestore {
  readonly path: string;
  /** Content of a file of secret keys of age; undefined: the backup is not encrypted. */
  readonly identity: string | undefined;
  /** Public key that must have signed the backup; undefined: any. */
  readonly signer: string | undefined;
  /** Path of the file with the keys of the accounts; undefined: beside the backup. */
  readonly keys: string | undefined;
}

/** What `restore` did. */
export interface RestoredBackup {
  readonly tables: number;
  readonly files: number;
  /** Public key that signed the backup. */
  readonly signedBy: string;
  /** Accounts that were erased since the backup, and are not restored. */
  readonly erased: readonly string[];
}

/** What `restore --account` did. */
export interface RestoredAccount {
  readonly accountId: string;
  /** Number of tables with rows of the account. */
  readonly tables: number;
  /** Number of cubes that it has now. */
  readonly cubes: number;
  /** Public key that signed the backup. */
  readonly signedBy: string;
}
