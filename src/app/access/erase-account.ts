import { NotFound } from '../../base/errors.ts';
import type { Clock } from '../clock.ts';
import type { AuditStore } from './audit-store.ts';

/** Action of the entries of the audit log that record an erasure. Their target is the account. */
export const ERASURE = 'accounts erase';

/** Steps of an erasure in the database. Each may be repeated. */
export interface AccountErasure {
  /**
   * Closes the account and destroys its key, in one transaction.
   * @returns its name, unless its rows are gone already, and its collections, whose files are still there; undefined
   * when there is no such account, and none was erased
   */
  begin(
    accountId: string,
    at: Date,
  ): Promise<{ readonly name: string | undefined; readonly collections: readonly string[] } | undefined>;
  /**
   * Deletes all rows of the account, and takes from the audit log what its entries say about the account.
   * @returns the collections whose files may still be there
   */
  removeRows(accountId: string): Promise<readonly string[]>;
  /** Records that the erasure is complete. */
  end(accountId: string): Promise<void>;
}

/** What {@link eraseAccount} needs. */
export interface ErasureParts {
  readonly clock: Clock;
  readonly audit: Pick<AuditStore, 'record'>;
  readonly erasure: AccountErasure;
  /** Takes the keys of erased accounts out of the key files beside the backups. @returns files and unreachable folders */
  readonly clearKeyFiles: () => Promise<ClearedKeyFiles>;
  /** Deletes the files of a collection, if there are any. */
  readonly removeFiles: (collectionId: string) => Promise<void>;
  /** Deletes what backups keep of the account's files outside of their archives. */
  readonly removeBackedUp: (accountId: string) => Promise<void>;
  /** Deletes the file with the demo key if that key belongs to the account. */
  readonly removeDemoKey: (accountId: string) => Promise<void>;
}

/** What became of the key files beside the backups. */
export interface ClearedKeyFiles {
  /** Key files without a key of an erased account. */
  readonly cleared: readonly string[];
  /** Folders of backups that could not be read or written. */
  readonly unreachable: readonly string[];
}

/** Whom an erasure is about, and who does it, as the audit log names them. */
export interface ErasureRequest {
  readonly accountId: string;
  readonly actor: string;
}

/**
 * Erases an account: its key, so that no backup can be read for it any more, then its files and rows. A call that was
 * interrupted is repeated, also after the account is gone.
 * @throws NotFound when there is no such account, and none was erased
 */
export async function eraseAccount(
  parts: ErasureParts,
  { accountId, actor }: ErasureRequest,
): Promise<ClearedKeyFiles> {
  const { clock, audit, erasure, clearKeyFiles, removeFiles, removeBackedUp, removeDemoKey } = parts;
  const begun = await erasure.begin(accountId, new Date(clock.now()));
  if (begun === undefined) throw new NotFound(`There is no account with the id ${accountId}`);
  if (begun.name !== undefined)
    await audit.record([
      {
        actor,
        action: ERASURE,
        target: accountId,
        accountId: null,
        environment: null,
        address: null,
        requestId: null,
        result: 'begun',
        count: 1,
      },
    ]);
  const keyFiles = await clearKeyFiles();
  for (const id of begun.collections) await removeFiles(id);
  await removeDemoKey(accountId);
  // Again: a command that ran at the same time may have written some before their rows were gone.
  for (const id of await erasure.removeRows(accountId)) await removeFiles(id);
  await removeBackedUp(accountId);
  await erasure.end(accountId);
  return keyFiles;
}
