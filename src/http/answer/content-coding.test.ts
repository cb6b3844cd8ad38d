import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { encodeContent, preferredCoding } from './content-coding.ts';

test('the coding with the highest quality is chosen, in our order among equals (RFC 9110 section 12.5.3)', () => {
  for (const [header, coding] of [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['brx', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, zstd', 'zstd'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['gzip ; q=0.2 , zstd ; q=0.3', 'zstd'],
    ['*', undefined],
    ['br;q=0, *', undefined],
    ['gzip, *', 'gzip'],
    ['br;q=0, gzip;q=0.000, zstd;q=0', undefined],
    ['*;q=0', undefined],
    ['gzip, *;q=0', 'gzip'],
    ['br;q=x', undefined],
  ] as const)
    assert.equal(preferredCoding(header), coding, header);
  assert.equal(preferredCoding('gzip, br;q=0.1', ['br']), 'br');
  assert.equal(preferredCoding('gzip', ['br']), undefined);
});

test('encoded content decodes to itself', async () => {
  const bytes = Buffer.from('all the same '.repeat(500));
  for (const [coding, decode] of [
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const coded = await encodeContent(coding, bytes);
    assert.ok(coded.length < bytes.length / 10, coding);
    assert.deepEqual(decode(coded), bytes);
  }
});
