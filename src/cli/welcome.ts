import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import { createApiKey } from '../app/access/manage-keys.ts';
import { readSandbox } from '../app/sandbox/read-sandbox.ts';
import { SCOPES } from '../contract/scopes.ts';
import type { CliDeps } from './command.ts';

const REGION = "The sandbox's simulated region (docs/sandbox.md)";
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

/**
 * What a user reads first: where the service listens, a key to try it with, and three calls that work as printed; while
 * the simulated region is being made, those of them that need it stand apart.
 */
export async function welcome(
  deps: CliDeps,
  { base, dataFolder, caPath, hasSandbox }: Reached,
): Promise<string> {
  const keyFile = join(dataFolder, 'demo-key');
  const made = await makeDemoKey(deps, keyFile);
  const trust = caPath === undefined ? '' : `--cacert ${shellWord(caPath)} `;
  const call = (path: string): string =>
    `  curl ${trust}-H "Authorization: Bearer $(cat ${shellWord(keyFile)})" "${base}${path}"`;
  const storm = call('/v1/risk?lat=25.77&lng=-80.19&peril=storm');
  const flood = call('/v1/risk?lat=52.37&lng=4.90&peril=flood&explain=true');
  const simulated = [
    call('/v1/risk?lat=46.0124&lng=-26.9699&peril=flood&explain=true'),
    call('/v1/historical?lat=46.0301&lng=-26.9353&metric=ndvi&from=2024-06-01&to=2024-12-31'),
  ];
  const region = hasSandbox ? await readSandbox(deps.storage) : undefined;
  const isTried = existsSync(keyFile);
  const tries = (...calls: readonly string[]): readonly string[] => (isTried ? calls : []);
  const lines =
    region === undefined
      ? tries('Try:', storm, flood, call('/v1/metrics'))
      : region.status === 'ready'
        ? [...tries('Try:', storm, ...simulated), `${REGION} is at ${region.date}.`]
        : [
            ...tries('Try:', storm, flood, call('/v1/sandbox')),
            `${REGION} is being made, ${Math.round(region.progress * 100)} %: half a minute on two free processors;`,
            'GET /v1/sandbox tells how far it is.',
            ...tries('When it is ready, try:', ...simulated),
          ];
  return [
    '',
    `Groundwatch ${deps.version} answers at ${base}  (console: ${base}/, reference: ${base}/docs)`,
    ...(caPath === undefined ? [] : [`Its certificate is signed by ${caPath}`]),
    ...(made === undefined
      ? []
      : [`Demo key (sandbox, all scopes), shown this once and kept in ${keyFile}:`, `  ${made}`]),
    ...lines,
    'Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}

/** What a user reads when the simulated region is there that was being made. */
export function regionReady(seconds: number): string {
  return `${REGION} is ready, after ${seconds.toFixed(0)} s: everything above answers in full.\n`;
}

/**
 * Makes the demo account and its sandbox key, readable by its owner alone; nothing where somebody has made a key. A kill
 * in between leaves no key, whatever the file says: the next start makes one. Of services that start at once one does.
 */
async function makeDemoKey(deps: CliDeps, keyFile: string): Promise<string | undefined> {
  const { storage } = deps;
  const make = () =>
    storage.transaction(async (stores) => {
      if ((await stores.keys.list()).length > 0) return undefined;
      if ((await stores.accounts.byName('demo')) === undefined) await stores.accounts.create('demo');
      // Of another service that has made the account since the first look: its key came with it.
      else if ((await stores.keys.list()).length > 0) return undefined;
      const key = await createApiKey(
        { ...deps, storage: { ...storage, ...stores } },
        {
          accountName: 'demo',
          environment: 'sandbox',
          scopes: SCOPES,
          lifetimeMs: null,
          rateLimit: RATE_LIMIT,
        },
      );
      await replaceFile(keyFile, `${key.text}\n`, 0o600);
      return key.text;
    });
  // Refused where another service has just made the account, and by then its key.
  return make().catch((error: unknown) => {
    if (error instanceof InvalidInput) return make();
    throw error;
  });
}

/** A word as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
