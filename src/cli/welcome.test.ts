import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { SandboxState } from '../app/sandbox/sandbox-store.ts';
import { LIVE_FROM } from '../sandbox/events.ts';
import type { CliDeps } from './command.ts';
import { regionReady, welcome } from './welcome.ts';

const MADE: SandboxState = {
  seed: 7,
  day: LIVE_FROM,
  progress: 1,
  readyAt: new Date('2026-11-22T12:00:00Z'),
  pacedAt: new Date('2026-11-22T12:00:00Z'),
};

/** Returns the startup text when the database already has a key. `hasKey`: whether the file of the demo key exists. */
async function printed(
  t: TestContext,
  {
    state,
    hasSandbox = true,
    hasKey = true,
    beside,
  }: { state?: SandboxState; hasSandbox?: boolean; hasKey?: boolean; beside?: string },
): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'groundwatch-welcome-'));
  t.after(() => rm(dataFolder, { recursive: true }));
  if (hasKey) await writeFile(join(dataFolder, 'demo-key'), 'gw_sandbox_key\n');
  const storage = {
    sandbox: { read: () => Promise.resolve(state) },
    transaction: (work: (stores: object) => unknown) =>
      work({ keys: { list: () => Promise.resolve(['one']) } }),
  };
  const deps = { version: '1.2.3', storage } as unknown as CliDeps;
  return welcome(deps, { base: 'https://localhost:8443', dataFolder, caPath: undefined, hasSandbox, beside });
}

const SERIES = '/v1/historical?lat=46.0301';

test('while the simulated region is being created, calls that need it are printed apart, after how to check that it is ready', async (t) => {
  for (const state of [undefined, { ...MADE, progress: 0.256, readyAt: null }]) {
    const text = await printed(t, { ...(state && { state }) });
    const [now = '', later = ''] = text.split('When it is ready, try:\n');
    assert.match(now, state ? /is being made, 26 %/ : /is being made, 0 %/);
    assert.equal(now.match(/^ {2}curl /gm)?.length, 3);
    assert.match(now, /"https:\/\/localhost:8443\/v1\/sandbox"/);
    assert.ok(!now.includes('lat=46.0'));
    assert.ok(later.includes(SERIES));
  }
});

test('a ready region is among the calls to try; without a region none is mentioned', async (t) => {
  const text = await printed(t, { state: MADE });
  assert.match(text, /is at 2025-01-01\.\nCtrl-C/);
  assert.equal(text.match(/^ {2}curl /gm)?.length, 3);
  assert.ok(text.includes(SERIES));
  assert.ok(!text.includes('being made'));
  const without = await printed(t, { hasSandbox: false });
  assert.ok(!without.includes('region') && !without.includes('lat=46.0'));
});

test('without the demo key no call is printed, but the region in progress still is', async (t) => {
  const text = await printed(t, { hasKey: false });
  assert.ok(!text.includes('curl') && !text.includes('try:'));
  assert.match(text, /is being made, 0 %/);
  assert.match(regionReady(21.4), /is ready, after 21 s/);
});

test('a service that ran on the data folder before is named', async (t) => {
  const text = await printed(t, { state: MADE, beside: 'process 7 at https://localhost:9777' });
  assert.match(text, /^Another service runs on .* already: process 7 at https:\/\/localhost:9777\.$/m);
  assert.doesNotMatch(await printed(t, { state: MADE }), /Another service/);
});
