import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { CheckFinding } from '../../src/cli/installation-check.ts';
import { sharedService } from '../fixtures/service.ts';
import { PROGRAM } from '../fixtures/program.ts';

test('the doctor checks the settings of the running service, which a shell of other settings asks for them', async () => {
  const { dataFolder } = await sharedService();
  const env = {
    PATH: process.env['PATH'],
    GROUNDWATCH_DATA: dataFolder,
    GROUNDWATCH_TRUST_PROXY: 'nonsense',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'doctor', '--json'], { env });
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly CheckFinding[] };
  const found = (part: string): string => findings.find((finding) => finding.part === part)!.found;
  assert.match(
    found('service'),
    /its settings are checked; this shell has others: .*GROUNDWATCH_TRUST_PROXY.*GROUNDWATCH_OIDC_ISSUER/,
  );
  assert.equal(ok, true, JSON.stringify(findings));
});
