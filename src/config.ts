import { resolve } from 'node:path';

/** One setting: where it comes from and what it means; the docs are generated from this table. */
interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** Every setting, in the order of the documentation. An empty value is the same as none. */
export const SETTINGS: readonly Setting[] = [
  { name: 'GROUNDWATCH_DATA', fallback: './data-local', meaning: 'Folder of everything that is kept.' },
  { name: 'GROUNDWATCH_HOST', fallback: '127.0.0.1', meaning: 'Address to listen on.' },
  { name: 'GROUNDWATCH_PORT', fallback: '8443', meaning: 'Port to listen on; 0 takes a free one.' },
  {
    name: 'DATABASE_URL',
    fallback: '',
    meaning:
      'PostgreSQL 15 or newer to use, as postgres://user:password@host/database. Absent: the service runs its own.',
  },
  {
    name: 'REDIS_URL',
    fallback: '',
    meaning:
      'Redis or Valkey in which several nodes share rate limits, as redis://user:password@host (rediss:// with TLS). Absent: each node keeps its own.',
  },
  {
    name: 'GROUNDWATCH_TLS_CERT',
    fallback: '',
    meaning:
      'PEM file of the certificate chain. Absent: a local authority is made once and its path printed.',
  },
  {
    name: 'GROUNDWATCH_TLS_KEY',
    fallback: '',
    meaning: 'PEM file of the private key of GROUNDWATCH_TLS_CERT.',
  },
  {
    name: 'GROUNDWATCH_TRUST_PROXY',
    fallback: '',
    meaning: 'Addresses or CIDRs (comma-separated) of proxies whose X-Forwarded-* headers are believed.',
  },
  {
    name: 'GROUNDWATCH_BASE_URL',
    fallback: '',
    meaning: 'Address under which callers reach the service. Absent: https://localhost and the port.',
  },
  {
    name: 'GROUNDWATCH_AUTH_URL',
    fallback: '',
    meaning:
      'Address under which clients reach the token endpoint, and issuer of access tokens. Absent: GROUNDWATCH_BASE_URL. Nodes of one installation need the same.',
  },
  {
    name: 'GROUNDWATCH_CORS_ORIGINS',
    fallback: '',
    meaning: 'Origins (comma-separated) that browsers may call from.',
  },
  {
    name: 'GROUNDWATCH_WEBHOOK_ALLOW',
    fallback: '',
    meaning: 'CIDRs (comma-separated) that webhooks may reach although they are not public.',
  },
  {
    name: 'GROUNDWATCH_WEBHOOK_SCHEDULE',
    fallback: '0,5s,5m,30m,2h,5h,10h,10h',
    meaning: 'Wait before each delivery attempt.',
  },
  {
    name: 'GROUNDWATCH_SOURCE_ALLOW',
    fallback: '',
    meaning: 'CIDRs (comma-separated) that scenes and maps may be read from although they are not public.',
  },
  {
    name: 'GROUNDWATCH_CA_FILE',
    fallback: '',
    meaning: 'PEM file of certificate authorities to trust besides the usual.',
  },
  {
    name: 'GROUNDWATCH_SECRET_KEY',
    fallback: '',
    meaning:
      'Base64 of 32 bytes that encrypt secrets at rest; after a comma, older ones that may still be needed to read them. Absent: a key is made once in the data folder.',
  },
  {
    name: 'GROUNDWATCH_SANDBOX',
    fallback: 'on',
    meaning:
      'on: a simulated region is made for the sandbox environment at the first start. off: none is made, and the clock of one that is there stands still.',
  },
  {
    name: 'GROUNDWATCH_SANDBOX_PACE',
    fallback: '60',
    meaning:
      'Simulated days an hour that the sandbox lives through while one of its credentials is in use; 0: its clock moves by POST /v1/sandbox/advance alone.',
  },
  {
    name: 'GROUNDWATCH_LOG_LEVEL',
    fallback: 'info',
    meaning: 'silent, fatal, error, warn, info, debug or trace.',
  },
];

/** From the most to the least talkative, and none at all. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface Config {
  readonly dataFolder: string;
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string | undefined;
  readonly tlsFiles: { readonly cert: string; readonly key: string } | undefined;
  readonly trustProxy: readonly string[];
  readonly baseUrl: string | undefined;
  readonly authUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly webhookAllow: readonly string[];
  readonly webhookSchedule: string;
  readonly sourceAllow: readonly string[];
  readonly caFile: string | undefined;
  /** The first one seals, each may open; none: a key file in the data folder. */
  readonly secretKeys: readonly Buffer[];
  readonly sandbox: boolean;
  /** Simulated days an hour; 0: the clock stands still. */
  readonly sandboxPace: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/** A setting that cannot be used: the start stops with this sentence. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
  constructor(setting: string, expected: string, got: string) {
    super(`${setting}: expected ${expected}, got ${JSON.stringify(got)}`);
  }
}

/** Reads and checks the settings. @throws BadSetting naming the first one that cannot be used */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const text = (name: string): string => {
    const fallback = SETTINGS.find((setting) => setting.name === name)?.fallback;
    if (fallback === undefined) throw new RangeError(`${name} is no setting`);
    return environment[name]?.trim() || fallback;
  };
  const optional = (name: string): string | undefined => text(name) || undefined;
  const list = (name: string): readonly string[] =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');

  const port = text('GROUNDWATCH_PORT');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new BadSetting('GROUNDWATCH_PORT', 'a port from 0 to 65535', port);
  const cert = optional('GROUNDWATCH_TLS_CERT');
  const key = optional('GROUNDWATCH_TLS_KEY');
  if ((cert === undefined) !== (key === undefined))
    throw new BadSetting(
      cert === undefined ? 'GROUNDWATCH_TLS_CERT' : 'GROUNDWATCH_TLS_KEY',
      'both or neither',
      '',
    );
  const logLevel = LOG_LEVELS.find((level) => level === text('GROUNDWATCH_LOG_LEVEL'));
  if (logLevel === undefined)
    throw new BadSetting(
      'GROUNDWATCH_LOG_LEVEL',
      `one of ${LOG_LEVELS.join(', ')}`,
      text('GROUNDWATCH_LOG_LEVEL'),
    );

  return Object.freeze({
    dataFolder: resolve(text('GROUNDWATCH_DATA')),
    host: text('GROUNDWATCH_HOST'),
    port: Number(port),
    databaseUrl: optional('DATABASE_URL'),
    tlsFiles: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    trustProxy: list('GROUNDWATCH_TRUST_PROXY'),
    baseUrl: httpsUrl('GROUNDWATCH_BASE_URL', optional('GROUNDWATCH_BASE_URL')),
    authUrl: httpsUrl('GROUNDWATCH_AUTH_URL', optional('GROUNDWATCH_AUTH_URL')),
    redisUrl: redisUrl(optional('REDIS_URL')),
    corsOrigins: list('GROUNDWATCH_CORS_ORIGINS').map(origin),
    webhookAllow: list('GROUNDWATCH_WEBHOOK_ALLOW'),
    webhookSchedule: text('GROUNDWATCH_WEBHOOK_SCHEDULE'),
    sourceAllow: list('GROUNDWATCH_SOURCE_ALLOW'),
    caFile: optional('GROUNDWATCH_CA_FILE'),
    secretKeys: list('GROUNDWATCH_SECRET_KEY').map(secretKey),
    sandbox: onOrOff('GROUNDWATCH_SANDBOX', text('GROUNDWATCH_SANDBOX')),
    sandboxPace: pace('GROUNDWATCH_SANDBOX_PACE', text('GROUNDWATCH_SANDBOX_PACE')),
    logLevel,
  });
}

function onOrOff(name: string, value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new BadSetting(name, 'on or off', value);
  return value === 'on';
}

const MOST_PACE = 3600; // simulated days an hour: one a second

function pace(name: string, value: string): number {
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(value) || Number(value) > MOST_PACE)
    throw new BadSetting(name, `simulated days an hour, from 0 to ${MOST_PACE}`, value);
  return Number(value);
}

function httpsUrl(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  // Paths are put behind it, and an issuer has neither of these (RFC 8414 section 2).
  if (url?.protocol !== 'https:' || /[?#@\s]/.test(value))
    throw new BadSetting(name, 'an https address such as https://risk.example.com', value);
  return value.replace(/\/+$/, '');
}

function redisUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  // It may hold a password, so it is not repeated.
  if (!URL.canParse(value) || !/^rediss?:$/.test(new URL(value).protocol))
    throw new BadSetting('REDIS_URL', 'an address such as redis://cache.example.com:6379', 'something else');
  return value;
}

function origin(value: string): string {
  if (!URL.canParse(value) || new URL(value).origin !== value)
    throw new BadSetting('GROUNDWATCH_CORS_ORIGINS', 'origins such as https://app.example.com', value);
  return value;
}

function secretKey(value: string): Buffer {
  const bytes = Buffer.from(value, 'base64');
  // The value itself is never repeated in a message.
  if (bytes.length !== 32)
    throw new BadSetting('GROUNDWATCH_SECRET_KEY', 'base64 of 32 bytes', `${bytes.length} bytes`);
  return bytes;
}
