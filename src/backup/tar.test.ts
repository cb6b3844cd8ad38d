import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTar, TarWriter } from './tar.ts';

const FILES: readonly (readonly [string, Buffer])[] = [
  ['empty', Buffer.alloc(0)],
  ['a block', Buffer.alloc(512, 'x')],
  ['folder/with ünicode', Buffer.from('text')],
  [`${'long/'.repeat(25)}${'name'.repeat(20)}`, Buffer.alloc(100_000, 'y')],
];

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-tar-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function write(path: string): Promise<void> {
  const tar = new TarWriter(createWriteStream(path));
  for (const [name, bytes] of FILES)
    await tar.add({ name, size: bytes.length, mode: 0o640, content: chunks(bytes) });
  await tar.end();
}

async function read(path: string): Promise<readonly (readonly [string, Buffer])[]> {
  const found: [string, Buffer][] = [];
  for await (const { name, size, mode, content } of readTar(createReadStream(path))) {
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part);
    assert.equal(mode, 0o640);
    found.push([name, Buffer.concat(parts)]);
    assert.equal(found.at(-1)![1].length, size);
  }
  return found;
}

test('an archive that we write can be read by us and by tar', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.tar');
    await write(path);
    assert.deepEqual(await read(path), FILES);
    await mkdir(join(folder, 'out'));
    execFileSync('tar', ['-xf', path, '-C', join(folder, 'out')]);
    for (const [name, bytes] of FILES) assert.deepEqual(await readFile(join(folder, 'out', name)), bytes);
  }));

test('an archive that tar writes can be read by us', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'file'), 'by tar', { mode: 0o640 });
    execFileSync('tar', ['-cf', join(folder, 'b.tar'), '--format=ustar', '-C', folder, 'file']);
    assert.deepEqual(await read(join(folder, 'b.tar')), [['file', Buffer.from('by tar')]]);
  }));

test('a damaged, incomplete or foreign file is refused', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.tar');
    await write(path);
    const whole = await readFile(path);
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      [whole.subarray(0, whole.length - 60_000), /ends too soon/],
      [Buffer.concat([Buffer.from('x'), whole]), /no archive, or damaged/],
      [Buffer.alloc(0), /ends too soon/],
    ];
    for (const [bytes, expected] of cases) {
      await writeFile(path, bytes);
      await assert.rejects(read(path), expected);
    }
  }));

test('content with another length than declared is an error', () =>
  inFolder(async (folder) => {
    const tar = new TarWriter(createWriteStream(join(folder, 'c.tar')));
    await assert.rejects(
      tar.add({ name: 'x', size: 5, mode: 0o600, content: chunks(Buffer.alloc(4)) }),
      RangeError,
    );
  }));
