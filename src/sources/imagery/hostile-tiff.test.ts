import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { RasterStack } from '../../app/imagery/raster-stack.ts';
import type { RandomAccess } from '../../formats/random-access.ts';
import { readBlocks } from '../../formats/tiff/block.ts';
import { readTiffFile } from '../../formats/tiff/directory.ts';
import { describeImage } from '../../formats/tiff/image.ts';
import { tiffFixture, type TiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { GeoTiffStackReader } from './geotiff-stack.ts';

const reader = new GeoTiffStackReader();

async function openBytes(t: TestContext, bytes: Uint8Array): Promise<RasterStack> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-tiff-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stack.tif');
  writeFileSync(path, bytes);
  const stack = await reader.open(path);
  t.after(() => stack.close());
  return stack;
}

const openFixture = (t: TestContext, fixture: TiffFixture): Promise<RasterStack> =>
  openBytes(t, tiffFixture(fixture));

test('files whose numbers cannot be true are refused by name, before memory is taken for them', async (t) => {
  const plain = { width: 4, height: 4, bands: [Array.from({ length: 16 }, (_, i) => i)], rowsPerStrip: 1 };
  const refuses = async (fixture: Partial<TiffFixture>, message: RegExp): Promise<void> => {
    await assert.rejects(openFixture(t, { ...plain, ...fixture }), { name: 'InvalidInput', message });
  };
  await refuses(
    { fields: { 277: [3, [0]] } },
    /says that it has 4 x 4 pixels and 0 bands; expected whole numbers/,
  );
  await refuses({ fields: { 256: [12, [4.5]] } }, /says that it has 4.5 x 4 pixels/);
  await refuses({ fields: { 256: [12, [Number.NaN]] } }, /says that it has NaN x 4 pixels/);
  await refuses(
    { fields: { 256: [4, [4_000_000_000]] } },
    /says that it has 4000000000 x 4 pixels and 1 bands; at most/,
  );
  await refuses({ fields: { 278: [3, [0]] } }, /stored in blocks of 4 x 0 pixels/);
  await refuses(
    { fields: { 322: [4, [0]], 323: [4, [4]], 324: [4, [8]], 325: [4, [8]] } },
    /in blocks of 0 x 4 pixels/,
  );
  await refuses({ fields: { 273: [12, [Number.NaN, 8, 8, 8]] } }, /block 1 of 4 stands at byte NaN/);
  await refuses({ fields: { 258: [3, []] } }, /has an empty list of bits or formats/);
  // A projection whose parameters are of a wrong kind or absurd.
  const odd = { 1024: 1, 1025: 1, 3072: 32767, 3074: 32767, 3075: 1, 3076: 9001 };
  await refuses({ keys: odd }, /reference system/);
  await refuses({ keys: { 1024: 1, 3072: 32699 } }, /reference system|no place on Earth/);
  await refuses({ matrix: [1, 0, 0, 1e300, 0, -1, 0, 1e300, 0, 0, 0, 0, 0, 0, 0, 1] }, /no place on Earth/);
});

test('pages that lead back to an earlier page, or share more bytes than the file has, are refused', async (t) => {
  const looped = tiffFixture({ width: 2, height: 2, bands: [[1, 2, 3, 4]] });
  const at = looped.readUInt32LE(4);
  looped.writeUInt32LE(at, at + 2 + 12 * looped.readUInt16LE(at));
  await assert.rejects(openBytes(t, looped), {
    name: 'InvalidInput',
    message: /stack\.tif is damaged: page 2 stands at byte \d+, as an earlier page does/,
  });
  // 300 pages, each with a field of 20,000 bytes at the same place.
  const page = Buffer.alloc(2 + 12 + 4);
  page.writeUInt16LE(1);
  page.writeUInt16LE(42112, 2);
  page.writeUInt16LE(2, 4);
  page.writeUInt32LE(20_000, 6);
  page.writeUInt32LE(8, 10);
  const head = Buffer.alloc(20_008);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(20_008, 4);
  const pages = Array.from({ length: 300 }, (_, i) => {
    const made = Buffer.from(page);
    made.writeUInt32LE(i === 299 ? 0 : 20_008 + (i + 1) * page.length, 14);
    return made;
  });
  await assert.rejects(openBytes(t, Buffer.concat([head, ...pages])), {
    name: 'InvalidInput',
    message: /its pages refer to more than \d+ bytes of fields, the file has 25408/,
  });
});

test('a block that so few bytes cannot hold is refused before memory is taken for it, and stops the others', async () => {
  const fixture = {
    width: 512,
    height: 512,
    bands: [Array.from({ length: 512 * 512 }, () => 1)],
    tile: 128,
    deflate: true,
  };
  const bytes = tiffFixture(fixture);
  const reads: number[] = [];
  const image = describeImage(await readTiffFile(inMemory(bytes), 'a.tif'), 'a.tif', 2 ** 28);
  image.lengths[2] = 3;
  const file = inMemory(bytes, (position) => reads.push(position));
  const blocks = Array.from({ length: 16 }, (_, index) => ({ index, rows: 128 }));
  await assert.rejects(
    readBlocks(file, image, blocks, () => undefined),
    {
      name: 'InvalidInput',
      message:
        /a\.tif is damaged: block 3 of 16 cannot be decoded: its 3 bytes decode to at most 3096; expected 32768/,
    },
  );
  assert.ok(reads.length <= 4, `${reads.length} blocks were read after the refused one`);
});

test('a strip of damaged LZW is refused, and its end need not be found', async (t) => {
  // A strip of LZW that has no end code and repeats its longest string for ever.
  const repeated = Buffer.concat([Buffer.from([0x80, 0x0b, 0x60, 0x50]), Buffer.alloc(9000, 0xff)]);
  const file = tiffFixture({
    width: 64,
    height: 8,
    bands: [Array.from({ length: 512 }, () => 0)],
    kind: 'uint8',
    fields: { 259: [3, [5]], 273: [4, [0]], 279: [4, [repeated.length]] },
  });
  const at = file.length;
  const whole = Buffer.concat([file, repeated]);
  const offset = whole.indexOf(Buffer.from([0x11, 0x01, 4, 0, 1, 0, 0, 0])); // the field StripOffsets
  whole.writeUInt32LE(at, offset + 8);
  const stack = await openBytes(t, whole);
  await assert.rejects(stack.readBand(0), /stack\.tif is damaged: block 1 of 1 cannot be decoded: LZW code/);
});

/** A file in memory. @param onRead called with the position of each read */
function inMemory(bytes: Buffer, onRead: (position: number) => void = () => undefined): RandomAccess {
  return {
    stat: async () => ({ size: bytes.length }),
    async read(into, at, length, position) {
      onRead(position);
      const piece = bytes.subarray(position, position + length);
      into.set(piece, at);
      return { bytesRead: piece.length };
    },
  };
}
