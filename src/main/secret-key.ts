import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KeyServiceFailure } from '../auth/kms/key-service.ts';
import { wrappedKeyBox } from '../auth/kms/wrapped-keys.ts';
import {
  renewSecretKeyFile,
  secretBox,
  type SecretBox,
  secretFileBox,
  secretKeysIn,
} from '../auth/secret-box.ts';
import { InvalidInput } from '../base/errors.ts';
import type { RotatedSecrets } from '../cli/command.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../store/connection/database.ts';
import { type Forgotten, forgetSecrets, hasSecrets, opensSecrets } from '../store/upkeep/lost-secrets.ts';
import { reseal } from '../store/upkeep/reseal.ts';
import { wrappedKeyStore } from '../store/wrapped-key-store.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import { openKeyService } from './key-service.ts';
import type { Log } from './process-log.ts';

/**
 * The key that encrypts secrets at rest: from the key service, from `GROUNDWATCH_SECRET_KEY`, or from a file in the data
 * folder.
 */
export interface SecretKey {
  readonly sealing: SecretBox;
  /** Path of the key file; undefined when a setting or the key service gives the key. */
  readonly file: string | undefined;
  /** @throws InvalidInput when the secrets in the database are sealed under another key */
  refuseOther(): Promise<void>;
  /** Drops the secrets that were sealed under a lost key. */
  forgetSecrets(): Promise<Forgotten>;
  /** Encrypts all secrets again: with a new key, or with the first key of the setting. */
  rotate(): Promise<RotatedSecrets>;
}

/**
 * Opens the key. The file is created at the first start only: a new key in place of a lost one would make every
 * secret look damaged, and the old file could not be put back. When the file is lost, a random key that decrypts
 * nothing is used.
 */
export async function openSecretKey(
  config: Pick<Config, 'secretKeys' | 'dataFolder' | 'keyService' | 'caFile'>,
  { db }: Pick<OpenDatabase, 'db'>,
  parts: { readonly log: Pick<Log, 'error'>; readonly onClose: (close: () => Promise<void>) => void },
): Promise<SecretKey> {
  const { secretKeys, dataFolder } = config;
  const keyFile = join(dataFolder, 'secret-key');
  const kept = openKeyService(config);
  if (kept !== undefined) return keyOfService(kept, { db, keyFile, secretKeys, ...parts });
  const file = secretKeys.length > 0 ? undefined : keyFile;
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
      return { resealed: await reseal(db, sealing, renewKey), keyFile: file, byKeyService: false };
    },
  };
}

/**
 * Opens the key for an archive that is being restored, whose database is not there yet.
 * @param wrapped keys in the archive that a key service encrypted
 * @throws InvalidInput with the reason of the key service, or when no key is there
 */
export async function archiveBox(
  config: Pick<Config, 'secretKeys' | 'dataFolder' | 'keyService' | 'caFile'>,
  wrapped: readonly { readonly wrapped: string }[],
): Promise<Pick<SecretBox, 'open'>> {
  const { secretKeys, dataFolder } = config;
  const keyFile = join(dataFolder, 'secret-key');
  const keys = [...secretKeys, ...(existsSync(keyFile) ? await secretKeysIn(keyFile) : [])];
  const kept = openKeyService(config);
  if (kept !== undefined)
    try {
      for (const one of wrapped) keys.push(await kept.service.unwrap(one.wrapped));
    } catch (cause) {
      throw refusedBy(cause);
    } finally {
      await kept.close();
    }
  if (keys.length > 0) return secretBox(...keys);
  throw new InvalidInput(
    'GROUNDWATCH_SECRET_KEY: expected the key that decrypts the secrets of the backup, since it holds no file of it; or GROUNDWATCH_KMS_URL',
    { param: 'GROUNDWATCH_SECRET_KEY' },
  );
}

/** Returns the error for a failure of the key service. Other errors stay as they are. */
function refusedBy(cause: unknown): unknown {
  if (!(cause instanceof KeyServiceFailure)) return cause;
  return new InvalidInput(`GROUNDWATCH_KMS_URL: ${cause.message}`, { param: 'GROUNDWATCH_KMS_URL', cause });
}

/**
 * Opens the key that the key service keeps. What was encrypted with the key of a setting or a file before stays
 * readable while they are there; `secrets rotate` encrypts it with the service's key.
 * @throws InvalidInput with the reason of the service
 */
async function keyOfService(
  { service, close }: NonNullable<ReturnType<typeof openKeyService>>,
  parts: {
    readonly db: OpenDatabase['db'];
    readonly keyFile: string;
    readonly secretKeys: readonly Buffer[];
    readonly log: Pick<Log, 'error'>;
    readonly onClose: (close: () => Promise<void>) => void;
  },
): Promise<SecretKey> {
  const { db, keyFile, secretKeys, log, onClose } = parts;
  onClose(close);
  const former = existsSync(keyFile) ? keyFile : undefined;
  const older = [...secretKeys, ...(former === undefined ? [] : await secretKeysIn(former))];
  const onError = (error: unknown): void =>
    log.error(`New keys are not found at the key service: ${(error as Error).message}`);
  const keys = await wrappedKeyBox(wrappedKeyStore(db), service, older, onError).catch((cause: unknown) => {
    throw refusedBy(cause);
  });
  onClose(async () => keys.close());
  return {
    sealing: keys.box,
    file: undefined,
    async refuseOther() {
      if (await opensSecrets(db, keys.box)) return;
      throw new InvalidInput(
        'GROUNDWATCH_KMS_URL: expected the key service that keeps the key of the secrets in the database, got another; put back what decrypts them, or if it is lost: groundwatch secrets forget (docs/operations.md "The data folder")',
      );
    },
    forgetSecrets: () => forgetSecrets(db, keys.box, newWebhookSecret),
    rotate: async () => ({
      resealed: await reseal(db, keys.box, () => keys.renew()),
      keyFile: undefined,
      byKeyService: true,
      former: former ?? (secretKeys.length > 0 ? 'GROUNDWATCH_SECRET_KEY' : undefined),
    }),
  };
}
