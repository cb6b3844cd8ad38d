import { createApiKey, endApiKey, replaceApiKey } from '../app/access/manage-keys.ts';
import type { ApiKeyRecord } from '../app/access/key-store.ts';
import { SCOPES } from '../contract/scopes.ts';
import {
  ENVIRONMENT,
  environment,
  Misuse,
  required,
  table,
  text,
  type Command,
  type Given,
} from './command.ts';
import { limitOf, limitOption, SCOPES_OPTION, scopesOf } from './credential-options.ts';
import { DAY_MS } from '../base/time.ts';

export const createKeyCommand: Command = {
  name: 'keys create',
  isLight: true,
  audited: true,
  summary: 'Create an API key; it is shown once',
  options: {
    account: { value: 'NAME', meaning: 'account the key acts for', required: true },
    environment: ENVIRONMENT,
    scopes: SCOPES_OPTION,
    expires: { value: '90d', meaning: 'days until it expires, or never', fallback: '90d' },
    limit: limitOption('units a minute; 0 is unlimited'),
  },
  async run(context, given) {
    const input = {
      accountName: required(given, 'account'),
      environment: environment(given),
      scopes: scopesOf(given),
      lifetimeMs: lifetime(given),
      rateLimit: limitOf(given),
    };
    const key = await createApiKey(await context.open(), input);
    context.print(
      {
        id: key.id,
        key: key.text,
        environment: input.environment,
        scopes: input.scopes,
        expires_at: key.expiresAt?.toISOString() ?? null,
      },
      `${key.text}\n(shown this once; id ${key.id}, ${expiry(key.expiresAt)})`,
    );
  },
};

export const listKeysCommand: Command = {
  name: 'keys list',
  isLight: true,
  summary: 'List API keys, never their secrets',
  async run(context) {
    const { storage, clock } = await context.open();
    const accounts = new Map((await storage.accounts.list()).map(({ id, name }) => [id, name]));
    const keys = await storage.keys.list();
    context.print(
      {
        keys: keys.map((key) => ({
          id: key.id,
          name: key.name,
          account: accounts.get(key.accountId),
          environment: key.environment,
          scopes: key.scopes,
          limit: key.rateLimit,
          created_at: key.createdAt.toISOString(),
          expires_at: key.expiresAt?.toISOString() ?? null,
          revoked_at: key.revokedAt?.toISOString() ?? null,
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
        })),
      },
      table(
        ['ID', 'ACCOUNT', 'ENVIRONMENT', 'STATE', 'LIMIT', 'SCOPES'],
        keys.map((key) => [
          key.id,
          accounts.get(key.accountId) ?? '?',
          key.environment,
          stateOf(key, clock.now()),
          String(key.rateLimit),
          key.scopes.length === SCOPES.length ? 'all' : key.scopes.join(','),
        ]),
      ),
    );
  },
};

export const rotateKeyCommand: Command = {
  name: 'keys rotate',
  isLight: true,
  audited: true,
  summary: 'Replace an API key; the old one works for another day',
  operands: ['ID'],
  async run(context, { operands }) {
    const key = await replaceApiKey(await context.open(), operands[0]!);
    context.print(
      { id: key.id, key: key.text, replaces: operands[0]!, old_key_ends_at: key.oldEndsAt.toISOString() },
      `${key.text}\n(shown this once; id ${key.id}; ${operands[0]} works until ${key.oldEndsAt.toISOString()})`,
    );
  },
};

export const revokeKeyCommand: Command = {
  name: 'keys revoke',
  isLight: true,
  audited: true,
  summary: 'End an API key at once',
  operands: ['ID'],
  async run(context, { operands }) {
    await endApiKey(await context.open(), operands[0]!);
    context.print({ id: operands[0]!, revoked: true }, `Key ${operands[0]} is revoked`);
  },
};

function lifetime(given: Given): number | null {
  const asked = text(given, 'expires') ?? '90d';
  if (asked === 'never') return null;
  const days = /^(\d{1,5})d$/.exec(asked)?.[1];
  if (days === undefined || Number(days) === 0)
    throw new Misuse(`--expires: expected days such as 90d, or never; got ${asked}`);
  return Number(days) * DAY_MS;
}

/** Describes whether a key is valid at a time, and until when. A replaced key stays valid until its overlap ends. */
export function stateOf(
  {
    expiresAt,
    revokedAt,
    accountDisabledAt,
  }: Pick<ApiKeyRecord, 'expiresAt' | 'revokedAt' | 'accountDisabledAt'>,
  nowMs: number,
): string {
  if (accountDisabledAt !== null) return 'account closed';
  const day = (at: Date): string => at.toISOString().slice(0, 10);
  if (revokedAt !== null && revokedAt.getTime() <= nowMs) return 'revoked';
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) return `expired ${day(expiresAt)}`;
  if (revokedAt !== null) return `replaced, ends ${revokedAt.toISOString().slice(0, 16)}Z`;
  return expiry(expiresAt);
}

function expiry(at: Date | null): string {
  return at === null ? 'never expires' : `expires ${at.toISOString().slice(0, 10)}`;
}
