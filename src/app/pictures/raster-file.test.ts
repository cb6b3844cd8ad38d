import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { CHANGE_QUANTITIES, paintBlock } from './change-raster.ts';
import { rasterFile, readByteRange } from './raster-file.ts';
import { valuesBand } from './scene-raster.ts';

test('a range of bytes is read as RFC 9110 section 14 says', () => {
  for (const [text, span] of [
    [undefined, undefined],
    ['bytes=0-9', { from: 0, to: 10 }],
    ['bytes=10-', { from: 10, to: 100 }],
    ['bytes=-5', { from: 95, to: 100 }],
    ['bytes=-500', { from: 0, to: 100 }],
    ['bytes=90-500', { from: 90, to: 100 }],
    ['BYTES = 0-0', { from: 0, to: 1 }],
    ['bytes=0-1,5-6', undefined],
    ['bytes=-', undefined],
    ['bytes=a-b', undefined],
    ['lines=1-2', undefined],
  ] as const)
    assert.deepEqual(readByteRange(text, 100), span, text);
  for (const text of ['bytes=100-', 'bytes=5-4', 'bytes=-0'])
    assert.throws(
      () => readByteRange(text, 100),
      (error) => error instanceof InvalidInput && error.param === 'Range',
      text,
    );
});

test('the parts of a file are those of the whole', async () => {
  const { grid } = collectionRecord();
  const band = valuesBand(collectionRecord({ grid: { ...grid, width: 300, height: 20 } }));
  let made = 0;
  const file = rasterFile(band, 'tag', async ({ window, side }) => {
    made += 1;
    return new Uint8Array(new Int16Array(side * side).fill(window.col + 1).buffer);
  });
  const bytesOf = async (from: number, to: number): Promise<Buffer> => {
    const parts: Uint8Array[] = [];
    for await (const part of file.read(from, to)) parts.push(part);
    return Buffer.concat(parts);
  };
  const whole = await bytesOf(0, file.byteLength);
  assert.equal(whole.length, file.byteLength);
  for (const [from, to] of [
    [0, 1],
    [500, 1500],
    [file.byteLength - 1, file.byteLength],
    [100_000, 300_000],
  ] as const)
    assert.ok((await bytesOf(from, to)).equals(whole.subarray(from, to)), `${from} to ${to}`);
  made = 0;
  await bytesOf(0, 16);
  assert.equal(made, 0, 'the header needs no sample');
});

test('changes are painted on their pixels, those that began last over the others', () => {
  const [firstAnomaly, confidence] = CHANGE_QUANTITIES as [
    (typeof CHANGE_QUANTITIES)[0],
    (typeof CHANGE_QUANTITIES)[0],
  ];
  const block = { window: { col: 2, row: 1, width: 4, height: 4 }, step: 1, side: 16 };
  const changes = [
    { firstAnomalyAt: '2026-06-10', confidence: 0.5, magnitude: 1, runs: [13, 2] },
    // From the fifth column of the second row to the second column of the third, on a grid of ten columns.
    { firstAnomalyAt: '2026-01-01', confidence: 0.75, magnitude: 2, runs: [14, 9] },
    { firstAnomalyAt: '2026-01-02', confidence: 0.25, magnitude: 3, runs: [0, 10, 99, 1] },
  ];
  const painted = new Float32Array(paintBlock(changes, 10, block, confidence).buffer);
  const rows = [0, 1, 2].map((r) => Array.from(painted.subarray(r * 16, r * 16 + 5)));
  assert.deepEqual(rows, [
    [NaN, 0.5, 0.5, 0.75, NaN],
    [0.75, NaN, NaN, NaN, NaN],
    [NaN, NaN, NaN, NaN, NaN],
  ]);
  const days = new Int32Array(paintBlock(changes, 10, { ...block, step: 2 }, firstAnomaly).buffer);
  // Every second column and row of the same window.
  assert.deepEqual(Array.from(days.subarray(0, 3)), [-1, Date.parse('2026-06-10') / 86_400_000, -1]);
});
