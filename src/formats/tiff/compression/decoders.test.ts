import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, zstdCompressSync } from 'node:zlib';
import { getDecoder } from 'geotiff';
import { chance } from '../../../../test/fault/fuzz/mutations.ts';
import { encodeLerc, encodeLzw, encodePackBits } from '../../../../test/fixtures/tiff-encoders.ts';
import { decodeLerc } from './lerc.ts';
import { decodeLzw } from './lzw.ts';
import { decodePackBits } from './packbits.ts';

const PARAMETERS = {
  tileWidth: 0,
  tileHeight: 0,
  predictor: 1,
  bitsPerSample: 8,
  planarConfiguration: 1,
} as object as Parameters<typeof getDecoder>[1];
const byGeotiff = async (code: number, stored: Uint8Array): Promise<Buffer> =>
  Buffer.from(
    (await (await getDecoder(code, PARAMETERS)).decode(new Uint8Array(stored).buffer)) as ArrayBuffer,
  );

/** Texts that compress well, badly, and not at all. */
function samples(): readonly Uint8Array[] {
  const random = chance(7);
  const of = (length: number, values: number): Uint8Array =>
    Uint8Array.from({ length }, () => Math.floor(random() * values));
  return [
    of(0, 1),
    of(1, 256),
    of(50_000, 1),
    of(50_000, 2),
    of(50_000, 9),
    of(50_000, 256),
    ...Array.from({ length: 40 }, () => of(Math.floor(random() * 3000), 1 + Math.floor(random() * 256))),
  ];
}

test('LZW and PackBits decode what they encode, as geotiff.js 3.0.5 does', async () => {
  for (const bytes of samples()) {
    const lzw = encodeLzw(bytes);
    assert.deepEqual(Buffer.from(decodeLzw(lzw, bytes.length)), Buffer.from(bytes));
    assert.deepEqual(await byGeotiff(5, lzw), Buffer.from(bytes));
    assert.deepEqual(Buffer.from(decodeLzw(encodeLzw(bytes, false), bytes.length)), Buffer.from(bytes));
    const packed = encodePackBits(bytes);
    assert.deepEqual(Buffer.from(decodePackBits(packed, bytes.length)), Buffer.from(bytes));
    assert.deepEqual(await byGeotiff(32773, packed), Buffer.from(bytes));
    // geotiff.js takes a header of no run for a run.
    assert.deepEqual(
      Buffer.from(decodePackBits(encodePackBits(bytes, true), bytes.length)),
      Buffer.from(bytes),
    );
  }
});

test('the decoders stop where the output is full, and tell how much a short input holds', () => {
  const bytes = new Uint8Array(100_000).fill(7);
  assert.equal(decodeLzw(encodeLzw(bytes), 1000).length, 1000);
  assert.equal(decodePackBits(encodePackBits(bytes), 1000).length, 1000);
  assert.ok(decodeLzw(encodeLzw(bytes).subarray(0, 40), 100_000).length < 2000);
  assert.equal(decodePackBits(Buffer.from([9, 1, 2, 3]), 10).length, 3);
  assert.equal(decodePackBits(Buffer.from([200]), 10).length, 0);
  assert.equal(decodeLzw(Buffer.from([]), 10).length, 0);
});

test('changed LZW is decoded as geotiff.js 3.0.5 decodes it, or refused, and never grows beyond its room', async (t) => {
  t.mock.method(console, 'warn', () => undefined);
  const random = chance(11);
  let [same, refused] = [0, 0];
  for (let i = 0; i < 400; i++) {
    const bytes = Uint8Array.from({ length: 2000 }, () => Math.floor(random() * 5));
    const stored = encodeLzw(bytes);
    stored[Math.floor(random() * stored.length)] = Math.floor(random() * 256);
    let ours: Buffer;
    try {
      ours = Buffer.from(decodeLzw(stored, 2000));
    } catch (error) {
      assert.ok(error instanceof RangeError);
      refused++;
      continue;
    }
    // geotiff.js takes codes before the first string, which have no meaning.
    const theirs = await byGeotiff(5, stored).catch(() => undefined);
    if (theirs === undefined) continue;
    assert.deepEqual(ours, theirs.subarray(0, 2000), `change ${i}`);
    same++;
  }
  assert.ok(same > 100 && refused > 10, `${same} alike, ${refused} refused`);
});

test('LERC is decoded, also when it is compressed a second time', async () => {
  const samples = Float32Array.from({ length: 48 }, (_, i) => i / 7 - 2);
  const bytes = Buffer.from(samples.buffer);
  const blob = encodeLerc(bytes, 8, 6);
  for (const [stored, over] of [
    [blob, 0],
    [deflateSync(blob), 1],
    [zstdCompressSync(blob), 2],
  ] as const)
    assert.deepEqual(Buffer.from(await decodeLerc(stored, [4, over], false, bytes.length)), bytes);
  await assert.rejects(decodeLerc(deflateSync(Buffer.alloc(10_000_000)), [4, 1], false, 16));
});

test('a LERC blob that states more pixels than its block, or no sizes that make sense, is refused before it is decoded', async () => {
  const blob = (
    over: Partial<Record<'rows' | 'columns' | 'depth' | 'valid' | 'micro' | 'bytes', number>>,
  ) => {
    const { rows = 4, columns = 4, depth = 1, valid = 16, micro = 8, bytes = 100 } = over;
    const made = Buffer.alloc(100);
    made.write('Lerc2 ', 'latin1');
    made.writeInt32LE(4, 6);
    for (const [i, value] of [rows, columns, depth, valid, micro, bytes, 1].entries())
      made.writeInt32LE(value, 14 + 4 * i);
    return made;
  };
  for (const [over, message] of [
    [{ rows: 60_000, columns: 60_000 }, /states 3600000000 bytes of samples; expected at most 16/],
    [{ depth: 1_000_000 }, /states 16000000 bytes of samples/],
    [{ rows: -4 }, /states 4 x -4 pixels/],
    [{ valid: 17 }, /states 17 valid pixels/],
    [{ micro: 0 }, /micro blocks of 0/],
    [{ bytes: 101 }, /states 101 bytes; it has 100/],
  ] as const)
    await assert.rejects(decodeLerc(blob(over), [4, 0], false, 16), message);
  await assert.rejects(decodeLerc(Buffer.alloc(100), [4, 0], false, 16), /no LERC blob/);
  await assert.rejects(decodeLerc(Buffer.alloc(100), [4, 7], false, 16), /compressed by method 7/);
});
