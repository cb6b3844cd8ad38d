import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import { createApiKey } from '../app/access/manage-keys.ts';
import { readSandbox } from '../app/sandbox/read-sandbox.ts';
import { SCOPES } from '../contract/scopes.ts';
import type { CliDeps } from './command.ts';
import { RATE_LIMIT_UNITS } from '../contract/limits.ts';

const REGION = "The sandbox's simulated region (docs/sandbox.md)";

/** How to reach a service that has just started. */
export interface Reached {
  readonly base: string;
  readonly dataFolder: string;
  /**
   * Path of the authority's certificate, which clients must trust; undefined if the operator provides the certificate
   * of the service.
   */
  readonly caPath: string | undefined;
  /** Whether a simulated region exists or is being created. */
  readonly hasSandbox: boolean;
  /** The service that ran on the data folder before this one, in words; undefined: none. */
  readonly beside?: string | undefined;
}

/**
 * The text printed at startup: where the service listens, a demo key, and three example calls. While the simulated
 * region is being created, the calls that need it are printed separately.
 */
export async function welcome(
  deps: CliDeps,
  { base, dataFolder, caPath, hasSandbox, beside }: Reached,
): Promise<string> {
  const keyFile = join(dataFolder, 'demo-key');
  const made = await makeDemoKey(deps, keyFile);
  const trust = caPath === undefined ? '' : `--cacert ${shellWord(caPath)} `;
  const call = (path: string): string =>
    `  curl ${trust}-H "Authorization: Bearer $(cat ${shellWord(keyFile)})" "${base}${path}"`;
  const storm = call('/v1/risk?lat=25.77&lng=-80.19&peril=storm');
  const flood = call('/v1/risk?lat=52.37&lng=4.90&peril=flood&explain=true');
  const simulated = [
    call('/v1/risk?lat=46.0288&lng=-26.9744&peril=flood&explain=true'),
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
    ...(beside === undefined
      ? []
      : [
          `Another service runs on ${dataFolder} already: ${beside}.`,
          'Both share its data and its work, as nodes do (docs/operations.md, Several nodes). Stop one of them if only one was meant.',
        ]),
    'Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}

/** The text printed when the simulated region has been created. */
export function regionReady(seconds: number): string {
  return `${REGION} is ready, after ${seconds.toFixed(0)} s: everything above answers in full.\n`;
}

/**
 * Creates the demo account and its sandbox key, and writes the key to a file that only its owner can read. Does
 * nothing when any key exists. If the process is killed before the commit, the file may exist although the database
 * has no key; the next start then creates a key and replaces the file. When several services start at once, only one
 * of them creates the key.
 */
async function makeDemoKey(deps: CliDeps, keyFile: string): Promise<string | undefined> {
  const { storage } = deps;
  const make = () =>
    storage.transaction(async (stores) => {
      if ((await stores.keys.list()).length > 0) return undefined;
      if ((await stores.accounts.byName('demo')) === undefined) await stores.accounts.create('demo');
      // Another service has created the account and its key since the check above.
      else if ((await stores.keys.list()).length > 0) return undefined;
      const key = await createApiKey(
        { ...deps, storage: { ...storage, ...stores } },
        {
          accountName: 'demo',
          environment: 'sandbox',
          scopes: SCOPES,
          lifetimeMs: null,
          rateLimit: RATE_LIMIT_UNITS,
        },
      );
      await replaceFile(keyFile, `${key.text}\n`, 0o600);
      return key.text;
    });
  // InvalidInput means that another service has just created the account: the second attempt finds its key.
  return make().catch((error: unknown) => {
    if (error instanceof InvalidInput) return make();
    throw error;
  });
}

/** Quotes a word for a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
