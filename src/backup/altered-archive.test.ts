import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { backupOf, newSigner, noKeys } from '../../test/fixtures/backup-archive.ts';
import { encrypted, newBackupKey } from './archive-encryption.ts';
import type { ArchiveSigner } from './archive-signature.ts';
import { type BackupSource, restoreFiles } from './restore.ts';

describe('a backup that somebody altered is refused', () => {
  let folder: string;
  let signer: ArchiveSigner;
  let stranger: ArchiveSigner;
  let tries = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-altered-'));
    signer = await newSigner(folder);
    stranger = await newSigner(folder, 'of-a-stranger');
  });
  after(() => rm(folder, { recursive: true }));

  /** Restores bytes into a new folder. @returns the restored secret key, and who signed */
  async function restored(
    bytes: Buffer,
    demands: Omit<BackupSource, 'path'> = {},
  ): Promise<readonly [string, string]> {
    tries += 1;
    const path = join(folder, `${tries}.backup`);
    const data = join(folder, String(tries));
    await mkdir(data);
    await writeFile(path, bytes);
    const { signedBy } = await restoreFiles({ path, ...demands }, data, noKeys);
    return [await readFile(join(data, 'secret-key'), 'utf8'), signedBy];
  }

  test('as it was written it is restored, and the key of the installation stays the same', async () => {
    const again = await newSigner(folder);
    assert.equal(again.publicKey, signer.publicKey);
    assert.match(signer.publicKey, /^gwsign_[\w-]{43}$/);
    const bytes = await backupOf(again);
    assert.deepEqual(await restored(bytes), ['secret', signer.publicKey]);
    assert.deepEqual(await restored(bytes, { signer: signer.publicKey }), ['secret', signer.publicKey]);
  });

  test('other content with sums that fit, under the old signature, under none, and under another key', async () => {
    let old = '';
    await backupOf({ sign: (sums) => (old = signer.sign(sums)) });
    const evil = { secret: 'evil' };
    await assert.rejects(restored(await backupOf({ sign: () => old }, evil)), /was altered/);
    await assert.rejects(restored(await backupOf({ sign: () => '' }, evil)), /it is not signed/);
    await assert.rejects(restored(await backupOf({ sign: () => '{}\n' }, evil)), /was altered/);
    await assert.rejects(restored(await backupOf({ sign: () => 'no json' }, evil)), /was altered/);
    const forged = await backupOf(stranger, evil);
    await assert.rejects(restored(forged, { signer: signer.publicKey }), /expected the signer/);
    assert.equal(
      (await restored(forged))[1],
      stranger.publicKey,
      'without --signer the user is told who signed',
    );
  });

  test('other content under the sums and the signature of before', async () => {
    const bytes = await backupOf(signer, { secret: 'secret' });
    const at = bytes.indexOf('data/secret-key');
    const content = bytes.indexOf('secret', at + 512);
    assert.equal(bytes.indexOf('SHA256SUMS') > content, true);
    bytes[content]! ^= 1;
    await assert.rejects(restored(bytes), /data\/secret-key in it is damaged/);
  });

  test('an encrypted one opens with its key only, and not with one flipped bit', async () => {
    const [ours, theirs] = [await newBackupKey(), await newBackupKey()];
    const { identity } = ours;
    const plain = await backupOf(signer);
    const seal = async (bytes: Buffer, ...recipients: string[]) =>
      buffer(await encrypted(Readable.from([bytes]), recipients));
    const bytes = await seal(plain, ours.recipient);
    assert.equal(bytes.includes('secret'), false);
    assert.deepEqual(await restored(bytes, { identity: `# comment\n${identity}\n` }), [
      'secret',
      signer.publicKey,
    ]);
    const both = await seal(plain, ours.recipient, theirs.recipient);
    for (const one of [ours, theirs])
      assert.equal((await restored(both, { identity: one.identity }))[0], 'secret');
    await assert.rejects(
      restored(bytes, { identity: theirs.identity }),
      /cannot be restored: no identity matched/,
    );
    await assert.rejects(restored(bytes), /is encrypted: expected --identity/);
    await assert.rejects(restored(plain, { identity }), /is not encrypted, although --identity was given/);
    await assert.rejects(restored(bytes, { identity: 'nothing' }), /--identity: expected a file with a line/);
    await assert.rejects(restored(bytes, { identity: 'AGE-SECRET-KEY-1XYZ' }), { name: 'InvalidInput' });
    for (const at of [bytes.length - 1, bytes.length - 3000, 40]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      await assert.rejects(restored(flipped, { identity }), { name: 'InvalidInput' });
    }
    await assert.rejects(restored(bytes.subarray(0, -2048), { identity }), { name: 'InvalidInput' });
    await assert.rejects(seal(plain, 'age1nokey'), /--recipient: expected public keys of age/);
  });
});
