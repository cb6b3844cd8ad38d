import { dirname, join } from 'node:path';
import type { ClientBase } from 'pg';
import { InvalidInput } from '../base/errors.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { type BackupKey, openBackupKey, unwrapAccountKey } from './account-keys.ts';
import type { BackupManifest, WrappedKey } from './backup.ts';
import { adoptKeyFile, type KeyFile, keyFileName, readKeyFile } from './key-file.ts';

/** Opens what was sealed under the installation's key. @param wrapped its keys, if a key service encrypted them */
export type OpenBox = (wrapped: readonly WrappedKey[]) => Promise<Pick<Sealing, 'open'>>;

/** The keys of the accounts of an archive, while it is restored. */
export class ArchiveKeys {
  readonly #path: string;
  readonly #file: KeyFile | undefined;
  readonly #erased: ReadonlySet<string>;
  readonly #skipped = new Set<string>();
  readonly #open: () => Promise<Pick<BackupKey, 'key'>>;
  #opened: Promise<Pick<BackupKey, 'key'>> | undefined;

  private constructor(
    path: string,
    file: KeyFile | undefined,
    openKey: () => Promise<Pick<BackupKey, 'key'>>,
  ) {
    this.#path = path;
    this.#file = file;
    this.#erased = new Set(file?.erased);
    this.#open = openKey;
  }

  /**
   * Reads the key file of an archive. The keys are opened when the first is needed.
   * @throws InvalidInput when the archive needs a key file and there is none
   */
  static async of(
    source: { readonly path: string; readonly keys?: string | undefined },
    { backup_key: kept, wrapped_keys: wrapped = [] }: BackupManifest,
    openBox: OpenBox,
  ): Promise<ArchiveKeys> {
    const path = source.keys ?? join(dirname(source.path), keyFileName(kept?.id ?? ''));
    const file = kept === undefined ? undefined : await readKeyFile(path);
    return new ArchiveKeys(path, file, async () => {
      if (kept === undefined) throw new InvalidInput(`FILE: ${source.path} has no key of its accounts`);
      const sealing = await openBox(wrapped);
      try {
        return openBackupKey(Buffer.from(kept.box, 'base64'), sealing);
      } catch (cause) {
        throw new InvalidInput(
          'The key that decrypts secrets at rest does not open the keys of this backup: expected the GROUNDWATCH_SECRET_KEY or GROUNDWATCH_KMS_URL of the time when it was made',
          { cause },
        );
      }
    });
  }

  /** Accounts whose rows or files were left out, since they are erased. */
  get skipped(): readonly string[] {
    return [...this.#skipped];
  }

  /**
   * Returns the key of an account; undefined when it was erased.
   * @throws InvalidInput when the key file does not know the account, or its key does not open
   */
  async keyOf(accountId: string): Promise<Buffer | undefined> {
    if (this.#erased.has(accountId)) {
      this.#skipped.add(accountId);
      return undefined;
    }
    const wrapped = this.#file?.accounts[accountId];
    if (wrapped === undefined)
      throw new InvalidInput(
        `--keys: ${this.#path} has no key of the account ${accountId}: expected the file that the backup wrote, or a newer one`,
      );
    this.#opened ??= this.#open();
    try {
      return unwrapAccountKey(await this.#opened, accountId, Buffer.from(wrapped, 'base64'));
    } catch (cause) {
      if (cause instanceof InvalidInput) throw cause;
      throw new InvalidInput(`--keys: the key of the account ${accountId} in ${this.#path} is damaged`, {
        cause,
      });
    }
  }

  /** Puts the keys into the restored database, so that later backups and erasures go on with the same key file. */
  async adopt(client: ClientBase): Promise<void> {
    if (this.#file !== undefined) await adoptKeyFile(client, dirname(this.#path), this.#file);
  }
}
