import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { InvalidInput } from '../../base/errors.ts';
import { Groundwatch } from '../../client/groundwatch.ts';
import { type Caller, type Command, Failed, text } from '../command.ts';
import { forgetLogin, type Login, saveLogin } from './saved-login.ts';

export const loginCommand: Command = {
  name: 'login',
  summary: 'Keep the address of a service and a key for the commands that call it',
  options: {
    url: {
      value: 'URL',
      meaning: 'address of the service',
      fallback: 'the service that runs on this data folder',
    },
    ca: {
      value: 'CA.pem',
      meaning: 'authority to trust',
      fallback: 'that of this data folder, for its service and for any on this machine',
    },
    'key-file': {
      value: 'FILE',
      meaning: 'file with the API key',
      fallback: 'asked for, or read from standard input',
    },
  },
  async run(context, given) {
    const caller = context.caller();
    const url = addressOf(text(given, 'url') ?? (await caller.localUrl()));
    const keyFile = text(given, 'key-file');
    const ca = await authority(text(given, 'ca'), url, caller);
    const key =
      keyFile === undefined ? await caller.readSecret(`Key for ${url}: `) : await readOf('key-file', keyFile);
    if (key.trim() === '') throw new InvalidInput('expected an API key, got nothing');
    const login: Login = { url, key: key.trim(), ca };
    const groundwatch = new Groundwatch({ baseUrl: url, apiKey: login.key, fetch: caller.fetchTrusting(ca) });
    const account = await groundwatch.getAccount().catch((error: unknown) => {
      if (!/certificate/.test((error as Error).message)) throw error;
      const here = existsSync(caller.localCaFile)
        ? ` (that of this data folder is ${caller.localCaFile})`
        : '';
      throw new Failed(`${(error as Error).message}; --ca names the authority of the service${here}`, {
        cause: error,
      });
    });
    if (typeof account.caller?.environment !== 'string')
      throw new Failed(`${url} does not answer as Groundwatch does`);
    await saveLogin(caller.loginFile, login);
    const { environment, scopes, id } = account.caller;
    context.print(
      { url, account: account.name, account_id: account.id, key_id: id, environment, scopes },
      `Signed in to ${url}: account ${account.name}, ${environment}. The key may ${scopes.join(', ')}.`,
    );
  },
};

export const logoutCommand: Command = {
  name: 'logout',
  summary: 'Forget the address and the key that login kept',
  async run(context) {
    const had = await forgetLogin(context.caller().loginFile);
    context.print(
      { signed_out: had },
      had ? 'Signed out. The key itself still works.' : 'There was no login.',
    );
  },
};

/** The address of a service, without a path. @throws InvalidInput */
function addressOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new InvalidInput(`--url: expected an address such as https://localhost:8443, got ${given}`);
  return url.origin;
}

/** PEM text of the authority to trust in addition to the system's. */
async function authority(
  given: string | undefined,
  url: string,
  caller: Caller,
): Promise<string | undefined> {
  if (given !== undefined) {
    const pem = await readOf('ca', given);
    if (!pem.includes('-----BEGIN CERTIFICATE-----'))
      throw new InvalidInput(`--ca: expected PEM certificates in ${given}`);
    return pem;
  }
  if (!isThisMachine(url) && url !== new URL(await caller.localUrl()).origin) return undefined;
  return readFile(caller.localCaFile, 'utf8').catch(() => undefined);
}

/** Whether an address is of the loopback interface, where the service is most likely that of the data folder. */
function isThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

async function readOf(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new InvalidInput(`--${option}: ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
