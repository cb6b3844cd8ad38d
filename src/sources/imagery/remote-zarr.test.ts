import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { throwawayCertificate, tlsSink } from '../../../test/fixtures/tls-sink.ts';
import { addressBlocks } from '../../net/address-guard.ts';
import { guardedConnect } from '../../net/guarded-connect.ts';
import { type Authorise, guardedReader } from '../../net/guarded-reader.ts';
import { PointsFileReader } from '../stations/points-file.ts';
import { remoteZarr } from './remote-zarr.ts';
import { StackFileReader } from './stack-file.ts';

const skip = await withoutPackages('xarray', 'zarr');
const certificate = await throwawayCertificate([
  'cubes.example.com',
  'mirror.example.com',
  'cubes.s3.amazonaws.com',
]);

/** Writes one cube as Zarr 2 and 3, with shards, and without consolidated metadata. */
const PROGRAM = `
import sys, numpy as np, xarray as xr
folder = sys.argv[1]
T, Y, X = 4, 21, 33
rng = np.random.default_rng(7)
values = rng.integers(-3000, 3000, (T, Y, X)) / 100.
values[2] = np.nan  # chunks that are not written
time = np.datetime64('2020-05-01', 'ns') + np.arange(T) * np.timedelta64(1, 'D')
cube = xr.Dataset({'v': (('time', 'lat', 'lon'), values, {'units': 'K'})}, dict(time=time, lat=np.linspace(50, 45, Y), lon=np.linspace(5, 13, X)))
packed = dict(dtype='i2', scale_factor=.01, _FillValue=-32767, chunks=(1, 8, 9))
for name, form, more, consolidated in (('two', 2, {}, True), ('three', 3, {}, True), ('sharded', 3, dict(shards=(4, 24, 36)), True), ('loose', 2, {}, False), ('loose-3', 3, {}, False)):
    cube.to_zarr(f'{folder}/{name}.zarr', zarr_format=form, consolidated=consolidated, write_empty_chunks=False, encoding=dict(v=dict(packed, **more)))
for form in (2, 3): cube.isel(time=0, drop=True).assign_attrs(time_coverage_start='2024-06-01T00:25:01Z').to_zarr(f'{folder}/dated-{form}.zarr', zarr_format=form, consolidated=True)
`;

type Answer = (path: string, response: ServerResponse, count: number, token: string | undefined) => boolean;

describe('Zarr on web servers', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-remote-zarr-'));
    await python(PROGRAM, [folder]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A server of the folder for all hosts here, and a reader of it. `special` answers some requests in its own way. */
  async function world(t: TestContext, special: Answer = () => false, authorise?: Authorise) {
    const counts = new Map<string, number>();
    const sink = await tlsSink(certificate, ({ headers, path }, response) => {
      const asked = `${headers.host}${path}`;
      counts.set(asked, (counts.get(asked) ?? 0) + 1);
      if (special(asked, response, counts.get(asked)!, headers.authorization)) return;
      const file = join(folder, decodeURIComponent(path.split('?')[0]!));
      if (!existsSync(file)) {
        response.writeHead(404).end('no such key');
        return;
      }
      const bytes = readFileSync(file);
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? [];
      const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
      response.writeHead(
        from === undefined ? 200 : 206,
        from === undefined ? {} : { 'content-range': range },
      );
      response.end(part);
    });
    const connect = guardedConnect({
      allow: addressBlocks(['127.0.0.0/8']),
      extraCa: certificate.caPem,
      timeoutMs: 60_000,
      resolve: (_, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const reader = guardedReader({
      allow: addressBlocks([]),
      timeoutMs: 60_000,
      userAgent: 'test',
      firstPauseMs: 1,
      authorise,
      connect: (target, done) => connect({ ...target, port: String(sink.port) }, done),
    });
    t.after(async () => {
      await reader.close();
      await sink[Symbol.asyncDispose]();
    });
    return { open: remoteZarr(reader), counts };
  }

  const CHOICE = { metric: 'temperature', variable: 'v' };
  const bandsOf = async (stacks: StackFileReader, path: string): Promise<Float64Array[]> => {
    const stack = await stacks.open(path, CHOICE);
    const bands: Float64Array[] = [];
    for (let band = 0; band < stack.bandCount; band++)
      bands.push(Float64Array.from(await stack.readBand(band)));
    await stack.close();
    return bands;
  };
  const inFolder = (name: string) => bandsOf(new StackFileReader(), join(folder, name));

  for (const form of [2, 3])
    test(`a map of Zarr ${form} is dated by the attributes of its group`, async (t) => {
      const { open } = await world(t);
      const stack = await new StackFileReader(open).open(
        `https://cubes.example.com/dated-${form}.zarr`,
        CHOICE,
      );
      assert.deepEqual(stack.dates, [{ band: 1, timeMs: Date.UTC(2024, 5, 1, 0, 25, 1), scene: null }]);
      await stack.close();
    });

  for (const [what, special] of [
    ['a plain server', undefined],
    [
      'a server that redirects each chunk',
      (asked, response) => {
        if (!/^cubes\.example\.com.*\/v\//.test(asked)) return false;
        response
          .writeHead(302, { location: `https://mirror.example.com${asked.slice(asked.indexOf('/'))}` })
          .end();
        return true;
      },
    ],
    [
      'a server that throttles and fails',
      (_, response, count) => {
        if (count > 2) return false;
        response.writeHead(count === 1 ? 429 : 503, { 'retry-after': '0' }).end();
        return true;
      },
    ],
    [
      'a server whose bodies end too early',
      (asked, response, count) => {
        if (count > 1 || !asked.includes('/v/')) return false;
        const isPart = response.req.headers.range !== undefined;
        response.writeHead(isPart ? 206 : 200, {
          'content-length': '500',
          ...(isPart && { 'content-range': 'bytes 0-499/500' }),
        });
        if (isPart) response.flushHeaders();
        else response.write(Buffer.alloc(20));
        setImmediate(() => response.destroy());
        return true;
      },
    ],
  ] as readonly (readonly [string, Answer | undefined])[])
    test(`${what} gives the same cube as a folder`, async (t) => {
      const { open } = await world(t, special);
      for (const name of ['two.zarr', 'three.zarr', 'sharded.zarr'])
        assert.deepEqual(
          await bandsOf(new StackFileReader(open), `https://cubes.example.com/${name}`),
          await inFolder(name),
          name,
        );
    });

  test('a bucket and an address with a query; each chunk and no unknown document is asked for once', async (t) => {
    const { open, counts } = await world(t);
    const stacks = new StackFileReader(open);
    const expected = await inFolder('two.zarr');
    assert.deepEqual(await bandsOf(stacks, 's3://cubes/two.zarr'), expected);
    assert.deepEqual(await bandsOf(stacks, 'https://cubes.example.com/two.zarr/?sig=a%2Bb'), expected);
    const asked = [...counts.keys()];
    assert.ok(asked.includes('cubes.s3.amazonaws.com/two.zarr/.zmetadata'));
    assert.ok(asked.includes('cubes.example.com/two.zarr/v/0.0.0?sig=a%2Bb'));
    assert.deepEqual(
      asked.filter(
        (one) => /z(arr\.json|array|attrs|group)/.test(one) && !one.endsWith('two.zarr/zarr.json'),
      ),
      ['cubes.example.com/two.zarr/zarr.json?sig=a%2Bb'],
    );
    const chunks = [...counts].filter(([path]) => /\/v\/\d/.test(path));
    assert.ok(
      chunks.every(([, count]) => count === 1) && chunks.length === 2 * 4 * 3 * 4,
      `${chunks.length}`,
    );
  });

  test('a token that expires is renewed; one that is refused ends in an error, not in missing values', async (t) => {
    let token = 'old';
    const authorise: Authorise = async (url, refused) => {
      if (refused !== undefined) token = 'new';
      return { url, headers: { authorization: token } };
    };
    const refusing: Answer = (asked, response, _, sent) => {
      if (sent === 'new' || !asked.includes('/v/')) return false;
      response.writeHead(403).end('ExpiredToken');
      return true;
    };
    const { open } = await world(t, refusing, authorise);
    assert.deepEqual(
      await bandsOf(new StackFileReader(open), 'https://cubes.example.com/two.zarr'),
      await inFolder('two.zarr'),
    );
    const without = await world(t, refusing);
    await assert.rejects(bandsOf(new StackFileReader(without.open), 'https://cubes.example.com/two.zarr'), {
      name: 'NotFound',
      message: /\/v\/0\.0\.0: the server answered 403/,
    });
  });

  test('series are read from a cell of a remote cube', async (t) => {
    const { open } = await world(t);
    const series = async (path: string): Promise<number[]> => {
      const points = new PointsFileReader(open);
      const file = await points.open({ path, metric: 'temperature', column: 'v', lat: 49.7, lng: 5.3 });
      const seen: number[] = [];
      for await (const batch of file.batches()) seen.push(...batch.values.subarray(0, batch.count));
      return seen;
    };
    const found = await series('https://cubes.example.com/three.zarr');
    assert.equal(found.length, 4);
    assert.deepEqual(found, await series(join(folder, 'three.zarr')));
  });

  test('what is no Zarr, a group that nobody can list, damage, and addresses that are not allowed', async (t) => {
    const { open } = await world(t, (asked, response) => {
      if (!asked.includes('damaged.zarr/v/')) return false;
      response.writeHead(200).end(Buffer.alloc(40, 7));
      return true;
    });
    cpSync(join(folder, 'two.zarr'), join(folder, 'damaged.zarr'), { recursive: true });
    const stacks = new StackFileReader(open);
    for (const [path, message] of [
      ['https://cubes.example.com/nothing.zarr', /nothing\.zarr: expected Zarr .* found none/],
      [
        'https://cubes.example.com/loose.zarr',
        /loose\.zarr is a group of Zarr without consolidated metadata/,
      ],
      [
        'https://cubes.example.com/loose-3.zarr',
        /loose-3\.zarr is a group of Zarr without consolidated metadata/,
      ],
      ['https://cubes.example.com/damaged.zarr', /damaged\.zarr: v cannot be read/],
      ['http://cubes.example.com/two.zarr', /expected an https address/],
    ] as const)
      await assert.rejects(bandsOf(stacks, path), { name: 'InvalidInput', message }, path);
    const guarded = guardedReader({ allow: addressBlocks([]), timeoutMs: 60_000, userAgent: 'test' });
    t.after(() => guarded.close());
    await assert.rejects(bandsOf(new StackFileReader(remoteZarr(guarded)), 'https://127.0.0.1/two.zarr'), {
      name: 'InvalidInput',
      message: /GROUNDWATCH_SOURCE_ALLOW/,
    });
  });
});
