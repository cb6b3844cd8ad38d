import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Operation } from '../../src/contract/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { gdal, withoutGdal } from '../fixtures/gdal.ts';
import { credentialFor, OPERATION_CASES } from './operation-cases.ts';
import { contractWorld, type World } from './world.ts';

const PYTHON = process.env['GROUNDWATCH_TEST_PYTHON'] ?? 'python3';
const run = promisify(execFile);
const withoutGeoPandas = await run(PYTHON, ['-c', 'import geopandas, pyarrow']).then(
  () => false as const,
  () => `${PYTHON} has no geopandas and pyarrow (GROUNDWATCH_TEST_PYTHON)`,
);

/** A form of an answer that other programs read. */
interface Form {
  /** Ending of the files by which these programs know it. */
  readonly ending: 'geojson' | 'csv' | 'parquet' | 'png' | 'tif' | 'mvt';
  /** Value of `f` that asks for it; undefined: it is the only form. */
  readonly f?: string;
}

const MEDIA = {
  'image/png': 'png',
  'image/tiff': 'tif',
  'application/vnd.mapbox-vector-tile': 'mvt',
} as const;

/** The forms that an operation declares. */
function formsOf({ answers, query }: Operation): readonly Form[] {
  return answers.flatMap(({ media, bodyType, geojson, table }): Form[] => [
    ...(media === undefined ? [] : [{ ending: MEDIA[media] }]),
    ...(bodyType === 'application/geo+json' ? [{ ending: 'geojson' as const }] : []),
    ...(geojson === undefined ? [] : [{ ending: 'geojson' as const, f: 'geojson' }]),
    ...(table === undefined || query === undefined
      ? []
      : [
          { ending: 'csv' as const, f: 'csv' },
          { ending: 'parquet' as const, f: 'parquet' },
        ]),
  ]);
}

interface Exported {
  readonly name: string;
  readonly ending: Form['ending'];
  readonly file: string;
}

describe('other programs open every export and tile, and complain of none', () => {
  let world: World;
  let folder: string;
  const exported: Exported[] = [];
  before(async () => {
    world = await contractWorld();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-exports-'));
    for (const operation of OPERATIONS)
      for (const { ending, f } of formsOf(operation)) {
        const one = OPERATION_CASES[operation.id]!;
        const { path, json } = await one.success[200]!(world);
        const asked = f === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}f=${f}`;
        const answer = await world.service.call(asked, {
          method: operation.method,
          ...credentialFor(world, one),
          ...(json !== undefined && { json }),
        });
        assert.equal(answer.status, 200, `${asked}: ${answer.text.slice(0, 300)}`);
        const file = join(folder, `${operation.id}.${ending}`);
        await writeFile(file, answer.bytes);
        exported.push({ name: operation.id, ending, file });
      }
  });
  after(() => rm(folder, { recursive: true }));

  const readBy = async (
    program: 'ogrinfo' | 'gdalinfo',
    args: readonly string[],
    endings: readonly Form['ending'][],
  ): Promise<number> => {
    const files = exported.filter(({ ending }) => endings.includes(ending));
    for (const { name, ending, file } of files) {
      const { stdout, stderr } = await gdal(program, [...args, file]).catch((error: unknown) => {
        throw new Error(`${name} as ${ending}: ${String(error)}`, { cause: error });
      });
      assert.equal(stderr, '', `${name} as ${ending}`);
      assert.doesNotMatch(stdout, /^Warning \d/m, `${name} as ${ending}`);
    }
    return files.length;
  };

  test('ogrinfo: GeoJSON, CSV and vector tiles', { skip: withoutGdal }, async () => {
    const read = await readBy('ogrinfo', ['-ro', '-al', '-so'], ['geojson', 'csv', 'mvt']);
    assert.ok(read >= 40, `${read} files`);
  });

  test('gdalinfo: pictures, tiles and GeoTIFFs', { skip: withoutGdal }, async () => {
    const read = await readBy('gdalinfo', ['-checksum'], ['png', 'tif']);
    assert.ok(read >= 5, `${read} files`);
  });

  test('GeoPandas: GeoJSON and Parquet', { skip: withoutGeoPandas }, async () => {
    const script = `
import sys, geopandas, pyarrow.parquet
read = 0
for file in sys.argv[1:]:
    if file.endswith('.parquet'):
        schema = pyarrow.parquet.read_schema(file)
        if b'geo' in (schema.metadata or {}):
            frame = geopandas.read_parquet(file)
            assert frame.crs == 'OGC:CRS84', (file, frame.crs)
        else:
            pyarrow.parquet.read_table(file).to_pandas()
    else:
        geopandas.read_file(file)
    read += 1
print(read)`;
    const files = exported.filter(({ ending }) => ending === 'geojson' || ending === 'parquet');
    assert.ok(files.length >= 30, `${files.length} files`);
    const args = ['-W', 'error', '-c', script, ...files.map(({ file }) => file)];
    const { stdout, stderr } = await run(PYTHON, args);
    assert.equal(stderr, '');
    assert.equal(stdout.trim(), String(files.length));
  });
});
