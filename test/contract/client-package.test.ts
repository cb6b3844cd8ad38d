import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { contractWorld } from './world.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
/** Maximum size of the package [bytes]. */
const MOST_BYTES = 50_000;

/** A program of a user. Its types are exact: the lines that are marked must not compile. */
const PROGRAM = `
import { Groundwatch, GroundwatchError, type ListedChangeFeature } from 'groundwatch-client';

const groundwatch = new Groundwatch({ baseUrl: process.env['URL']!, apiKey: process.env['KEY']! });
const aoi_id = process.env['AOI']!;
const { risk_score } = await groundwatch.assessRisk({ lat: 52.37, lng: 4.89, peril: 'flood' });
const map = await groundwatch.listChanges({ aoi_id, status: 'all', f: 'geojson' });
const feature: ListedChangeFeature = map.features[0]!;
const area: number = feature.properties.area_m2;
const status: 'suspected' | 'confirmed' | 'recovered' | 'rejected' = feature.properties.status;
// @ts-expect-error The list leaves out the provenance.
const missing = feature.properties.provenance;
// @ts-expect-error There is no such peril.
const wrong = () => groundwatch.assessRisk({ lat: 0, lng: 0, peril: 'earthquake' });
if (feature.geometry.type === 'Polygon') {
  const lng: number = feature.geometry.coordinates[0]![0]![0]!;
  if (!(lng >= -180)) throw new Error('no longitude');
}
let refused = '';
try {
  await groundwatch.assessRisk({ lat: 91, lng: 0, peril: 'storm' });
} catch (error) {
  if (error instanceof GroundwatchError) refused = error.param ?? '';
}
console.log(JSON.stringify({ isScore: risk_score >= 0, features: map.features.length, area, status, missing, wrong: typeof wrong, refused }));
`;

test('groundwatch-client is small, needs no other package, has exact types and calls the service', async (t) => {
  const { service, key, aoi, change } = await contractWorld();
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-client-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const node = process.execPath;
  await run(node, [join(ROOT, 'scripts/build-client.ts'), folder]);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  const { size } = await stat(join(folder, archive!));
  assert.ok(size < MOST_BYTES, `${size} bytes`);
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--silent', join(folder, archive!)];
  await run('npm', install, { cwd: folder });
  assert.deepEqual(
    (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
    ['groundwatch-client'],
  );
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  // Without skipLibCheck, so that the declarations of the package are checked too.
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiled = run(node, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  await compiled.catch((error: { stdout: string }) => assert.fail(error.stdout));
  const env = {
    PATH: process.env['PATH'],
    NODE_EXTRA_CA_CERTS: join(service.dataFolder, 'tls', 'ca.pem'),
    URL: service.baseUrl,
    KEY: key,
    AOI: aoi.id,
  };
  const { stdout } = await run(node, [join(folder, 'program.ts')], { env });
  const said = JSON.parse(stdout) as { features: number; area: number };
  assert.ok(said.features > 0 && said.area > 0);
  assert.deepEqual(
    { ...said, features: 0, area: 0 },
    {
      isScore: true,
      features: 0,
      area: 0,
      status: change.status,
      wrong: 'function',
      refused: 'lat',
    },
  );
});
