import { readFile } from 'node:fs/promises';
import { readClientKeys } from '../app/access/client-keys.ts';
import type { JwkSet } from '../app/access/client-store.ts';
import { createClient, endClient, replaceKeysOfClient } from '../app/access/manage-clients.ts';
import { KEY_OVERLAP_HOURS } from '../contract/limits.ts';
import { SCOPES } from '../contract/scopes.ts';
import {
  ENVIRONMENT,
  environment,
  type Given,
  Misuse,
  required,
  table,
  text,
  type Command,
} from './command.ts';
import { limitOf, limitOption, SCOPES_OPTION, scopesOf } from './credential-options.ts';

export const createClientCommand: Command = {
  name: 'clients create',
  summary: 'Create an OAuth client; its secret is shown once',
  audited: true,
  options: {
    account: { value: 'NAME', meaning: 'account the client acts for', required: true },
    environment: ENVIRONMENT,
    scopes: SCOPES_OPTION,
    limit: limitOption('units a minute of all its tokens together; 0 is unlimited'),
    jwks: {
      value: 'FILE',
      meaning: 'JSON file with its public keys (a JWK set), for private_key_jwt instead of a secret',
    },
  },
  async run(context, given) {
    const input = {
      accountName: required(given, 'account'),
      environment: environment(given),
      scopes: scopesOf(given),
      rateLimit: limitOf(given),
      ...(await keysOf(given)),
    };
    const client = await createClient(await context.open(), input);
    context.print(
      {
        client_id: client.id,
        ...(client.secret !== undefined && { client_secret: client.secret }),
        environment: input.environment,
        scopes: input.scopes,
      },
      client.secret === undefined
        ? `client_id      ${client.id}\n(it proves itself with its keys: private_key_jwt)`
        : `client_id      ${client.id}\nclient_secret  ${client.secret}\n(the secret is shown this once)`,
    );
  },
};

/** Reads the key set that `--jwks` names. @throws Misuse when it cannot be read; InvalidInput for unfit keys */
async function keysOf(given: Given): Promise<{ jwks?: JwkSet }> {
  const path = text(given, 'jwks');
  if (path === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Misuse(`--jwks: expected a JSON file, got ${path} (${(error as Error).message})`);
  }
  return { jwks: readClientKeys(value, '--jwks') };
}

export const listClientsCommand: Command = {
  name: 'clients list',
  isLight: true,
  summary: 'List OAuth clients, never their secrets',
  async run(context) {
    const { storage } = await context.open();
    const accounts = new Map((await storage.accounts.list()).map(({ id, name }) => [id, name]));
    const clients = await storage.clients.list();
    context.print(
      {
        clients: clients.map((client) => ({
          client_id: client.id,
          name: client.name,
          account: accounts.get(client.accountId),
          environment: client.environment,
          scopes: client.scopes,
          limit: client.rateLimit,
          created_at: client.createdAt.toISOString(),
          revoked_at: client.revokedAt?.toISOString() ?? null,
          last_used_at: client.lastUsedAt?.toISOString() ?? null,
        })),
      },
      table(
        ['ID', 'ACCOUNT', 'ENVIRONMENT', 'STATE', 'LIMIT', 'SCOPES'],
        clients.map((client) => [
          client.id,
          accounts.get(client.accountId) ?? '?',
          client.environment,
          client.revokedAt === null ? 'active' : 'revoked',
          String(client.rateLimit),
          client.scopes.length === SCOPES.length ? 'all' : client.scopes.join(','),
        ]),
      ),
    );
  },
};

export const replaceClientKeysCommand: Command = {
  name: 'clients replace-keys',
  summary: 'Replace the public keys of an OAuth client; the old ones work on for a while',
  audited: true,
  operands: ['ID'],
  options: {
    jwks: { value: 'FILE', meaning: 'JSON file with its new public keys (a JWK set)', required: true },
    overlap: {
      value: 'HOURS',
      meaning: `how long the old keys work on, up to ${KEY_OVERLAP_HOURS.most}; 0 if one leaked (default ${KEY_OVERLAP_HOURS.default})`,
    },
  },
  async run(context, given) {
    const { storage, clock } = await context.open();
    const asked = text(given, 'overlap') ?? String(KEY_OVERLAP_HOURS.default);
    if (!/^\d{1,3}$/.test(asked) || Number(asked) > KEY_OVERLAP_HOURS.most)
      throw new Misuse(`--overlap: expected hours from 0 to ${KEY_OVERLAP_HOURS.most}, got ${asked}`);
    const { jwks } = await keysOf(given);
    const times = { overlapHours: Number(asked), nowMs: clock.now() };
    const { id, formerUntil } = await replaceKeysOfClient(storage, given.operands[0]!, jwks!, times);
    const until = formerUntil?.toISOString() ?? null;
    context.print(
      { client_id: id, former_keys_until: until },
      `Client ${id} proves itself with the new keys${until === null ? '' : `; the old ones work until ${until}`}`,
    );
  },
};

export const revokeClientCommand: Command = {
  name: 'clients revoke',
  isLight: true,
  summary: 'End an OAuth client and all its tokens at once',
  audited: true,
  operands: ['ID'],
  async run(context, { operands }) {
    const { storage, clock } = await context.open();
    await endClient(storage, operands[0]!, clock.now());
    context.print({ client_id: operands[0]!, revoked: true }, `Client ${operands[0]} is revoked`);
  },
};
