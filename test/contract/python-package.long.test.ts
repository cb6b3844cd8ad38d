import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { newWebhookSecret, signatureHeaders } from '../../src/webhooks/signature.ts';
import { contractWorld } from './world.ts';

const run = promisify(execFile);
const PYTHON = process.env['GROUNDWATCH_TEST_PYTHON'];
const FOLDER = join(import.meta.dirname, '../../python');
const NEEDED = 'build hatchling openapi_python_client geopandas xarray mypy nbclient ipykernel matplotlib';

const lacks = async (): Promise<string | false> => {
  if (PYTHON === undefined) return 'GROUNDWATCH_TEST_PYTHON is not set';
  const imports = NEEDED.split(' ').map((name) => `import ${name}`);
  return run(PYTHON, ['-c', imports.join('\n')]).then(
    () => false as const,
    (error: { stderr: string }) => error.stderr.trim().split('\n').at(-1)!,
  );
};

/** A program of a user, which mypy reads too. */
const PROGRAM = `
import json
import os
import sys

from groundwatch import Groundwatch, GroundwatchError, SignatureError, verify_signature
from groundwatch.api.api.risk import list_models
from groundwatch.api.models import Models

url, key, ca, area, change = (os.environ[name] for name in ("URL", "KEY", "CA", "AREA", "CHANGE"))
said: dict[str, object] = {}
with Groundwatch(url, key, ca=ca) as groundwatch:
    frame = groundwatch.risk_frame([(52.37, 4.89 + i / 1000) for i in range(300)])
    said["places"] = len(frame)
    said["scores"] = bool(frame.risk_score.between(0, 1).all())
    changes = groundwatch.changes_frame(area, status="all")
    said["listed"] = change in changes.index
    said["crs"] = str(changes.crs)
    since = changes[changes.detected_at >= "2000-01-01"]
    said["since"] = len(since) == len(changes) and str(changes.detected_at.dtype).endswith("UTC]")
    said["day"] = [changes.detected_at[change].date().isoformat(), bool(changes.updated_at.notna().all())]
    said["areas"] = [str(kind).split("[")[0] for kind in groundwatch.areas_frame()[["name", "created_at"]].dtypes][1]
    said["type"] = next(each for each in groundwatch.changes(area, status="all") if each.id == change).properties.type_
    said["provenance"] = groundwatch.change(change).provenance.digest
    geometry = {"type": "Polygon", "coordinates": [[[1, 1], [1.01, 1], [1.01, 1.01], [1, 1]]]}
    made = groundwatch.create_area("of Python", geometry)
    none = groundwatch.changes_frame(made.id)
    said["none"] = [len(none), none.index.name, len(none[none.detected_at >= "2000-01-01"]), "magnitude" in none]
    said["made"] = made.id in [each.id for each in groundwatch.areas()]
    models = list_models.sync(client=groundwatch.api)
    said["models"] = isinstance(models, Models)
    try:
        groundwatch.assess_risk(91, 0, "storm")
    except GroundwatchError as error:
        said["refused"] = [error.status, error.code, error.param]
try:
    with Groundwatch("https://localhost:1", key, retries=0) as nobody:
        nobody.assess_risk(0, 0, "flood")
except GroundwatchError as error:
    said["nobody"] = error.code
payload = os.environ["PAYLOAD"].encode()
said["event"] = verify_signature(payload, os.environ["SIGNATURE"], ["whsec_other", os.environ["SECRET"]])
for altered, secret in ((payload + b" ", os.environ["SECRET"]), (payload, "whsec_other")):
    try:
        verify_signature(altered, os.environ["SIGNATURE"], secret)
        said["forged"] = True
    except SignatureError:
        pass
json.dump(said, sys.stdout)
`;

/** A program whose types are wrong. */
const WRONG = `
from groundwatch import Groundwatch

Groundwatch("https://localhost", "key").assess_risk(0, 0, "earthquake")
`;

test(
  'the Python package is built, installed from its archive, typed, and calls the service; its notebooks run',
  { skip: await lacks() },
  async (t) => {
    const { service, key, aoi, change } = await contractWorld();
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-python-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const python = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      run(PYTHON!, args, {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, PYTHONPATH: join(folder, 'site'), ...env },
      });
    await python([join(FOLDER, 'build.py'), join(folder, 'dist')]);
    const wheel = (await readdir(join(folder, 'dist'))).find((name) => name.endsWith('.whl'));
    const install = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target'];
    await python([...install, join(folder, 'site'), join(folder, 'dist', wheel!)]);

    const program = join(folder, 'program.py');
    await writeFile(program, PROGRAM);
    const payload = JSON.stringify({ id: 'evt_1', type: 'webhook.test' });
    const secret = newWebhookSecret();
    const signed = { eventId: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body: Buffer.from(payload) };
    const signature = signatureHeaders({ ...signed, secrets: [secret] })['x-service-signature']!;
    const where = { CA: join(service.dataFolder, 'tls', 'ca.pem'), URL: service.baseUrl, KEY: key };
    const env = {
      ...where,
      AREA: aoi.id,
      CHANGE: change.id,
      PAYLOAD: payload,
      SIGNATURE: signature,
      SECRET: secret,
    };
    const said = JSON.parse((await python([program], env)).stdout) as Record<string, unknown>;
    assert.match(String(said['provenance']), /^[0-9a-f]{64}$/);
    delete said['provenance'];
    assert.deepEqual(said, {
      places: 1200,
      scores: true,
      listed: true,
      crs: 'EPSG:4326',
      type: change.type,
      since: true,
      day: [change.detectedAt, true],
      areas: 'datetime64',
      none: [0, 'id', 0, true],
      made: true,
      models: true,
      refused: [400, 'bad_request', 'lat'],
      nobody: 'connection_failed',
      event: JSON.parse(payload),
    });

    await writeFile(join(folder, 'wrong.py'), WRONG);
    const mypy = ['-m', 'mypy', '--strict', '--follow-imports=silent'];
    const types = { MYPYPATH: join(folder, 'site') };
    await python([...mypy, program], types).catch((error: { stdout: string }) => assert.fail(error.stdout));
    await assert.rejects(
      python([...mypy, join(folder, 'wrong.py')], types),
      ({ stdout }: { stdout: string }) => stdout.includes('earthquake'),
    );

    // The examples of the reference that read and need no id.
    const page = (await service.call('/docs')).text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    const [beginning, ...examples] = Array.from(
      page.matchAll(/<pre class="in-python"[^>]*><code>([^<]*)<\/code><\/pre>/g),
      ([, code]) => code!.replaceAll('&#39;', "'"),
    );
    const reading = examples.filter((code) => /call\("GET"|batch/.test(code) && !code.includes('os.environ'));
    assert.ok(
      reading.length > 12 && examples.length > 60,
      `${reading.length} of ${examples.length} examples`,
    );
    const tried = reading.map(
      (code) =>
        `try:\n${code.replaceAll(/^/gm, '    ')}\nexcept GroundwatchError as error:\n    assert error.status in (403, 404), error\n`,
    );
    const shown = [beginning!, 'from groundwatch import GroundwatchError', ...tried].join('\n');
    await writeFile(join(folder, 'reading.py'), shown);
    await python([join(folder, 'reading.py')], where);

    const notebooks = (await readdir(join(FOLDER, 'notebooks'))).filter((name) => name.endsWith('.ipynb'));
    assert.ok(notebooks.length >= 2);
    for (const name of notebooks) {
      const execute = `
import nbclient, nbformat
nbclient.NotebookClient(nbformat.read(${JSON.stringify(join(FOLDER, 'notebooks', name))}, 4), timeout=120).execute()`;
      await python(['-c', execute], {
        GROUNDWATCH_URL: where.URL,
        GROUNDWATCH_KEY: key,
        GROUNDWATCH_CA: where.CA,
        MPLBACKEND: 'agg',
      });
    }
  },
);
