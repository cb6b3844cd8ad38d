import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { dropDatabase, emptyDatabase, SILENT } from '../../test/fixtures/database.ts';
import { keyServices } from '../../test/fixtures/key-services.ts';
import { readConfig } from '../config.ts';
import { openDatabase, type OpenDatabase } from '../store/connection/database.ts';
import { migrate } from '../store/connection/migrate.ts';
import { archiveBox, openSecretKey, type SecretKey } from './secret-key.ts';

const TOKEN = 'hvs.the-token';
let services: Awaited<ReturnType<typeof keyServices>>;
let database: OpenDatabase;
let url: string;
let folder: string;

const configOf = (settings: Readonly<Record<string, string>> = {}) =>
  readConfig({ GROUNDWATCH_DATA: folder, GROUNDWATCH_CA_FILE: services.caPath, ...settings });

/** Opens the key with settings, until the end of the test. */
async function opened(t: TestContext, settings: Readonly<Record<string, string>> = {}): Promise<SecretKey> {
  const closers: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const log = { error: (message: unknown) => assert.fail(String(message)) };
  return openSecretKey(configOf(settings), database, { log, onClose: (close) => void closers.push(close) });
}

const vault = (token = TOKEN) => ({
  GROUNDWATCH_KMS_URL: `vault://${services.host}/transit/groundwatch`,
  GROUNDWATCH_KMS_TOKEN: token,
});
const aws = (accessKeyId = 'AKIDEXAMPLE') => ({
  GROUNDWATCH_KMS_URL: `awskms://eu-central-1/alias/groundwatch?endpoint=https://${services.host}`,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
});
/** Stores a secret of the installation. */
const keep = (name: string, box: Buffer) =>
  database.db.insertInto('sealed_secrets').values({ name, box }).execute();
const kept = async (name: string): Promise<Buffer> =>
  (
    await database.db
      .selectFrom('sealed_secrets')
      .select('box')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
  ).box;

describe('the key for secrets at rest, at a key service', () => {
  before(async () => {
    services = await keyServices({ token: TOKEN, accessKeyId: 'AKIDEXAMPLE' });
    url = await emptyDatabase();
    await migrate({ connection: { connectionString: url }, log: SILENT });
    database = await openDatabase({ connection: { connectionString: url }, log: SILENT });
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-key-'));
  });
  after(async () => {
    await database?.close();
    await dropDatabase(url);
    await services?.close();
    await rm(folder, { recursive: true });
  });

  test('an installation moves from its key file to Vault, and its backups hold nothing that opens them', async (t) => {
    const file = await opened(t);
    await keep('one', file.sealing.seal('of the file'));
    assert.ok(existsSync(join(folder, 'secret-key')));

    const [first, beside] = await Promise.all([opened(t, vault()), opened(t, vault())]);
    await first.refuseOther();
    assert.equal(first.sealing.open(await kept('one')), 'of the file');
    await keep('two', first.sealing.seal('of Vault'));
    assert.equal(beside.sealing.open(await kept('two')), 'of Vault', 'of another process');
    assert.throws(() => file.sealing.open(Buffer.concat([Buffer.alloc(0), first.sealing.seal('x')])));

    const before = services.calls.length;
    const { resealed, former, byKeyService } = await first.rotate();
    assert.deepEqual([resealed, former, byKeyService], [2, join(folder, 'secret-key'), true]);
    assert.equal(beside.sealing.open(await kept('two')), 'of Vault', 'another process has found the new key');
    assert.equal(services.calls.length - before, 3, 'wrapped once, and unwrapped once by each process');
    await rm(join(folder, 'secret-key'));

    const again = await opened(t, vault());
    await again.refuseOther();
    const asked = services.calls.length;
    for (let i = 0; i < 100; i++) assert.equal(again.sealing.open(again.sealing.seal('much')), 'much');
    assert.equal(services.calls.length, asked, 'the key stays in memory');
    assert.deepEqual(
      [again.sealing.open(await kept('one')), again.sealing.open(await kept('two'))],
      ['of the file', 'of Vault'],
    );
    const { rows } = await database.pool.query<{ wrapped: string }>(
      'select wrapped from groundwatch.wrapped_keys',
    );
    assert.equal(rows.length, 1, 'the older key is gone');
    assert.match(rows[0]!.wrapped, /^vault:v1:/);

    const last = services.calls.at(-1)!;
    const restoring = await archiveBox(configOf(vault()), rows);
    assert.equal(restoring.open(await kept('two')), 'of Vault', 'an archive opens without its database');
    const refused = { name: 'InvalidInput', message: /GROUNDWATCH_KMS_URL: .*answered 4/ };
    await assert.rejects(archiveBox(configOf(vault('hvs.another')), rows), refused);
    await assert.rejects(
      archiveBox(configOf(), rows),
      /GROUNDWATCH_SECRET_KEY: expected the key that decrypts/,
    );
    assert.equal(last.path, '/v1/transit/decrypt/groundwatch');
    await assert.rejects((await opened(t)).refuseOther(), /secret-key: expected the key under which/);
  });

  test('AWS KMS keeps a key as well, in requests that are signed', async (t) => {
    await database.db.deleteFrom('sealed_secrets').execute();
    await database.db.deleteFrom('wrapped_keys').execute();
    const key = await opened(t, aws());
    await keep('three', key.sealing.seal('of AWS'));
    const again = await opened(t, aws());
    assert.equal(again.sealing.open(await kept('three')), 'of AWS');
    const { headers, body } = services.calls.at(-1)!;
    assert.deepEqual(
      [headers['x-amz-target'], body['KeyId'], body['EncryptionContext']],
      ['TrentService.Decrypt', 'alias/groundwatch', { application: 'groundwatch' }],
    );
    assert.match(String(headers['authorization']), /\/eu-central-1\/kms\/aws4_request, /);
  });

  test('a key service that refuses, does not know the key or does not answer stops the start by name', async (t) => {
    const token = join(folder, 'token');
    await writeFile(token, 'hvs.wrong\n');
    const { GROUNDWATCH_KMS_TOKEN: _, ...byFile } = vault();
    for (const [settings, why] of [
      [vault('hvs.wrong'), /answered 403: permission denied/],
      [{ ...byFile, GROUNDWATCH_KMS_TOKEN_FILE: token }, /answered 403: permission denied/],
      [{ ...vault(), GROUNDWATCH_KMS_URL: `vault://${services.host}/transit/other` }, /answered 404/],
      [
        { ...vault(), GROUNDWATCH_KMS_URL: 'vault://vault.invalid/transit/groundwatch' },
        /does not answer: .*(?:ENOTFOUND|EAI_AGAIN)/,
      ],
      [vault(), /answered 400: invalid ciphertext/], // the key that AWS wrapped
      [aws('AKIDOTHER'), /answered 400: UnrecognizedClientException: The security token is invalid/],
    ] as const)
      await assert.rejects(opened(t, settings), (error: Error) => {
        assert.equal(error.name, 'InvalidInput');
        assert.match(error.message, /^GROUNDWATCH_KMS_URL: the key service at https:\/\/\S+ /);
        assert.match(error.message, why);
        return true;
      });
  });
});
