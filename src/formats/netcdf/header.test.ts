import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeaderProblem, parseHeader } from './header.ts';

/** Writes the numbers, and texts with their length before them, of a header. */
function header(...parts: readonly (number | string)[]): Buffer {
  const magic = Buffer.from('CDF\x01', 'latin1');
  return Buffer.concat([
    magic,
    ...parts.map((part) => {
      const word = Buffer.alloc(4);
      if (typeof part === 'number') {
        word.writeUInt32BE(part);
        return word;
      }
      const text = Buffer.from(part);
      word.writeUInt32BE(text.length);
      return Buffer.concat([word, text, Buffer.alloc((4 - (text.length % 4)) % 4)]);
    }),
  ]);
}

const DIMENSIONS = [10, 2, 'time', 0, 'lat', 3];
const NO_ATTRIBUTES = [0, 0];
/** A list of one variable with two attributes. */
const RAIN = [
  11,
  1,
  'rain',
  2,
  0,
  1,
  12,
  2,
  'units',
  2,
  'mm/°C',
  '_FillValue',
  3,
  2,
  0xffff_7fff,
  3,
  12,
  160,
];

test('the parts of a header: dimensions, the growing one, attributes and variables', () => {
  const bytes = header(5, ...DIMENSIONS, ...NO_ATTRIBUTES, ...RAIN);
  const { dimensions, recordDimension, recordCount, variables } = parseHeader(bytes, 1000);
  assert.deepEqual(dimensions, [
    { name: 'time', size: 0 },
    { name: 'lat', size: 3 },
  ]);
  assert.deepEqual([recordDimension, recordCount], [0, 5]);
  assert.deepEqual(variables, [
    {
      name: 'rain',
      type: 'short',
      dimensions: [0, 1],
      attributes: new Map<string, unknown>([
        ['units', 'mm/°C'],
        ['_FillValue', [-1, 32_767]],
      ]),
      offset: 160,
    },
  ]);
});

test('a header whose numbers do not fit the file is refused before memory is taken for them', () => {
  const many = 0xffff_ffff;
  for (const [bytes, message] of [
    [header(0, 10, many), /states 4294967295 dimensions; expected at most 65536/],
    [header(0, 10, 60_000), /states 60000 dimensions, and the rest of its 1000 bytes cannot hold them/],
    [header(0, 10, 1, many), /refers to byte 4294967315, the file has 1000/],
    [header(0, 13, 1), /expected the list of dimensions \(tag 10\), got tag 13/],
    [header(0, 0, 1), /expected the list of dimensions \(tag 10\), got tag 0/],
    [header(0, ...NO_ATTRIBUTES, 12, many), /states 4294967295 attributes/],
    [header(0, ...NO_ATTRIBUTES, 12, 1, 'a', 6, many), /refers to byte/],
    [header(0, ...NO_ATTRIBUTES, 12, 1, 'a', 9, 1), /the attribute a has the type 9; expected 1 to 6/],
    [header(0, ...DIMENSIONS, ...NO_ATTRIBUTES, 11, many), /states 4294967295 variables/],
    [
      header(0, ...DIMENSIONS, ...NO_ATTRIBUTES, 11, 1, 'v', 2000),
      /v has 2000 dimensions; expected at most 1024/,
    ],
    [header(0, ...DIMENSIONS, ...NO_ATTRIBUTES, 11, 1, 'v', 1, 2), /v has the dimension 2; the file has 2/],
    [Buffer.from('CDF\x07\0\0\0\0', 'latin1'), /expected it to begin with CDF and 1 or 2, got version 7/],
  ] as const)
    assert.throws(
      () => parseHeader(bytes, 1000),
      (error) => error instanceof HeaderProblem && message.test(error.message) && !error.isShort,
      String(message),
    );
});

test('a header that goes on behind the given bytes is told as such', () => {
  const bytes = header(0, ...DIMENSIONS, ...NO_ATTRIBUTES);
  for (let length = 0; length < bytes.length; length++)
    assert.throws(
      () => parseHeader(bytes.subarray(0, length), 1_000_000),
      (error) => error instanceof HeaderProblem && error.isShort,
      `${length} bytes`,
    );
});
