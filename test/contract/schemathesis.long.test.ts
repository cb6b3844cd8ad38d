import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedService } from '../fixtures/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = process.env['GROUNDWATCH_TEST_SCHEMATHESIS'];
/** Time of the fuzzing and of the calls that use each other's answers [s]; the examples and the edges come first. */
const FUZZ_S = Number(process.env['GROUNDWATCH_TEST_SCHEMATHESIS_S'] ?? 40);
const SEED = process.env['GROUNDWATCH_TEST_FUZZ_SEED'] ?? '20261124';
/** Operations that would end the credential of the run when they are given its id. */
const ENDING = ['revokeKey', 'rotateKey'];
const skip =
  PROGRAM === undefined
    ? 'schemathesis (GROUNDWATCH_TEST_SCHEMATHESIS) is not installed'
    : process.env['GROUNDWATCH_TEST_DATABASE_URL'] !== undefined
      ? 'it runs with the embedded database'
      : false;

test(
  'schemathesis finds nothing that contradicts the OpenAPI document, with all checks',
  { skip },
  async (t) => {
    const service = await sharedService();
    await service.cli('accounts', 'create', 'schemathesis');
    const made = await service.cli(
      'keys',
      'create',
      '--account',
      'schemathesis',
      '--scopes',
      'all',
      '--limit',
      '0',
    );
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-schemathesis-'));
    t.after(() => rm(folder, { recursive: true }));
    const authority = join(folder, 'ca.pem');
    await writeFile(authority, service.ca);
    const run = async (...more: readonly string[]): Promise<void> => {
      const where = ['run', join(ROOT, 'openapi.json'), '--url', service.baseUrl, '--tls-verify', authority];
      const who = ['-H', `Authorization: Bearer ${String(made['key'])}`, '--no-color', '--seed', SEED];
      // An unknown method is 404 by our contract; the check knows only 405. test/contract/transport.test.ts proves it.
      const what = ['--checks', 'all', '--exclude-checks', 'unsupported_method', '--continue-on-failure'];
      const how = ['--max-examples', '20', '--request-timeout', '60'];
      const child = spawn(PROGRAM!, [...where, ...who, ...what, ...how, ...more], {
        cwd: folder,
        env: { ...process.env, SCHEMATHESIS_HOOKS: join(ROOT, 'test/contract/schemathesis_hooks.py') },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let told = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => (told += text));
      const [code] = (await once(child, 'close')) as [number | null];
      t.diagnostic(/Test cases:\s+(.*)/.exec(told)?.[1] ?? 'no summary');
      assert.equal(code, 0, told.slice(-8000));
      assert.match(told, /Tested: [1-9]/);
    };
    // The stream of events never ends.
    const others = ENDING.flatMap((id) => ['--exclude-operation-id', id]);
    await run('--exclude-path', '/v1/events/stream', ...others, '--max-time', String(FUZZ_S));
    // By themselves they meet only ids of keys that do not exist.
    await run(
      ...ENDING.flatMap((id) => ['--include-operation-id', id]),
      '--phases',
      'examples,coverage,fuzzing',
    );
    assert.doesNotMatch(service.log(), /request failed/);
  },
);
