import { RATE_LIMIT_UNITS } from '../contract/limits.ts';
import { SCOPES } from '../contract/scopes.ts';
import { type Given, Misuse, type Option, required, text } from './command.ts';

export const SCOPES_OPTION: Option = {
  value: 'all|a,b',
  meaning: `what it may do: ${SCOPES.join(', ')}`,
  required: true,
};

/** Returns the scopes that `--scopes` lists. @throws Misuse */
export function scopesOf(given: Given): readonly string[] {
  const asked = required(given, 'scopes');
  if (asked === 'all') return SCOPES;
  const list = [...new Set(asked.split(',').map((scope) => scope.trim()))];
  const unknown = list.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown.length > 0)
    throw new Misuse(`--scopes: expected all or some of ${SCOPES.join(', ')}; got ${unknown.join(', ')}`);
  return list;
}

/** The option `--limit` of a command that creates a credential. */
export function limitOption(meaning: string): Option {
  return { value: 'UNITS', meaning, fallback: String(RATE_LIMIT_UNITS) };
}

/** Returns the units per minute that `--limit` sets. @throws Misuse */
export function limitOf(given: Given): number {
  const asked = text(given, 'limit') ?? String(RATE_LIMIT_UNITS);
  if (!/^\d{1,9}$/.test(asked)) throw new Misuse(`--limit: expected whole units a minute, got ${asked}`);
  return Number(asked);
}
