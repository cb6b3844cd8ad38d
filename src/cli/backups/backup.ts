import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makeFile } from '../../base/durable-file.ts';
import { InvalidInput } from '../../base/errors.ts';
import { type BackedUpCubes, type CliContext, type Command, type Given, Misuse, text } from '../command.ts';
import type { BackupToRestore } from './restored.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Write the whole installation into one new file (tar); the service may keep running',
  operands: ['FILE'],
  options: {
    recipient: {
      value: 'age1...,...',
      meaning: 'encrypt to these public keys of age; make a pair with: groundwatch backup-key',
    },
    'copy-objects': {
      meaning:
        'copy the cubes of GROUNDWATCH_OBJECTS into FILE; otherwise FILE names them, and they stay in the bucket',
    },
  },
  audited: true,
  async run(context, given) {
    const path = resolve(given.operands[0]!);
    const recipients = text(given, 'recipient')?.split(',') ?? [];
    const { backUp } = await context.open();
    const made = await backUp(path, recipients, given.options['copy-objects'] === true);
    const { tables, files, size, keyFile, signedBy, accountKeys, objects } = made;
    const encrypted = recipients.length > 0;
    context.print(
      {
        file: path,
        tables,
        files,
        bytes: size,
        holds_secret_key: keyFile,
        encrypted,
        signed_by: signedBy,
        account_keys: accountKeys,
        objects: objects && {
          backup: objects.id ?? null,
          cubes: objects.cubes,
          objects: objects.objects,
          bytes: objects.bytes,
        },
      },
      [
        `${path}: ${tables} tables and ${files} files, ${size} bytes, ${encrypted ? 'encrypted' : 'not encrypted'}`,
        keyFile
          ? 'It contains the key that decrypts its secrets: store it as a secret'
          : 'It does not contain the key that decrypts its secrets: keep GROUNDWATCH_SECRET_KEY, or the key of GROUNDWATCH_KMS_URL',
        `What belongs to an account opens only with ${accountKeys}: keep its newest copy with the backups, and no older one`,
        ...(objects === undefined ? [] : [aboutObjects(objects)]),
        `Restore it with --signer ${signedBy}, which refuses what this installation did not write`,
      ].join('\n'),
    );
  },
};

function aboutObjects({ id, cubes, objects, bytes }: BackedUpCubes): string {
  const what = `${cubes} cubes (${objects} objects, ${bytes} bytes)`;
  return id === undefined
    ? `It contains ${what} of the bucket`
    : `It names ${what}, which stay in the bucket until: groundwatch objects release ${id}`;
}

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty data folder (and database), or one account of it',
  operands: ['FILE'],
  options: {
    identity: { value: 'KEYFILE', meaning: 'file with the secret key of age that opens an encrypted backup' },
    signer: {
      value: 'KEY',
      meaning: 'public key that must have signed the backup, as its command printed it',
    },
    keys: {
      value: 'KEYS',
      meaning: 'file with the keys of the accounts',
      fallback: 'groundwatch-account-keys-ID.json beside FILE',
    },
    account: {
      value: 'NAME',
      meaning:
        'restore only this account (name or id) into this installation, whose services are stopped; others are not touched',
    },
  },
  audited: true,
  async run(context, given) {
    const path = resolve(given.operands[0]!);
    const signer = text(given, 'signer');
    if (signer !== undefined && !/^gwsign_[\w-]{43}$/.test(signer))
      throw new Misuse(
        `--signer: expected gwsign_ and 43 characters, as the backup printed them, got ${signer}`,
      );
    const identity = await identityOf(given);
    const keys = text(given, 'keys');
    const account = text(given, 'account');
    if (account !== undefined) return restoreOne(context, { path, identity, signer, keys }, account);
    const { tables, files, signedBy, erased } = await context.restore({ path, identity, signer, keys });
    const lines = [`Restored ${tables} tables and ${files} files; start the service with: groundwatch serve`];
    if (signer === undefined)
      lines.push(`Signed by ${signedBy}: compare it with what the backup printed, or use --signer`);
    if (erased.length > 0) lines.push(`Not restored, since they were erased: ${erased.join(', ')}`);
    context.print({ file: path, tables, files, signed_by: signedBy, erased }, lines.join('\n'));
  },
};

async function restoreOne(context: CliContext, source: BackupToRestore, account: string): Promise<void> {
  const { accountId, tables, cubes, signedBy } = await context.restoreAccount(source, account);
  const lines = [
    `Restored the account ${account}: rows of ${tables} tables and ${cubes} cubes. Its keys, clients, members and the audit log are as before`,
  ];
  if (source.signer === undefined)
    lines.push(`Signed by ${signedBy}: compare it with what the backup printed, or use --signer`);
  context.print(
    { file: source.path, account_id: accountId, tables, cubes, signed_by: signedBy },
    lines.join('\n'),
  );
}

export const backupKeyCommand: Command = {
  name: 'backup-key',
  summary: 'Make a key for encrypted backups: the secret key into a new file, the public key printed',
  operands: ['FILE'],
  async run(context, { operands }) {
    const path = resolve(operands[0]!);
    const { identity, recipient } = await context.newBackupKey();
    const made = await makeFile(path, `# public key: ${recipient}\n${identity}\n`, 0o600).catch(
      (cause: unknown) => {
        throw new InvalidInput(`FILE: cannot make ${path}: ${(cause as Error).message}`, { cause });
      },
    );
    if (!made) throw new InvalidInput(`FILE: cannot make ${path}: it exists already`);
    context.print(
      { file: path, recipient },
      [
        recipient,
        `${path} opens the backups that are encrypted to this key: store it elsewhere than the backups.`,
        'Without it they are lost.',
      ].join('\n'),
    );
  },
};

async function identityOf(given: Given): Promise<string | undefined> {
  const path = text(given, 'identity');
  if (path === undefined) return undefined;
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new InvalidInput(`--identity: cannot read ${path}: ${(cause as Error).message}`, { cause });
  });
}
