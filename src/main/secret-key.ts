import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { renewSecretKeyFile, secretBox, type SecretBox, secretFileBox } from '../auth/secret-box.ts';
import { InvalidInput } from '../base/errors.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../store/connection/database.ts';
import { type Forgotten, forgetSecrets, hasSecrets, opensSecrets } from '../store/upkeep/lost-secrets.ts';
import { reseal } from '../store/upkeep/reseal.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';

/** The key that encrypts secrets at rest: from `GROUNDWATCH_SECRET_KEY`, or from a file in the data folder. */
export interface SecretKey {
  readonly sealing: SecretBox;
  /** Path of the key file; undefined when the setting gives the key. */
  readonly file: string | undefined;
  /** @throws InvalidInput when the secrets in the database are sealed under another key */
  refuseOther(): Promise<void>;
  /** Drops the secrets that were sealed under a lost key. */
  forgetSecrets(): Promise<Forgotten>;
  /** Encrypts all secrets again: with a new key that replaces the key file, or with the first key of the setting. */
  rotate(): Promise<{ readonly resealed: number; readonly keyFile: string | undefined }>;
}

/**
 * Opens the key. The file is created at the first start only: a new key in place of a lost one would make every
 * secret look damaged, and the old file could not be put back. When the file is lost, a random key that decrypts
 * nothing is used.
 */
export async function openSecretKey(
  { secretKeys, dataFolder }: Pick<Config, 'secretKeys' | 'dataFolder'>,
  { db }: Pick<OpenDatabase, 'db'>,
): Promise<SecretKey> {
  const file = secretKeys.length > 0 ? undefined : join(dataFolder, 'secret-key');
  const isFileLost = file !== undefined && (await hasSecrets(db)) && !existsSync(file);
  let box =
    file === undefined
      ? secretBox(...secretKeys)
      : isFileLost
        ? secretBox(randomBytes(32))
        : await secretFileBox(file);
  const sealing: SecretBox = { seal: (plain) => box.seal(plain), open: (sealed) => box.open(sealed) };
  return {
    sealing,
    file,
    async refuseOther() {
      if (await opensSecrets(db, sealing)) return;
      const expected = 'expected the key under which the secrets in the database are sealed';
      throw new InvalidInput(
        `${file ?? 'GROUNDWATCH_SECRET_KEY'}: ${expected}, got ${isFileLost ? 'none' : 'another'}; put it back, or if it is lost: groundwatch secrets forget (docs/operations.md "The data folder")`,
      );
    },
    async forgetSecrets() {
      if (file !== undefined) box = await secretFileBox(file);
      return forgetSecrets(db, sealing, newWebhookSecret);
    },
    async rotate() {
      const renewKey = file === undefined ? undefined : () => renewSecretKeyFile(file);
      return { resealed: await reseal(db, sealing, renewKey), keyFile: file };
    },
  };
}
