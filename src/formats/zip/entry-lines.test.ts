import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from './entry-lines.ts';

async function* pieces(...texts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* texts;
}

async function all(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

test('lines are joined across pieces, also within a character, and lose their ends of any kind', async () => {
  const text = Buffer.from('\u00e4,1\r\nb\n\nc\rd\r\n\re\r');
  for (let size = 1; size <= text.length; size++) {
    const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.subarray(i * size, (i + 1) * size),
    );
    assert.deepEqual(
      await all(linesOf(pieces(...parts))),
      ['\u00e4,1', 'b', '', 'c', 'd', '', 'e'],
      `${size}`,
    );
  }
  assert.deepEqual(await all(linesOf(pieces(Buffer.from('a'), Buffer.from('b')))), ['ab']);
  assert.deepEqual(await all(linesOf(pieces())), []);
});

test('a line without end is refused by its number before it fills the memory', async () => {
  let taken = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('lat,lng\n');
    for (; taken < 1_000; taken++) yield Buffer.alloc(1 << 20, 0x20);
  }
  await assert.rejects(
    all(linesOf(endless())),
    (error) =>
      error instanceof RangeError && /^line 2 is longer than 16777216 characters$/.test(error.message),
  );
  assert.ok(taken < 20, `${taken} MiB were read`);
});
