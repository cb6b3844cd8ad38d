import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { packRows, partsOf, unpackRows } from './sealed-rows.ts';

const KEYS = new Map([
  ['acc_a', randomBytes(32)],
  ['acc_b', randomBytes(32)],
]);
const keyOf = (id: string): Buffer | undefined => KEYS.get(id);

/** Divides bytes into chunks of the given lengths in turn. */
async function* chunked(bytes: Buffer, ...lengths: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + lengths[turn % lengths.length]!;
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function packed(text: string, keys: Parameters<typeof packRows>[2], ...lengths: readonly number[]) {
  const files: { name: string; bytes: Buffer }[] = [];
  for await (const file of packRows('aois', chunked(Buffer.from(text), ...lengths), keys)) files.push(file);
  return files;
}

async function unpacked(
  files: Awaited<ReturnType<typeof packed>>,
  erased: readonly string[],
  ...lengths: readonly number[]
) {
  let text = '';
  const keys = { keyOf: async (id: string) => (erased.includes(id) ? undefined : keyOf(id)) };
  for (const { name, bytes } of files)
    for await (const rows of unpackRows(name, chunked(bytes, ...lengths), keys))
      text += rows.toString('utf8');
  return text;
}

test('rows come back by account, however their bytes arrive, and those of an erased account do not', async () => {
  const text = 'acc_a\tone\tü\nacc_b\ttwo\n\\N\tof nobody\nacc_a\t\\N\nacc_none\tno key\n';
  for (const lengths of [[1], [2, 7, 1], [1000]]) {
    const files = await packed(text, keyOf, ...lengths);
    assert.deepEqual(
      files.map(({ name }) => name),
      ['database/aois/000001'],
    );
    for (const secret of ['one', 'two', 'no key']) assert.equal(files[0]!.bytes.includes(secret), false);
    assert.equal(await unpacked(files, [], ...lengths), 'one\tü\n\\N\ntwo\nof nobody\n');
    assert.equal(await unpacked(files, ['acc_a'], ...lengths), 'two\nof nobody\n');
    const [altered] = files as [(typeof files)[number]];
    const bytes = Buffer.from(altered.bytes);
    bytes[bytes.indexOf('\n') + 40]! ^= 1;
    await assert.rejects(unpacked([{ ...altered, bytes }], [], ...lengths));
    await assert.rejects(
      unpacked([{ ...altered, name: 'database/aois/000002' }], [], 5),
      'it is bound to its name',
    );
  }
});

test('what remains of an erased account is taken in its place only', async () => {
  const files = await packed('acc_a\tleft\nacc_b\tleft too\n', 'remains', 3);
  assert.equal(files[0]!.name, 'database/aois/remains-000001');
  assert.equal(await unpacked(files, [], 5), '');
  assert.equal(await unpacked(files, ['acc_b'], 5), 'left too\n');
});

test('a long table is divided into files, each with a part for each account', async () => {
  const line = 'x'.repeat(70_000);
  const text = Array.from({ length: 300 }, (_, i) => `acc_${'ab'[i % 2]}\t${i} ${line}\n`).join('');
  const files = await packed(text, keyOf, 65_536, 1);
  assert.equal(files.length, 3, '21 MB');
  const back = (await unpacked(files, [], 100_003)).split('\n').slice(0, -1);
  assert.deepEqual(
    back.map((row) => Number(row.split(' ')[0])).toSorted((a, b) => a - b),
    Array.from({ length: 300 }, (_, i) => i),
  );
  for (const { name, bytes } of files) {
    const accounts = [];
    for await (const { kind, account } of partsOf(name, chunked(bytes, 9_999)))
      accounts.push(`${kind} ${account}`);
    assert.deepEqual(accounts.toSorted(), ['sealed acc_a', 'sealed acc_b']);
  }
});

test('a file that ends early or is none is refused', async () => {
  const [file] = (await packed('acc_a\tone\n', keyOf, 4)) as [{ name: string; bytes: Buffer }];
  for (const bytes of [
    file.bytes.subarray(0, -1),
    file.bytes.subarray(0, 9),
    Buffer.from('odd acc_a 3\nabc'),
    Buffer.alloc(300, 'x'),
  ])
    await assert.rejects(unpacked([{ ...file, bytes }], [], 7), /damaged/);
  await assert.rejects(packed('acc_a\tone', keyOf, 4), /its last row does not end/);
});
