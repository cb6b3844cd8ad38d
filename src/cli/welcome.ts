import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiKey } from '../app/manage-keys.ts';
import { readSandbox } from '../app/read-sandbox.ts';
import { SCOPES } from '../contract/scopes.ts';
import type { CliDeps } from './command.ts';

const RATE_LIMIT = 600; // units a minute, as for any other key

/** Where a service that has just started is reached. */
export interface Reached {
  readonly base: string;
  readonly dataFolder: string;
  /** Authority that clients must be told of; undefined for the operator's own certificate. */
  readonly caPath: string | undefined;
  /** Whether a simulated region is there, or being made. */
  readonly hasSandbox: boolean;
}

/** What a user reads first: where the service listens, a key to try it with, and three calls that work as printed. */
export async function welcome(
  deps: CliDeps,
  { base, dataFolder, caPath, hasSandbox }: Reached,
): Promise<string> {
  const keyFile = join(dataFolder, 'demo-key');
  const made = existsSync(keyFile) ? undefined : await makeDemoKey(deps, keyFile);
  const trust = caPath === undefined ? '' : `--cacert ${shellWord(caPath)} `;
  const call = (path: string): string =>
    `  curl ${trust}-H "Authorization: Bearer $(cat ${shellWord(keyFile)})" "${base}${path}"`;
  const calls = [
    'Try:',
    call('/v1/risk?lat=25.77&lng=-80.19&peril=storm'),
    ...(hasSandbox
      ? [
          call('/v1/risk?lat=46.0124&lng=-26.9699&peril=flood&explain=true'),
          call('/v1/historical?lat=46.0301&lng=-26.9353&metric=ndvi&from=2024-06-01&to=2024-12-31'),
        ]
      : [call('/v1/risk?lat=52.37&lng=4.90&peril=flood&explain=true'), call('/v1/metrics')]),
  ];
  return [
    '',
    `Groundwatch ${deps.version} answers at ${base}  (console: ${base}/, reference: ${base}/docs)`,
    ...(caPath === undefined ? [] : [`Its certificate is signed by ${caPath}`]),
    ...(made === undefined
      ? []
      : [`Demo key (sandbox, all scopes), shown this once and kept in ${keyFile}:`, `  ${made}`]),
    ...(existsSync(keyFile) ? calls : []),
    ...(hasSandbox
      ? [`The sandbox has a simulated region (docs/sandbox.md): ${await progressOf(deps)}`]
      : []),
    'Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}

/** How far the simulated region is, in words. */
async function progressOf({ storage }: CliDeps): Promise<string> {
  const { status, progress, date } = await readSandbox(storage);
  if (status === 'ready') return `it is at ${date}.`;
  return `it is being made, ${Math.round(progress * 100)} %; GET /v1/sandbox tells.`;
}

/** Makes the demo account and its sandbox key, readable by its owner alone; nothing where somebody has made a key. */
async function makeDemoKey(deps: CliDeps, keyFile: string): Promise<string | undefined> {
  if ((await deps.storage.keys.list()).length > 0) return undefined;
  if ((await deps.storage.accounts.byName('demo')) === undefined) await deps.storage.accounts.create('demo');
  const key = await createApiKey(deps, {
    accountName: 'demo',
    environment: 'sandbox',
    scopes: SCOPES,
    lifetimeMs: null,
    rateLimit: RATE_LIMIT,
  });
  await writeFile(keyFile, `${key.text}\n`, { mode: 0o600 });
  return key.text;
}

/** A word as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
