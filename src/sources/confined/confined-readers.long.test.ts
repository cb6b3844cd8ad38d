import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { deflateSync } from 'node:zlib';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { FolderLayerShelf } from '../layers/folder-layer-shelf.ts';
import { StackFileReader } from '../imagery/stack-file.ts';
import { PointsFileReader } from '../stations/points-file.ts';
import { throwawayCertificate, tlsSink } from '../../../test/fixtures/tls-sink.ts';
import type { ProcessOptions } from './reading-process.ts';
import { ConfinedReaders } from './confined-readers.ts';
import { type ReadingLimits, readingLimits } from './reading-limits.ts';

function readers(
  t: TestContext,
  limits: Partial<ReadingLimits> = {},
  over: Partial<ProcessOptions> = {},
): ConfinedReaders {
  const made = new ConfinedReaders({
    setup: { allow: [], extraCa: undefined, timeoutMs: 10_000, userAgent: 'test' },
    ...over,
    limits: { ...readingLimits(), ...limits },
    environment: { PATH: process.env['PATH'] ?? '' },
  });
  t.after(() => made.close());
  return made;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-confined-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Size of a pixel [degrees]. */
const PIXEL = [0.001, 0.001] as const;

const refused = (message: RegExp) => ({ name: 'InvalidInput', message });

test('what a process of its own reads is what this process reads', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'stack_2020-01-01.tif');
  const edge = 200;
  const bands = [3, 5, 7].map((step) => Array.from({ length: edge * edge }, (_, i) => (i * step) % 1000));
  writeFileSync(
    path,
    tiffFixture({ width: edge, height: edge, bands, deflate: true, rowsPerStrip: 16, pixel: PIXEL }),
  );
  const confined = readers(t);
  const [ours, theirs] = [await new StackFileReader().open(path), await confined.stacks.open(path)];
  for (const fact of [
    'grid',
    'bandCount',
    'sampleType',
    'nodata',
    'scale',
    'offset',
    'sha256',
    'alphaBand',
    'dates',
  ] as const)
    assert.deepEqual(theirs[fact], ours[fact], fact);
  for (const band of [0, 1, 2, 0, 2])
    assert.deepEqual(await theirs.readBand(band), await ours.readBand(band));
  assert.throws(() => theirs.readBand(3), RangeError);
  await Promise.all([ours.close(), theirs.close()]);

  const raster = await confined.scenes.open(path);
  const window = await raster.read(1, { col: -2, row: 0, width: 150, height: 150 });
  assert.deepEqual([window.length, window[0], window[2], window[3]], [22_500, Number.NaN, 0, 5]);
  await raster.close();

  const table = join(folder, 'points.csv');
  const lines = Array.from({ length: 40_000 }, (_, i) => {
    const day = new Date(Date.UTC(1990, 0, 1 + (i % 10_000))).toISOString().slice(0, 10);
    return `${day},S${Math.floor(i / 10_000)},${46 + Math.floor(i / 10_000) / 10},14,${i}`;
  });
  writeFileSync(table, `date,station,lat,lng,temperature\n${lines.join('\n')}\n`);
  const request = { path: table, metric: 'temperature' };
  const [own, other] = [await new PointsFileReader().open(request), await confined.points.open(request)];
  const sums = async (file: typeof own): Promise<unknown> => {
    let [count, sum, stations] = [0, 0, 0];
    for await (const batch of file.batches())
      for (let i = 0; i < batch.count; i++) {
        count++;
        sum += batch.values[i]! + batch.timesMs[i]! / 1e9 + batch.lines[i]!;
        stations += Number(file.stations[batch.stations[i]!]!.key.slice(1));
      }
    return [count, sum, stations, file.form, file.stations];
  };
  for (let pass = 0; pass < 2; pass++) assert.deepEqual(await sums(other), await sums(own));
});

test('errors keep their kind, their field and their words', async (t) => {
  const folder = folderOf(t);
  const confined = readers(t);
  const path = join(folder, 'a.csv');
  writeFileSync(path, 'band,date\n1,2020-02-30\n');
  await assert.rejects(
    confined.stacks.readDates(path, 1),
    refused(/a\.csv, line 2: the date is '2020-02-30'/),
  );
  await assert.rejects(confined.points.open({ path: join(folder, 'none.csv'), metric: 'ndvi' }), {
    ...refused(/none\.csv cannot be read/),
    param: 'file',
  });
  await assert.rejects(confined.stacks.open('/dev/zero'), refused(/is not a file: it is a pipe or a device/));
  await assert.rejects(confined.scenes.open('https://127.0.0.1/a.tif'), refused(/GROUNDWATCH_SOURCE_ALLOW/));
});

test('a folder of files without dates is opened; only its dates are refused', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'undated.tif'), tiffFixture({ width: 2, height: 2, bands: [[1, 2, 3, 4]] }));
  const stack = await readers(t).stacks.open(folder);
  assert.equal(stack.bandCount, 1);
  assert.throws(() => stack.dates, refused(/undated\.tif: expected a date in the name/));
  await stack.close();
});

/** A stack of one block of 64 MiB that DEFLATE stores in 64 kB. */
function heavy(folder: string): string {
  const path = join(folder, 'heavy.tif');
  const [width, height] = [8192, 8192];
  const block = deflateSync(Buffer.alloc(width * height));
  const file = tiffFixture({
    width: 1,
    height: 1,
    bands: [[0]],
    kind: 'uint8',
    pixel: PIXEL,
    fields: {
      256: [4, [width]],
      257: [4, [height]],
      259: [3, [8]],
      273: [4, [8]],
      278: [4, [height]],
      279: [4, [block.length]],
    },
  });
  // The block takes the place of the one pixel.
  const shift = block.length - 1;
  const moved = Buffer.concat([file.subarray(0, 8), block, file.subarray(9)]);
  const at = file.readUInt32LE(4) + shift;
  moved.writeUInt32LE(at, 4);
  const entries = moved.readUInt16LE(at);
  for (let i = 0; i < entries; i++) {
    const entry = at + 2 + 12 * i;
    const length =
      moved.readUInt32LE(entry + 4) * [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8][moved.readUInt16LE(entry + 2)]!;
    if (length > 4) moved.writeUInt32LE(moved.readUInt32LE(entry + 8) + shift, entry + 8);
  }
  writeFileSync(path, moved);
  return path;
}

test('a file that takes too much memory or processor time is refused by name', async (t) => {
  const folder = folderOf(t);
  const path = heavy(folder);
  const sound = await readers(t).stacks.open(path);
  assert.equal((await sound.readBand(0)).length, 8192 * 8192);

  for (const [limits, message] of [
    [
      { memoryBytes: 150 * 2 ** 20 },
      /heavy\.tif: reading was stopped, because it took more than 150 MiB of memory/,
    ],
    [
      { callCpuMs: 30 },
      /heavy\.tif: reading was stopped, because it took more than 0\.03 s of processor time/,
    ],
    [{ callMs: 30 }, /heavy\.tif: reading was stopped, because it took longer than 0\.03 s/],
  ] as const) {
    const strict = readers(t, limits);
    await assert.rejects(async () => {
      const stack = await strict.stacks.open(path);
      await stack.readBand(0);
    }, refused(message));
    assert.equal(strict.pid, undefined);
  }
});

test('a small file that claims many pixels is refused before memory is taken for them', async (t) => {
  const path = join(folderOf(t), 'wide_2020-01-01.tif');
  const band = Array.from({ length: 64 * 64 }, (_, i) => i % 97);
  // 80 million pixels, whose block of some hundred bytes cannot hold them.
  const fields = { 256: [4, [1_250_000]] as [number, number[]] };
  writeFileSync(
    path,
    tiffFixture({ width: 64, height: 64, bands: [band], deflate: true, fields, pixel: [1e-4, 1e-4] }),
  );
  const claims = /bytes decode to at most \d+; expected 160000000/;
  for (const read of [
    async (confined: ConfinedReaders) => (await confined.stacks.open(path)).readBand(0),
    async (confined: ConfinedReaders) =>
      (await confined.scenes.open(path)).read(0, { col: 0, row: 0, width: 1_250_000, height: 60 }),
    async (confined: ConfinedReaders) =>
      confined.layerFiles.transcode({ path, band: 0, nodata: null }, `${path}.gwl`),
  ]) {
    const confined = readers(t);
    await assert.rejects(read(confined), refused(claims));
    const { use } = confined;
    if (use !== undefined)
      assert.ok(use.peakBytes < 180 * 2 ** 20, `${use.peakBytes} bytes: ${read.toString()}`);
  }
});

test('when the process is killed, open files fail by name, and the next file gets a new process', async (t) => {
  const folder = folderOf(t);
  const good = join(folder, 'good.tif');
  writeFileSync(good, tiffFixture({ width: 2, height: 2, bands: [[1, 2, 3, 4]] }));
  const confined = readers(t);
  const stack = await confined.stacks.open(good);
  const pid = confined.pid!;
  process.kill(pid, 'SIGKILL');
  await assert.rejects(
    async () => {
      for (;;) await stack.readBand(0);
    },
    refused(/good\.tif: reading was stopped, because it was ended by SIGKILL/),
  );
  await stack.close();
  const again = await confined.stacks.open(good);
  assert.deepEqual([...(await again.readBand(0))], [1, 2, 3, 4]);
  assert.notEqual(confined.pid, pid);
  await again.close();
});

test('a layer whose file is damaged leaves nothing in the folder of the layers', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'map.tif');
  const edge = 300;
  const fixture = {
    width: edge,
    height: edge,
    bands: [Array.from({ length: edge * edge }, (_, i) => i % 500)],
    deflate: true,
    rowsPerStrip: 10,
    pixel: PIXEL,
  };
  const bytes = tiffFixture(fixture);
  writeFileSync(path, bytes);
  const layers = join(folder, 'layers');
  const choice = { path, band: 0, nodata: null };
  const shelf = new FolderLayerShelf({ folder: layers, catalogues: [], files: readers(t).layerFiles });
  const local = new FolderLayerShelf({ folder: layers, catalogues: [] });
  assert.deepEqual(await shelf.inspect(choice), await local.inspect(choice));
  const [one, two] = [await shelf.store(choice), await local.store(choice)];
  const content = (file: string): Buffer => readFileSync(join(layers, 'files', file));
  assert.deepEqual(content(one.file), content(two.file));
  await shelf.discard(one);
  await shelf.discard(two);
  bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 400);
  writeFileSync(path, bytes);
  await assert.rejects(
    shelf.store(choice),
    refused(/map\.tif is damaged: block \d+ of 30 cannot be decoded/),
  );
  assert.deepEqual(readdirSync(join(layers, 'files')), []);
});

test('the process gets the credentials of each request from this one, and an error by its words', async (t) => {
  const certificate = await throwawayCertificate();
  await using sink = await tlsSink(certificate, ({ headers }, response) => {
    if (headers.authorization === 'Bearer new') response.end('{"a":1}');
    else response.writeHead(401).end('expired');
  });
  const asked: unknown[] = [];
  const base = `https://localhost:${sink.port}`;
  const confined = readers(
    t,
    {},
    {
      setup: {
        allow: ['127.0.0.0/8', '::1/128'],
        extraCa: certificate.caPem,
        timeoutMs: 10_000,
        userAgent: 'test',
      },
      authorise: async (url, refused) => {
        const isRefused = refused?.headers['authorization'] === 'Bearer old';
        asked.push([url, isRefused]);
        if (url.endsWith('/broken')) throw new RangeError('there is no token');
        return { url, headers: { authorization: isRefused ? 'Bearer new' : 'Bearer old' } };
      },
    },
  );
  assert.deepEqual(await confined.scenes.readJson(`${base}/x.json`), { a: 1 });
  assert.deepEqual(asked, [
    [`${base}/x.json`, false],
    [`${base}/x.json`, true],
  ]);
  await assert.rejects(confined.scenes.readJson(`${base}/broken`), {
    name: 'UpstreamUnavailable',
    message: /there is no token/,
  });
});
