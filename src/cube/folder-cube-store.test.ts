// Long file: the tests of one class share the comparison with a plain map and the helpers that damage files.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { CubeSpec, CubeStore, SampleType, Samples } from '../app/series/cube-store.ts';
import { DamagedFile } from './damaged-file.ts';
import { FolderCubeStore } from './folder-cube-store.ts';
import { MemoryCubeStore } from '../../test/fakes/memory-cube.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'groundwatch-cube-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function storeIn(t: TestContext, path: string, closeAt: number): FolderCubeStore {
  const store = new FolderCubeStore(path, { closeAt, lockTimeoutMs: 5000 });
  t.after(() => store.close());
  return store;
}

/** A small random number generator with a seed (xorshift32, Marsaglia 2003), so that failures are reproducible. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}

function sceneOf(spec: CubeSpec, random: () => number): Samples {
  const length = spec.width * spec.height;
  const samples =
    spec.sampleType === 'int16'
      ? new Int16Array(length)
      : spec.sampleType === 'float32'
        ? new Float32Array(length)
        : new Float64Array(length);
  for (let i = 0; i < length; i++) {
    const missing = random() < 0.3;
    if (spec.sampleType === 'int16') samples[i] = missing ? -32768 : Math.floor(random() * 65535) - 32767;
    else samples[i] = missing ? Number.NaN : (random() - 0.5) * 1e6;
  }
  return samples;
}

async function assertSame(
  got: CubeStore,
  want: CubeStore,
  spec: CubeSpec,
  random: () => number,
): Promise<void> {
  assert.deepEqual(await got.scenes('c'), await want.scenes('c'));
  const pixels = spec.width * spec.height;
  const ranges: [number, number][] = [
    [0, pixels],
    [pixels - 1, pixels],
    [5, 5],
  ];
  for (let i = 0; i < 6; i++) {
    const a = Math.floor(random() * pixels);
    ranges.push([a, Math.min(pixels, a + 1 + Math.floor(random() * 200))]);
  }
  for (const [from, to] of ranges) {
    const a = await got.readStrip('c', from, to);
    const b = await want.readStrip('c', from, to);
    assert.deepEqual(a.values, b.values, `pixels ${from} to ${to}`);
    assert.deepEqual(a.scenes, b.scenes);
  }
}

for (const sampleType of ['int16', 'float32', 'float64'] satisfies SampleType[]) {
  test(`${sampleType} cubes equal a plain map with any order of dates, replaced scenes, closed segments and after reopening`, async (t) => {
    const path = folder(t);
    const random = generator(sampleType.length * 7919 + sampleType.charCodeAt(0));
    // 47 x 61 = 2867 pixels: the last strip and the last frame are both incomplete.
    const spec: CubeSpec = { width: 47, height: 61, sampleType };
    let store = storeIn(t, path, 5);
    const fake = new MemoryCubeStore();
    await store.create('c', spec);
    await fake.create('c', spec);
    for (let step = 0; step < 40; step++) {
      const n = Math.floor(random() * 25);
      const scene = { key: `scene-${n}`, timeMs: Date.UTC(2020, 0, 1 + Math.floor(n / 2)) };
      const samples = sceneOf(spec, random);
      const added = await store.append('c', scene, samples);
      assert.deepEqual(added, await fake.append('c', scene, samples));
      assert.equal(added.added, true);
      assert.equal((await store.append('c', scene, samples)).added, false);
      if (step % 9 === 0) {
        await store.close();
        store = storeIn(t, path, 5);
      }
      if (step % 7 === 0) await assertSame(store, fake, spec, random);
    }
    await assertSame(store, fake, spec, random);
    await store.close();
    const files = readdirSync(join(path, 'c'));
    // 40 scenes with at most 25 keys were appended, 5 per segment. Segments with many superseded scenes were rewritten
    // or dropped.
    const segments = files.filter((name) => name.endsWith('.gws')).length;
    assert.ok(segments >= 3 && segments <= 7, files.join());
    assert.equal(files.filter((name) => name.endsWith('.log')).length, 1);
    assert.deepEqual(
      files.filter((name) => name.includes('tmp') || name.includes('lock')),
      [],
    );
  });
}

test('equal scenes have equal digests, whatever bit pattern of NaN the caller used', async (t) => {
  const store = storeIn(t, folder(t), 4);
  const spec: CubeSpec = { width: 2, height: 1, sampleType: 'float32' };
  await store.create('c', spec);
  const odd = new Float32Array(2);
  new Uint32Array(odd.buffer).set([0x7fc00123, 0x3f800000]);
  const { sha256 } = await store.append('c', { key: 'a', timeMs: 0 }, odd);
  // NaN as 0x7fc00000 and 1 as 0x3f800000, little-endian (IEEE 754).
  assert.equal(sha256, hash('sha256', Buffer.from('0000c07f0000803f', 'hex')));
  const again = await store.append('c', { key: 'a', timeMs: 0 }, new Float32Array([Number.NaN, 1]));
  assert.equal(again.added, false);
});

test('two stores on one folder see the scenes of each other, and their writers take turns', async (t) => {
  const path = folder(t);
  const spec: CubeSpec = { width: 9, height: 9, sampleType: 'int16' };
  const a = storeIn(t, path, 4);
  const b = storeIn(t, path, 4);
  await a.create('c', spec);
  await b.create('c', spec);
  const jobs: Promise<unknown>[] = [];
  for (let i = 0; i < 12; i++) {
    jobs.push((i % 2 ? a : b).append('c', { key: `k${i}`, timeMs: i }, new Int16Array(81).fill(i)));
  }
  await Promise.all(jobs);
  for (const store of [a, b]) {
    const { values } = await store.readStrip('c', 40, 41);
    assert.deepEqual([...values], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  }
});

test('bytes of an unfinished append are ignored, and the next append overwrites them', async (t) => {
  const path = folder(t);
  const spec: CubeSpec = { width: 50, height: 50, sampleType: 'int16' };
  const writer = storeIn(t, path, 100);
  await writer.create('c', spec);
  const log = join(path, 'c', 'open-000001.log');
  const random = generator(5);
  await writer.append('c', { key: 'first', timeMs: 1 }, sceneOf(spec, random));
  const head = readFileSync(log).subarray(0, 4096);
  const whole = statSync(log).size;
  await writer.append('c', { key: 'second', timeMs: 2 }, sceneOf(spec, random));
  await writer.close();
  const bytes = readFileSync(log);
  head.copy(bytes);
  const tails = [1, 50, 95, 96, 103, 104, 500, 4096, bytes.length - whole - 1, bytes.length - whole];
  for (const tail of tails) {
    writeFileSync(log, bytes.subarray(0, whole + tail));
    const store = storeIn(t, path, 100);
    assert.deepEqual(
      (await store.scenes('c')).map((scene) => scene.key),
      ['first'],
      `killed after ${tail} bytes`,
    );
    await store.append('c', { key: 'third', timeMs: 3 }, sceneOf(spec, random));
    assert.deepEqual(
      (await store.scenes('c')).map((scene) => scene.key),
      ['first', 'third'],
    );
    await store.close();
  }
});

test('a flipped bit anywhere in a segment, or a truncated segment, is an error that names the file', async (t) => {
  const path = folder(t);
  const spec: CubeSpec = { width: 16, height: 12, sampleType: 'int16' };
  const writer = storeIn(t, path, 3);
  await writer.create('c', spec);
  const random = generator(11);
  for (let i = 0; i < 4; i++) await writer.append('c', { key: `k${i}`, timeMs: i }, sceneOf(spec, random));
  await writer.close();
  const segment = join(path, 'c', 'segment-000003.gws');
  const bytes = readFileSync(segment);
  const read = async (): Promise<unknown> => {
    const store = storeIn(t, path, 3);
    try {
      return await store.readStrip('c', 0, 192);
    } finally {
      await store.close();
    }
  };
  for (let at = 0; at < bytes.length; at += 37) {
    const flipped = Buffer.from(bytes);
    flipped[at] = flipped[at]! ^ 0x10;
    writeFileSync(segment, flipped);
    await assert.rejects(
      read,
      (error: Error) => error instanceof DamagedFile && error.message.includes(segment),
      `byte ${at}`,
    );
  }
  writeFileSync(segment, bytes);
  truncateSync(segment, bytes.length - 1);
  await assert.rejects(read, DamagedFile);
});

test('a flipped bit anywhere in a log, or a log truncated anywhere, is an error that names the file', async (t) => {
  const path = folder(t);
  const spec: CubeSpec = { width: 16, height: 12, sampleType: 'float32' };
  const writer = storeIn(t, path, 9);
  await writer.create('c', spec);
  const random = generator(13);
  for (let i = 0; i < 3; i++) await writer.append('c', { key: `k${i}`, timeMs: i }, sceneOf(spec, random));
  await writer.close();
  const log = join(path, 'c', 'open-000001.log');
  const bytes = readFileSync(log);
  const read = async (): Promise<unknown> => {
    const store = storeIn(t, path, 9);
    try {
      return await store.readStrip('c', 0, 192);
    } finally {
      await store.close();
    }
  };
  const want = await read();
  const naming = (error: Error): boolean => error instanceof DamagedFile && error.message.includes(log);
  for (let at = 0; at < bytes.length; at += at < 64 || at >= 4096 ? 11 : 997) {
    const flipped = Buffer.from(bytes);
    flipped[at] = flipped[at]! ^ 0x10;
    writeFileSync(log, flipped);
    // Of the first page, only the 36 bytes of the head are used.
    if (at >= 36 && at < 4096) assert.deepEqual(await read(), want);
    else await assert.rejects(read, naming, `byte ${at}`);
  }
  for (const size of [0, 20, 4096, 4096 + 50, bytes.length - 500, bytes.length - 1]) {
    writeFileSync(log, bytes.subarray(0, size));
    await assert.rejects(read, naming, `cut to ${size} bytes`);
  }
  rmSync(log);
  await assert.rejects(read, naming, 'missing');
});

test('a flipped bit in the manifest is an error that names it', async (t) => {
  const path = folder(t);
  const store = storeIn(t, path, 3);
  await store.create('c', { width: 16, height: 12, sampleType: 'int16' });
  for (let i = 0; i < 4; i++) await store.append('c', { key: `k${i}`, timeMs: i }, new Int16Array(192));
  await store.close();
  const manifest = join(path, 'c', 'manifest.json');
  const bytes = readFileSync(manifest);
  for (let at = 0; at < bytes.length; at += 3) {
    // White space in the manifest has no effect on its checksum.
    if (bytes[at] === 0x20 || bytes[at] === 0x0a) continue;
    const flipped = Buffer.from(bytes);
    flipped[at] = flipped[at]! ^ 1;
    writeFileSync(manifest, flipped);
    const reader = storeIn(t, path, 3);
    await assert.rejects(
      reader.scenes('c'),
      (error: Error) => error instanceof DamagedFile && error.message.includes(manifest),
      `byte ${at}`,
    );
    await reader.close();
  }
});

test('a wrong shape, type, key or range is refused and leaves nothing behind', async (t) => {
  const path = folder(t);
  const store = storeIn(t, path, 9);
  const spec: CubeSpec = { width: 3, height: 2, sampleType: 'int16' };
  await assert.rejects(store.scenes('c'), { name: 'NotFound' });
  await assert.rejects(store.append('c', { key: 'a', timeMs: 0 }, new Int16Array(6)), { name: 'NotFound' });
  await store.create('c', spec);
  await store.create('c', spec);
  await assert.rejects(store.create('c', { ...spec, width: 4 }), { name: 'InvalidInput' });
  await assert.rejects(store.create('d', { ...spec, width: 0 }), RangeError);
  await assert.rejects(
    store.append('c', { key: 'a', timeMs: 0 }, new Int16Array(5)),
    /3 x 2 = 6 samples, got 5/,
  );
  await assert.rejects(
    store.append('c', { key: 'a', timeMs: 0 }, new Float32Array(6)),
    /int16 samples, got float32/,
  );
  await assert.rejects(store.append('c', { key: '', timeMs: 0 }, new Int16Array(6)), RangeError);
  await assert.rejects(store.append('c', { key: 'a', timeMs: Number.NaN }, new Int16Array(6)), RangeError);
  await assert.rejects(store.readStrip('c', 4, 7), RangeError);
  assert.deepEqual(await store.scenes('c'), []);
  assert.deepEqual([...(await store.readStrip('c', 0, 6)).values], []);
});

test('a removed cube is gone, also for another store, and can be created again with another shape', async (t) => {
  const path = folder(t);
  const a = storeIn(t, path, 9);
  const b = storeIn(t, path, 9);
  await a.create('col_1/ndvi', { width: 3, height: 2, sampleType: 'int16' });
  await a.append('col_1/ndvi', { key: 'a', timeMs: 0 }, new Int16Array(6));
  assert.equal((await b.scenes('col_1/ndvi')).length, 1);
  await a.remove('col_1/ndvi');
  await a.remove('col_1/ndvi');
  assert.deepEqual(readdirSync(path), []);
  await assert.rejects(b.scenes('col_1/ndvi'), { name: 'NotFound' });
  await b.create('col_1/ndvi', { width: 1, height: 1, sampleType: 'float64' });
  await b.append('col_1/ndvi', { key: 'a', timeMs: 0 }, new Float64Array([0.1]));
  assert.deepEqual([...(await a.readStrip('col_1/ndvi', 0, 1)).values], [0.1]);
});

test('only some cubes stay open at the same time, and all of them can be read', async (t) => {
  const path = folder(t);
  const store = new FolderCubeStore(path, { openCubes: 2 });
  t.after(() => store.close());
  for (let i = 0; i < 6; i++) {
    await store.create(`c${i}`, { width: 1, height: 1, sampleType: 'int16' });
    await store.append(`c${i}`, { key: 'a', timeMs: 0 }, new Int16Array([i]));
  }
  const reads = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => store.readStrip(`c${i}`, 0, 1)));
  assert.deepEqual(
    reads.map((strip) => strip.values[0]),
    [0, 1, 2, 3, 4, 5],
  );
});

test('one scene is read as all scenes are, from segments and logs, also after it was replaced', async (t) => {
  const random = generator(8);
  for (const sampleType of ['int16', 'float32', 'float64'] as const) {
    // Strips of 256 pixels and frames of 4,096 bytes, the last ones not full.
    const spec: CubeSpec = { width: 61, height: 97, sampleType };
    const store = storeIn(t, folder(t), 5);
    await store.create('cube', spec);
    const keys = Array.from({ length: 13 }, (_, i) => `scene ${i}`);
    for (const [i, key] of keys.entries())
      await store.append('cube', { key, timeMs: i }, sceneOf(spec, random));
    // This scene is in a segment and, later, in the log.
    await store.append('cube', { key: keys[2]!, timeMs: 2 }, sceneOf(spec, random));
    const pixels = spec.width * spec.height;
    for (const [from, to] of [
      [0, pixels],
      [300, 2300],
      [pixels - 7, pixels],
      [5, 5],
    ] as const) {
      const { scenes, values } = await store.readStrip('cube', from, to);
      for (const [s, { key }] of scenes.entries()) {
        const expected = Float32Array.from({ length: to - from }, (_, p) => values[p * scenes.length + s]!);
        assert.deepEqual(await store.readScene('cube', key, from, to), expected, `${sampleType} ${key}`);
      }
    }
    assert.equal(await store.readScene('cube', 'another', 0, 9), undefined);
  }
});
