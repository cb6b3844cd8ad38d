import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import decode, { init } from '@jsquash/webp/decode.js';
import { coloursOf, encodeWebp } from './webp.ts';

const SIDE = 64;

before(async () => {
  const file = new URL(import.meta.resolve('@jsquash/webp/codec/dec/webp_dec.wasm'));
  await init(new WebAssembly.Module(await readFile(file)));
});

test('a picture is read again with nearly its colours, and exactly its opacity', async () => {
  const palette = [
    [0, 0, 0, 0],
    [200, 40, 30, 255],
    [30, 160, 60, 255],
  ] as const;
  // A hole, and two colours side by side.
  const pixels = Uint8Array.from({ length: SIDE * SIDE }, (_, i) =>
    i < 8 * SIDE ? 0 : i % SIDE < SIDE / 2 ? 1 : 2,
  );
  const webp = await encodeWebp(SIDE, SIDE, coloursOf(pixels, palette));
  assert.deepEqual(Buffer.from(webp.subarray(0, 4)).toString('latin1'), 'RIFF');
  const { data, width, height } = await decode(webp.slice().buffer);
  assert.deepEqual([width, height], [SIDE, SIDE]);
  for (const [x, y, colour] of [
    [5, 40, palette[1]],
    [60, 40, palette[2]],
  ] as const) {
    const at = 4 * (y * SIDE + x);
    for (let band = 0; band < 3; band++)
      assert.ok(
        Math.abs(data[at + band]! - colour[band]!) <= 6,
        `${data.slice(at, at + 4).join()} for ${colour.join()}`,
      );
  }
  for (let i = 0; i < pixels.length; i++) assert.equal(data[4 * i + 3], pixels[i] === 0 ? 0 : 255);
});
