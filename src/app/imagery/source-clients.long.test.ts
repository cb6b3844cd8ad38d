import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import {
  PROVIDED_BOX,
  type ProvidedScene,
  providedScenes,
  writeProvided,
} from '../../../test/fixtures/provided-scenes.ts';
import { putAoi } from '../../../test/fixtures/records.ts';
import {
  copernicusProvider,
  earthdataProvider,
  plainProvider,
  planetaryProvider,
  s3Provider,
  type SourceProvider,
} from '../../../test/fixtures/source-providers.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { throwawayCertificate, tlsSink } from '../../../test/fixtures/tls-sink.ts';
import { DAY_MS } from '../../base/time.ts';
import { addressBlocks } from '../../net/address-guard.ts';
import { guardedConnect } from '../../net/guarded-connect.ts';
import { type Authorise, type GuardedReader, guardedReader } from '../../net/guarded-reader.ts';
import { sourceAccess } from '../../net/source-access.ts';
import { SceneFolder } from '../../sources/imagery/scene-folder.ts';
import { StacSceneSource } from '../../sources/imagery/stac-scene-source.ts';
import { addCatalogue } from '../catalogues/add-catalogue.ts';
import { catalogueCollectionName, type FollowReport } from '../catalogues/follow-catalogue.ts';
import { takeTurn } from '../catalogues/keep-catalogues.ts';
import { ingestScenes } from './ingest-scenes.ts';
import type { SceneSource } from './scene-source.ts';

const [WEST, SOUTH, EAST, NORTH] = PROVIDED_BOX;
const NOW = Date.UTC(2024, 6, 1);
const NO_ACCESS = {
  s3: undefined,
  planetaryComputer: undefined,
  earthdata: undefined,
  copernicus: undefined,
};

describe('clients of providers end with the cube that a folder gives', () => {
  let world: TestStorage;
  let folder: string;
  let scenes: readonly ProvidedScene[];
  let tokenFile: string;
  let provider: SourceProvider;
  let closing: (() => PromiseLike<unknown>)[] = [];
  let runs = 0;
  const cube = new MemoryCubeStore();
  before(async () => {
    world = await testStorage();
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-clients-'));
    tokenFile = join(folder, 'token');
    scenes = providedScenes();
    writeProvided(join(folder, 'scenes'), scenes);
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    for (const { id } of await world.storage.catalogues.list()) await world.storage.catalogues.remove(id);
  });

  /** Starts a server that stands for all hosts of a provider. @returns what reads from it, with its credentials */
  const serve = async (made: SourceProvider): Promise<SceneSource> => {
    provider = made;
    const certificate = await throwawayCertificate(made.hosts);
    const sink = await tlsSink(certificate, (request, response) => {
      void made.answer(String(request.headers.host), request, response);
    });
    const connect = guardedConnect({
      allow: addressBlocks(['127.0.0.0/8']),
      extraCa: certificate.caPem,
      timeoutMs: 60_000,
      resolve: (_, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const reader = (authorise?: Authorise): GuardedReader =>
      guardedReader({
        allow: addressBlocks([]),
        timeoutMs: 60_000,
        userAgent: 'test',
        firstPauseMs: 1,
        authorise,
        connect: (target, done) => connect({ ...target, port: String(sink.port) }, done),
      });
    const plain = reader();
    const signing = reader(sourceAccess({ ...NO_ACCESS, ...made.access }, plain));
    closing = [() => plain.close(), () => signing.close(), () => sink[Symbol.asyncDispose]()];
    return new StacSceneSource(signing);
  };
  const deps = (source: SceneSource) => ({
    clock: { now: () => NOW },
    storage: world.storage,
    cube,
    version: '0.0.0',
    wakeDelivery: () => undefined,
    scenes: source,
  });
  const ingest = (source: SceneSource, where: string, collection = `clients-${++runs}`) =>
    ingestScenes(
      deps(source),
      {
        where,
        collection,
        environment: 'production',
        accountId: null,
        bounds: PROVIDED_BOX,
        fromMs: -Infinity,
        toMs: Infinity,
        maxCloudShare: 0.9,
        metrics: ['ndvi'],
      },
      (done) => void (done === 1 && provider?.expire()),
    );
  /** Grid, and key, time and digest of the samples of each scene. */
  const kept = async (name: string, accountId: string | null = null) => {
    const [only, ...more] = await world.storage.collections.byName('production', accountId, name);
    assert.deepEqual(more, []);
    const stored = await world.storage.collections.scenes(only!.id);
    return {
      grid: only!.grid,
      scenes: stored.map(({ key, observedAt, sha256 }) => ({ key, observedAt, sha256 })),
    };
  };
  const fromFolder = async () => {
    const name = `clients-${++runs}`;
    const source = new SceneFolder(new StacSceneSource(undefined as never));
    const report = await ingest(source, join(folder, 'scenes'), name);
    assert.deepEqual([report.added, report.left], [3, []]);
    const result = await kept(name);
    assert.equal(new Set(result.scenes.map(({ sha256 }) => sha256)).size, 3);
    assert.ok(result.grid.width * result.grid.height > 20_000);
    return result;
  };
  /** Ingests by the feed for an area whose box is the same. */
  const byFeed = async (source: SceneSource, url: string) => {
    const name = `feed-${++runs}`;
    const id = await addCatalogue(deps(source), {
      environment: 'production',
      accountId: world.owner.accountId,
      name,
      url,
      metrics: ['ndvi'],
      maxCloudShare: 0.9,
      isTrueColour: false,
      startsAt: new Date(NOW - 100 * DAY_MS),
      everyMs: DAY_MS,
    });
    const ring: [number, number][] = [
      [WEST, SOUTH],
      [EAST, SOUTH],
      [EAST, NORTH],
      [WEST, NORTH],
      [WEST, SOUTH],
    ];
    const aoi = await putAoi(world.storage, world.owner, { type: 'Polygon', coordinates: [ring] });
    try {
      let report: FollowReport | undefined;
      await takeTurn(deps(source), (_, done) => (report = done), new AbortController().signal, id);
      assert.deepEqual(report, { areas: 1, added: 3, problems: [], future: [] });
      return await kept(catalogueCollectionName({ name }, aoi.id), aoi.accountId);
    } finally {
      await world.storage.aois.remove(world.owner, aoi.id);
    }
  };

  const providers: Readonly<Record<string, () => SourceProvider>> = {
    'plain HTTPS': () => plainProvider(scenes),
    'Amazon S3': () => s3Provider(scenes),
    'Planetary Computer': () => planetaryProvider(scenes),
    Earthdata: () => {
      writeFileSync(tokenFile, 'edl-1\n');
      let isExpired = false;
      const made = earthdataProvider(scenes, { file: tokenFile }, (token) => token !== 'edl-1' || !isExpired);
      // The token expires, and the operator writes a new one into the file.
      const expire = (): void => {
        isExpired = true;
        writeFileSync(tokenFile, 'edl-2\n');
      };
      return { ...made, expire };
    },
    'Copernicus Data Space': () => copernicusProvider(scenes),
  };
  const refusals: Readonly<Record<string, RegExp>> = {
    'Amazon S3': /the server answered 400: ExpiredToken: The provided token has expired\./,
    'Planetary Computer':
      /answered 403: AuthenticationFailed: Server failed .*GROUNDWATCH_PLANETARY_COMPUTER/,
    Earthdata: /a page of urs\.earthdata\.nasa\.gov, perhaps to sign in\. .*GROUNDWATCH_EARTHDATA_TOKEN/,
    'Copernicus Data Space': /answered 401: \{"detail":"Expired signature!"\}.*GROUNDWATCH_COPERNICUS_USER/,
  };

  for (const [name, make] of Object.entries(providers)) {
    test(`${name}: throttled, cut and short answers, redirects and a token that expires`, async () => {
      const expected = await fromFolder();
      const source = await serve(make());
      const once = `clients-${++runs}`;
      const report = await ingest(source, provider.collection, once);
      assert.deepEqual([report.added, report.left], [3, []]);
      assert.deepEqual(await kept(once), expected);
      // One token at first and one after it has expired, however many requests wait for it.
      assert.ok(provider.tokens() <= 2, `${provider.tokens()} tokens`);
    });

    test(`${name}: the feed gives the same scenes`, async () => {
      const expected = await fromFolder();
      const source = await serve(make());
      assert.deepEqual(await byFeed(source, provider.collection), expected);
    });
  }

  for (const [name, reason] of Object.entries(refusals))
    test(`${name}: credentials that stay refused are told with the setting, and nothing is kept`, async () => {
      const source = await serve(providers[name]!());
      provider.refuse();
      const report = await ingest(source, provider.collection, `clients-${++runs}`).catch(
        (error: unknown) => error as Error,
      );
      const told = report instanceof Error ? [report.message] : report.left.map((left) => left.reason);
      assert.ok(told.length > 0);
      for (const one of told) {
        assert.match(one, reason);
        assert.doesNotMatch(one, /sig=|edl-|session/);
      }
      assert.deepEqual(await world.storage.collections.byName('production', null, `clients-${runs}`), []);
    });
});
