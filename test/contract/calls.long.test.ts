import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { readCsvRows } from '../../src/formats/csv/rows.ts';
import { contractWorld } from './world.ts';
import { PROGRAM } from '../fixtures/program.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A user at a command line with a home folder of their own. */
async function user(t: TestContext) {
  const { service, key } = await contractWorld();
  const home = await mkdtemp(join(tmpdir(), 'groundwatch-home-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    GROUNDWATCH_DATA: service.dataFolder,
    GROUNDWATCH_PORT: String(service.port),
  };
  const run = (
    argv: readonly string[],
    input = '',
    more: Readonly<Record<string, string>> = {},
  ): Promise<Ran> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [PROGRAM, ...argv],
        { env: { ...env, ...more } },
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
      child.stdin!.end(input);
    });
  return { home, run, key, login: () => run(['login'], `${key}\n`) };
}

test('login keeps a key that the service knows, for its user only, and logout forgets it', async (t) => {
  const { home, run, key } = await user(t);
  const kept = join(home, '.config', 'groundwatch', 'login.json');
  const early = await run(['risk', '--lat', '52.37', '--lng', '4.9']);
  assert.deepEqual([early.code, /run groundwatch login first/.test(early.err)], [1, true]);

  const wrong = await run(['login'], `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`);
  assert.equal(wrong.code, 1, wrong.err);
  assert.equal((await run(['login'])).code, 2);
  const odd = await run(['login', '--url', 'localhost:1'], key);
  assert.deepEqual(
    [odd.code, odd.err],
    [2, 'groundwatch login: --url: expected an address such as https://localhost:8443, got localhost:1\n'],
  );
  // By a name of this machine that is not of the loopback interface, the authority of the folder is named only.
  const { service } = await contractWorld();
  const named = await run(['login', '--url', service.baseUrl.replace('localhost', hostname())], key);
  assert.equal(named.code, 1, named.err);
  assert.match(
    named.err,
    /--ca names the authority of the service \(that of this data folder is .*ca\.pem\)/,
  );
  await assert.rejects(stat(kept), 'nothing is kept of a login that failed');

  // The service of the data folder is found, on whatever port it listens; and trusted by each name of the machine.
  const found = await run(['login', '--json'], key, { GROUNDWATCH_PORT: '8443' });
  assert.equal(found.code, 0, found.err);
  assert.equal((JSON.parse(found.out) as { url: string }).url, service.baseUrl);
  const looped = await run(['login', '--url', service.baseUrl.replace('localhost', '127.0.0.1')], key);
  assert.equal(looped.code, 0, looped.err);

  const keyFile = join(home, 'key');
  await writeFile(keyFile, `${key}\n`);
  const made = await run(['login', '--url', `${service.baseUrl}/docs`, '--key-file', keyFile, '--json']);
  assert.equal(made.code, 0, made.err);
  assert.equal((JSON.parse(made.out) as { environment: string }).environment, 'production');
  assert.ok(!made.out.includes(key));
  assert.equal((await stat(kept)).mode & 0o777, 0o600);

  assert.match((await run(['logout'])).out, /Signed out/);
  assert.match((await run(['logout'])).out, /no login/);
});

test('risk assesses a place and the places of a file as the API does, and names the line of a bad one', async (t) => {
  const { home, run, login, key } = await user(t);
  const { service } = await contractWorld();
  assert.equal((await login()).code, 0);
  const file = join(home, 'places.csv');
  const places = Array.from({ length: 300 }, (_, i) => `"site, ${i}",${-60 + i / 3},${i / 2}`);
  await writeFile(file, ['name,latitude,lon', ...places].join('\n'));
  const { out, err } = await run(['risk', '--file', file, '--json']);
  assert.match(err, /1000 of 1200 assessed/);
  const { results } = JSON.parse(out) as {
    results: { name: string; lat: number; lng: number; peril: string; risk_score: number }[];
  };
  assert.equal(results.length, 1200);
  for (const { name, lat, lng, peril, risk_score } of [results[0]!, results[1103]!]) {
    const answer = await service.call(`/v1/risk?lat=${lat}&lng=${lng}&peril=${peril}`, { key });
    assert.equal(answer.json()['risk_score'], risk_score, name);
  }
  assert.equal(results[1103]!.name, 'site, 275');
  const one = await run(['risk', '--lat', '-33.9', '--lng', '151.2', '--peril', 'storm']);
  assert.match(one.out, /^PLACE .*RESTS ON\n-33\.9 151\.2 +storm +0\.\d\d +0\.\d\d to 0\.\d\d /);

  await writeFile(file, 'lat,lng\n1,2\n91,3\n');
  const bad = await run(['risk', '--file', file]);
  assert.equal(bad.code, 2);
  assert.match(bad.err, /line 3: lat: expected degrees from -90 to 90, got 91/);
  // As a spreadsheet exports it, with two lines that cannot be used.
  const sheet = [
    ['id', 'name', 'latitude', 'longitude', 'sum'],
    ['00123', '"A\n""b"""', '52,37', '4,9', '7'],
    ['2', 'B', 'n/a', '4', '8'],
    ['3', 'C', '1', '999', '9'],
  ];
  const lines = sheet.map((fields) => fields.join('\t'));
  await writeFile(file, Buffer.from(`\uFEFF${lines.join('\r\n')}`, 'utf16le'));
  const refused = await run(['risk', '--file', file]);
  assert.equal(refused.code, 2);
  assert.match(
    refused.err,
    /2 of 3 lines have no usable place:\n {2}line 4: latitude: .*got "n\/a"\n {2}line 5: longitude: .*got 999\n--skip-bad/,
  );
  const skipped = await run(['risk', '--file', file, '--skip-bad', '--peril', 'storm']);
  assert.equal(skipped.code, 3, skipped.err);
  assert.match(skipped.out, /^ID +PLACE .*\n00123 +A "b" +storm/);
  assert.match(skipped.err, /2 of 3 lines were left out:\n {2}line 4/);
  const scored = join(home, 'scored.csv');
  const written = ['risk', '--file', file, '--skip-bad', '--peril', 'storm', '--out', scored];
  assert.equal((await run(written)).code, 3);
  const [titles, line, ...more] = [...readCsvRows(await readFile(scored, 'utf8'))];
  assert.deepEqual(titles!.fields.slice(0, 7), 'id name latitude longitude sum peril risk_score'.split(' '));
  assert.deepEqual(line!.fields.slice(0, 6), ['00123', 'A\n"b"', '52.37', '4.9', '7', 'storm']);
  assert.equal(more.length, 0);

  // Places of the Netherlands, Germany and France, with latitude and longitude swapped.
  await writeFile(file, 'lat,lng\n4.9,52.37\n13.4,52.5\n11.6,48.1\n2.35,48.85\n');
  const inTheSea = await run(['risk', '--file', file, '--json']);
  assert.equal(inTheSea.code, 0, inTheSea.err);
  assert.match(inTheSea.err, /would lie on land if lat and lng were swapped/);

  assert.match(
    (await run(['risk', '--lat', '91', '--lng', '0'])).err,
    /lat: expected a number from -90 to 90/,
  );
  assert.equal((await run(['risk', '--lat', '1'])).code, 2);
  assert.match((await run(['risk', '--lat', '1', '--lng', '2', '--peril', 'fire'])).err, /flood, subsidence/);
});

test('changes, anomalies and incidents show what the account has; an area is named, or given by id', async (t) => {
  const { run, login, key } = await user(t);
  const { service, aoi, change, anomalyId } = await contractWorld();
  await login();
  const listed = await run(['changes', '--area', aoi.id, '--status', 'all', '--json']);
  const { changes } = JSON.parse(listed.out) as { changes: { id: string; metric: string }[] };
  assert.ok(changes.some(({ id, metric }) => id === change.id && metric === change.metric));
  const name = 'of the command line';
  const json = { name, geometry: aoi.geometry };
  const made = await service.call('/v1/aois', { key, method: 'POST', json });
  t.after(() => service.call(`/v1/aois/${String(made.json()['id'])}`, { key, method: 'DELETE' }));
  const byName = await run(['changes', '--area', name, '--status', 'all']);
  assert.ok(byName.out.includes(change.id), byName.out + byName.err);
  assert.ok((await run(['anomalies'])).out.includes(anomalyId));
  const told = (await run(['incidents', '--json'])).out;
  assert.ok((JSON.parse(told) as { incidents: readonly unknown[] }).incidents.length > 0, told);
  assert.equal((await run(['incidents', '--status', 'old'])).code, 2);
  const unknown = await run(['changes', '--area', 'nowhere']);
  assert.deepEqual([unknown.code, /no area named nowhere/.test(unknown.err)], [2, true]);
});

test('export joins all pages of a list into one new file, and leaves none of a list that failed', async (t) => {
  const { home, run, login, key } = await user(t);
  const { service } = await contractWorld();
  await login();
  // Areas of many vertices, so that the list has several pages: a page ends early by its bytes.
  const circle = Array.from({ length: 9_000 }, (_, i) => {
    const angle = (i / 9_000) * 2 * Math.PI;
    return [30 + Math.cos(angle) / 20, 10 + Math.sin(angle) / 20];
  });
  const geometry = { type: 'Polygon', coordinates: [[...circle, circle[0]]] };
  for (let i = 0; i < 6; i++) {
    const json = { name: `circle "${i}", of many`, geometry };
    const made = await service.call('/v1/aois', { key, method: 'POST', json });
    assert.equal(made.status, 201);
    // Other tests of this process read the areas of the account too.
    t.after(() => service.call(`/v1/aois/${String(made.json()['id'])}`, { key, method: 'DELETE' }));
  }
  assert.ok('next_cursor' in (await service.call('/v1/aois', { key })).json());
  const [csv, geojson] = [join(home, 'areas.csv'), join(home, 'areas.geojson')];
  const written = JSON.parse((await run(['export', 'areas', '--out', csv, '--json'])).out) as {
    items: number;
  };
  const [header, ...rows] = [...readCsvRows(await readFile(csv, 'utf8'))];
  assert.equal(written.items, rows.length);
  assert.ok(header!.fields.includes('name'));
  assert.equal(new Set(rows.map(({ fields }) => fields[0])).size, rows.length);
  for (let i = 0; i < 6; i++) assert.ok(rows.some(({ fields }) => fields.includes(`circle "${i}", of many`)));
  assert.equal((await run(['export', 'areas', '--out', geojson])).code, 0);
  const { features } = JSON.parse(await readFile(geojson, 'utf8')) as { features: { id: string }[] };
  assert.deepEqual(
    features.map(({ id }) => id),
    rows.map(({ fields }) => fields[0]),
  );

  const incidents = join(home, 'incidents.csv');
  assert.equal((await run(['export', 'incidents', '--out', incidents])).code, 0);
  const [names, ...told] = [...readCsvRows(await readFile(incidents, 'utf8'))];
  assert.ok(names!.fields.includes('title') && names!.fields.includes('wkt'), names!.fields.join());
  assert.ok(told.length > 0);

  const parquet = join(home, 'areas.parquet');
  assert.equal((await run(['export', 'areas', '--out', parquet])).code, 0);
  const bytes = await readFile(parquet);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  assert.deepEqual(
    (await parquetReadObjects({ file })).map((row) => String(row['id'])),
    rows.map(({ fields }) => fields[0]),
  );

  assert.match((await run(['export', 'areas', '--out', csv])).err, /exists; give the name of a new file/);
  assert.match(
    (await run(['export', 'areas', '--out', join(home, 'a.xls')])).err,
    /ends in \.csv, \.geojson or \.parquet, got .*a\.xls/,
  );
  const series = join(home, 'series.csv');
  const place = ['--lat', '89', '--lng', '0', '--metric', 'nothing', '--out', series];
  assert.equal((await run(['export', 'series', ...place])).code, 1);
  await assert.rejects(stat(series));
});

test('the completion for bash knows commands, their options and no others', async (t) => {
  const { run } = await user(t);
  const { out: script } = await run(['completion', 'bash']);
  const complete = (...words: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const line = `COMP_WORDS=(groundwatch ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _groundwatch; echo "\${COMPREPLY[@]}"`;
      execFile('bash', ['-c', `${script}\n${line}`], (error, out) =>
        error === null ? resolve(out.trim()) : reject(error),
      );
    });
  assert.equal(await complete('keys', 'cr'), 'create');
  assert.equal(await complete('keys', 'create', '--a'), '--account');
  assert.equal(await complete('backup', '--re'), '--recipient');
  assert.equal(await complete('ris'), 'risk');
  assert.equal((await run(['completion', 'csh'])).code, 2);
});
