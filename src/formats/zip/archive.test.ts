import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipFixture } from '../../../test/fixtures/zip-fixture.ts';
import { memoryFile, readBytes } from '../memory-file.ts';
import { openZipEntry, zipEntries } from './archive.ts';

const FILES = { 'a/one.txt': Buffer.from('one'.repeat(100)), 'two.bin': Buffer.alloc(5000, 7) };
const refused = (message: RegExp) => ({ name: 'InvalidInput', message });

test('stored and packed files are read back, in parts too', async () => {
  for (const isPacked of [false, true]) {
    const file = memoryFile(zipFixture(FILES, isPacked));
    const entries = await zipEntries(file, 'x.zip');
    assert.deepEqual(
      entries.map(({ name }) => name),
      Object.keys(FILES),
    );
    for (const entry of entries) {
      const opened = await openZipEntry(file, 'x.zip', entry, 10_000);
      const content = FILES[entry.name as keyof typeof FILES];
      assert.deepEqual(await readBytes(opened, 0, 10_000), content);
      assert.deepEqual(await readBytes(opened, 10, 7), content.subarray(10, 17));
      assert.deepEqual(await opened.stat(), { size: content.length });
    }
  }
});

test('an archive that is cut short, lies about its sizes or is none is refused', async () => {
  const whole = zipFixture(FILES, true);
  await assert.rejects(
    zipEntries(memoryFile(Buffer.from('no archive')), 'x.zip'),
    refused(/x\.zip is no ZIP archive/),
  );
  await assert.rejects(
    zipEntries(memoryFile(whole.subarray(0, 60)), 'x.zip'),
    refused(/is no ZIP archive, or it is cut/),
  );
  const first = async (bytes: Buffer, most = 10_000) => {
    const file = memoryFile(bytes);
    const [entry] = await zipEntries(file, 'x.zip');
    return openZipEntry(file, 'x.zip', entry!, most);
  };
  const list = whole.indexOf(Buffer.from('504b0102', 'hex'));
  const changed = (at: number, value: number): Buffer => {
    const copy = Buffer.from(whole);
    copy.writeUInt32LE(value, at);
    return copy;
  };
  await assert.rejects(
    first(whole, 100),
    refused(/one\.txt has 300 bytes after unpacking; expected at most 100/),
  );
  // A bomb states less than it holds.
  await assert.rejects(first(changed(list + 24, 10)), refused(/one\.txt cannot be unpacked/));
  await assert.rejects(first(changed(list + 24, 400)), refused(/another size than the list says/));
  await assert.rejects(first(changed(list + 20, 1 << 30)), refused(/ends behind it/));
  await assert.rejects(first(changed(list + 42, 7)), refused(/does not begin where the list says/));
  await assert.rejects(first(changed(whole.length - 10, 1 << 20)), refused(/its list of files ends early/));
  const encrypted = Buffer.from(whole);
  encrypted[list + 8] = 1;
  await assert.rejects(first(encrypted), refused(/is encrypted/));
  const method = Buffer.from(whole);
  method[list + 10] = 14;
  await assert.rejects(first(method), refused(/packed by method 14; expected DEFLATE/));
});
