// Long file: the table of all settings, from which the docs are generated, beside the code that reads it.
import { resolve } from 'node:path';
import { LOG_LEVELS, type LogLevel } from './base/log-level.ts';
import { ACCOUNT_LIMITS, type AccountLimits, DELIVERY_SCHEDULE } from './contract/limits.ts';

/** One setting: its environment variable, default and meaning. The docs are generated from this table. */
interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** Meaning of each setting `GROUNDWATCH_ACCOUNT_*`. */
const ACCOUNT_MEANINGS: Readonly<Record<keyof AccountLimits, string>> = {
  units: 'Units per minute that all credentials of an account may use together; 0 is unlimited.',
  streams: 'Event streams that an account may have open on one node; 0 is unlimited.',
  areas: 'Areas of interest that an account may have, in all environments together; 0 is unlimited.',
  vertices: 'Vertices that the areas of an account may have together; 0 is unlimited.',
  watches: 'Risk watches that an account may have, those of its subscriptions included; 0 is unlimited.',
  subscriptions: 'Anomaly subscriptions that an account may have; 0 is unlimited.',
  webhooks: 'Webhooks that an account may have; 0 is unlimited.',
  keys: 'Keys that an account may have; 0 is unlimited.',
  clients: 'OAuth clients that an account may have; 0 is unlimited.',
};

const ACCOUNT_NAMES = Object.keys(ACCOUNT_LIMITS) as (keyof AccountLimits)[];

const accountSetting = (name: keyof AccountLimits): string => `GROUNDWATCH_ACCOUNT_${name.toUpperCase()}`;

/** Every setting, in the order of the documentation. An empty value counts as unset. */
export const SETTINGS: readonly Setting[] = [
  { name: 'GROUNDWATCH_DATA', fallback: './data-local', meaning: 'Folder of all data.' },
  {
    name: 'GROUNDWATCH_OBJECTS',
    fallback: '',
    meaning:
      'Bucket for cubes, saved states and installed layers, as s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION (default endpoint: Amazon S3; default region: us-east-1), with AWS_ACCESS_KEY_ID. Everything else stays in GROUNDWATCH_DATA and the database; see [object storage](deployment.md#object-storage). Default: the data folder.',
  },
  {
    name: 'GROUNDWATCH_OBJECTS_FROM',
    fallback: '',
    meaning:
      'Where cubes and layers are while groundwatch objects move takes them to another place: folder, with the bucket in GROUNDWATCH_OBJECTS; or the bucket in the form of GROUNDWATCH_OBJECTS, which is not given then, to move them into GROUNDWATCH_DATA. See [moving to a bucket, or back](deployment.md#moving-to-a-bucket-or-back).',
  },
  {
    name: 'GROUNDWATCH_OBJECTS_CACHE',
    fallback: '20',
    meaning:
      'Gigabytes that copies of cubes from GROUNDWATCH_OBJECTS may take in GROUNDWATCH_DATA, with up to three decimals.',
  },
  { name: 'GROUNDWATCH_HOST', fallback: '127.0.0.1', meaning: 'Address to listen on.' },
  { name: 'GROUNDWATCH_PORT', fallback: '8443', meaning: 'Port to listen on; 0 chooses a free one.' },
  {
    name: 'GROUNDWATCH_WORKER_PORT',
    fallback: '',
    meaning:
      'Port for /healthz, /readyz and all metrics of this process, with or without workers, over plain HTTP on GROUNDWATCH_HOST; 0 chooses a free one. Default: none.',
  },
  {
    name: 'DATABASE_URL',
    fallback: '',
    meaning:
      'PostgreSQL 15 or newer, as postgres://user:password@host/database. Default: the service runs its own.',
  },
  {
    name: 'GROUNDWATCH_DATABASE_REPLICA_URL',
    fallback: '',
    meaning:
      'Streaming replica of the database of DATABASE_URL that answers lists, in the same form; see [a replica for lists](operations.md#a-replica-for-lists). Default: none.',
  },
  {
    name: 'REDIS_URL',
    fallback: '',
    meaning:
      'Redis or Valkey that shares rate limits between nodes, as redis://user:password@host (rediss:// with TLS). Default: each node has its own limits.',
  },
  {
    name: 'NATS_URL',
    fallback: '',
    meaning:
      'NATS with JetStream that hands background jobs to workers: addresses (comma-separated) as nats://user:password@host:4222, nats://token@host, or tls://. All nodes of an installation need the same. Default: pg-boss, in the database.',
  },
  {
    name: 'GROUNDWATCH_JOBS_PER_ACCOUNT',
    fallback: '16',
    meaning: 'Jobs of an account, of one kind and priority, that workers may have at once; 0 is unlimited.',
  },
  {
    name: 'GROUNDWATCH_JOBS_BACKLOG',
    fallback: '10000',
    meaning: 'Waiting jobs of an account from which its ingests pause; 0: they never do.',
  },
  {
    name: 'GROUNDWATCH_TLS_CERT',
    fallback: '',
    meaning:
      'PEM file of the certificate chain. Default: the service creates a local authority once and prints its path.',
  },
  {
    name: 'GROUNDWATCH_TLS_KEY',
    fallback: '',
    meaning: 'PEM file of the private key of GROUNDWATCH_TLS_CERT.',
  },
  {
    name: 'GROUNDWATCH_DRAIN',
    fallback: '0',
    meaning:
      'Seconds for which a node goes on answering after SIGTERM while its /readyz says 503, so that a load balancer stops sending calls to it; at most 300.',
  },
  {
    name: 'GROUNDWATCH_TRUST_PROXY',
    fallback: '',
    meaning: 'Addresses or CIDRs (comma-separated) of proxies whose X-Forwarded-* headers are trusted.',
  },
  {
    name: 'GROUNDWATCH_BASE_URL',
    fallback: '',
    meaning: 'Address at which callers reach the service. Default: https://localhost and the port.',
  },
  {
    name: 'GROUNDWATCH_AUTH_URL',
    fallback: '',
    meaning:
      'Address at which clients reach the token endpoint, and issuer of access tokens. Default: GROUNDWATCH_BASE_URL. All nodes of an installation need the same.',
  },
  {
    name: 'GROUNDWATCH_OIDC_ISSUER',
    fallback: '',
    meaning:
      'OpenID provider with which people sign in to the console: its issuer, or the address of its metadata. Default: the console takes keys only.',
  },
  {
    name: 'GROUNDWATCH_OIDC_CLIENT_ID',
    fallback: '',
    meaning: 'What the provider calls this service.',
  },
  {
    name: 'GROUNDWATCH_OIDC_CLIENT_SECRET',
    fallback: '',
    meaning: 'Secret by which this service proves itself to the provider.',
  },
  {
    name: 'GROUNDWATCH_OIDC_CLIENT_SECRET_FILE',
    fallback: '',
    meaning: 'File that holds that secret, in place of GROUNDWATCH_OIDC_CLIENT_SECRET.',
  },
  {
    name: 'GROUNDWATCH_BASE_MAP',
    fallback: '',
    meaning:
      'Base map of the console in place of its own: the address of XYZ tiles (`https://tiles.example.com/{z}/{x}/{y}.png`), of WMTS tiles (with `{TileMatrix}`, `{TileRow}` and `{TileCol}`), or of a MapLibre style. Browsers load it from that host; see [the base map](operations.md#the-base-map).',
  },
  {
    name: 'GROUNDWATCH_BASE_MAP_ATTRIBUTION',
    fallback: '',
    meaning: 'Whom the map names as the source of GROUNDWATCH_BASE_MAP, as text.',
  },
  {
    name: 'GROUNDWATCH_CORS_ORIGINS',
    fallback: '',
    meaning: 'Origins (comma-separated) from which browsers may call the API.',
  },
  {
    name: 'GROUNDWATCH_WEBHOOK_ALLOW',
    fallback: '',
    meaning: 'CIDRs (comma-separated) of non-public addresses that webhooks may be sent to.',
  },
  {
    name: 'GROUNDWATCH_WEBHOOK_SCHEDULE',
    fallback: DELIVERY_SCHEDULE,
    meaning: 'Delay before each delivery attempt.',
  },
  {
    name: 'GROUNDWATCH_SMTP_URL',
    fallback: '',
    meaning:
      'Mail server that sends events to e-mail addresses: smtp://user:password@HOST:PORT with STARTTLS (default port 587), or smtps:// with TLS from the start (465). ?tls=off sends in plain text, for a server in the same network that needs no password; this is the default for loopback addresses. Default: no mails are sent.',
  },
  {
    name: 'GROUNDWATCH_SMTP_PASSWORD_FILE',
    fallback: '',
    meaning: 'File that holds the password of GROUNDWATCH_SMTP_URL, in place of the one in the address.',
  },
  {
    name: 'GROUNDWATCH_SMTP_FROM',
    fallback: '',
    meaning:
      'Sender of mails: an address, or a name and an address such as Groundwatch <alerts@example.com>.',
  },
  {
    name: 'GROUNDWATCH_SOURCE_ALLOW',
    fallback: '',
    meaning: 'CIDRs (comma-separated) of non-public addresses that scenes and maps may be read from.',
  },
  {
    name: 'GROUNDWATCH_S3_SIGNED',
    fallback: '',
    meaning:
      'Buckets (comma-separated) that are read with the AWS access key, or BUCKET@HOST in another store that speaks S3. Others are read without a key.',
  },
  {
    name: 'GROUNDWATCH_S3_REQUESTER_PAYS',
    fallback: '',
    meaning:
      'The same for buckets whose readers pay for requests and traffic. AWS bills them to the access key.',
  },
  {
    name: 'GROUNDWATCH_PLANETARY_COMPUTER',
    fallback: 'off',
    meaning: 'on: links into the blob storage of Azure are signed by the Planetary Computer.',
  },
  {
    name: 'GROUNDWATCH_PLANETARY_COMPUTER_KEY_FILE',
    fallback: '',
    meaning: 'File that holds the key of a subscription there. It is not needed.',
  },
  {
    name: 'GROUNDWATCH_EARTHDATA_TOKEN',
    fallback: '',
    meaning: "Token of NASA's Earthdata Login, for files at earthdatacloud.nasa.gov and earthdata.nasa.gov.",
  },
  {
    name: 'GROUNDWATCH_EARTHDATA_TOKEN_FILE',
    fallback: '',
    meaning:
      'File that holds that token, in place of GROUNDWATCH_EARTHDATA_TOKEN. It is read for each request.',
  },
  {
    name: 'GROUNDWATCH_COPERNICUS_USER',
    fallback: '',
    meaning: 'User of the Copernicus Data Space Ecosystem, for files at dataspace.copernicus.eu.',
  },
  {
    name: 'GROUNDWATCH_COPERNICUS_PASSWORD',
    fallback: '',
    meaning: 'Password of that user, without a second factor.',
  },
  {
    name: 'GROUNDWATCH_COPERNICUS_PASSWORD_FILE',
    fallback: '',
    meaning: 'File that holds that password, in place of GROUNDWATCH_COPERNICUS_PASSWORD.',
  },
  {
    name: 'GROUNDWATCH_FIRMS_KEY',
    fallback: '',
    meaning: 'Map key of NASA FIRMS, for `layers install firms`.',
  },
  {
    name: 'GROUNDWATCH_FIRMS_KEY_FILE',
    fallback: '',
    meaning: 'File that holds that key, in place of GROUNDWATCH_FIRMS_KEY.',
  },
  {
    name: 'GROUNDWATCH_EGMS_TOKEN',
    fallback: '',
    meaning:
      'Token of the European Ground Motion Service, for `layers install egms`. It is the `id` in the download links of a search at https://egms.land.copernicus.eu/.',
  },
  {
    name: 'GROUNDWATCH_EGMS_TOKEN_FILE',
    fallback: '',
    meaning: 'File that holds that token, in place of GROUNDWATCH_EGMS_TOKEN.',
  },
  {
    name: 'GROUNDWATCH_CA_FILE',
    fallback: '',
    meaning: 'PEM file of certificate authorities to trust in addition to the usual ones.',
  },
  {
    name: 'GROUNDWATCH_SECRET_KEY',
    fallback: '',
    meaning:
      'Base64 of 32 bytes that encrypt secrets at rest; after a comma, older keys that can still decrypt them. Default: a key is created once in the data folder.',
  },
  {
    name: 'GROUNDWATCH_KMS_URL',
    fallback: '',
    meaning:
      'Key service that keeps the key that encrypts secrets at rest, in place of a file: vault://HOST:PORT/TRANSIT_MOUNT/KEY, with ?namespace= where there are any, or awskms://REGION/KEY with the id, alias or ARN of the key, with ?endpoint= for an address of your own.',
  },
  {
    name: 'GROUNDWATCH_KMS_TOKEN',
    fallback: '',
    meaning: 'Token for Vault, with the right to encrypt and decrypt with the key.',
  },
  {
    name: 'GROUNDWATCH_KMS_TOKEN_FILE',
    fallback: '',
    meaning: 'File that holds that token, in place of GROUNDWATCH_KMS_TOKEN. It is read for each request.',
  },
  {
    name: 'AWS_ACCESS_KEY_ID',
    fallback: '',
    meaning:
      'Access key for AWS KMS, with the rights kms:Encrypt and kms:Decrypt, and for the buckets of GROUNDWATCH_S3_SIGNED and GROUNDWATCH_S3_REQUESTER_PAYS, with the right s3:GetObject, and for the bucket of GROUNDWATCH_OBJECTS, with the rights s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket.',
  },
  { name: 'AWS_SECRET_ACCESS_KEY', fallback: '', meaning: 'Secret of AWS_ACCESS_KEY_ID.' },
  { name: 'AWS_SESSION_TOKEN', fallback: '', meaning: 'Session token, if the access key is temporary.' },
  {
    name: 'GROUNDWATCH_SANDBOX',
    fallback: 'on',
    meaning:
      'on: the first start creates a simulated region for the sandbox environment. off: no region is created, and the clock of an existing one stops.',
  },
  {
    name: 'GROUNDWATCH_SANDBOX_PACE',
    fallback: '60',
    meaning:
      'Simulated days per hour that the sandbox clock advances while one of its credentials is in use; 0: only POST /v1/sandbox/advance moves it.',
  },
  ...ACCOUNT_NAMES.map((name) => ({
    name: accountSetting(name),
    fallback: String(ACCOUNT_LIMITS[name]),
    meaning: ACCOUNT_MEANINGS[name],
  })),
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: '',
    meaning:
      'Receiver of traces by OTLP over HTTP, such as http://127.0.0.1:4318; see [traces](operations.md#traces). Default: no traces are made.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    fallback: '',
    meaning: 'Whole address for traces, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    fallback: '',
    meaning: 'Headers for that receiver, as NAME=VALUE,NAME=VALUE with percent-encoded values.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    fallback: 'http/protobuf',
    meaning: 'http/protobuf or http/json.',
  },
  { name: 'OTEL_SERVICE_NAME', fallback: 'groundwatch', meaning: 'Name of this service in traces.' },
  {
    name: 'OTEL_TRACES_SAMPLER',
    fallback: 'parentbased_always_on',
    meaning:
      'Which traces are made: always_on, always_off or traceidratio; with parentbased_ before it, a caller with a traceparent decides for its calls.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    meaning: 'Share of the traces that traceidratio makes, from 0 to 1.',
  },
  {
    name: 'GROUNDWATCH_LOG_LEVEL',
    fallback: 'info',
    meaning: 'silent, fatal, error, warn, info, debug or trace.',
  },
];

/** A secret, or the file that holds it. */
type Secret = { readonly text: string } | { readonly file: string };

/** Access key of AWS. */
interface AwsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** Access to catalogues and stores that do not give their files to everybody. */
interface SourceAccess {
  readonly s3:
    | {
        readonly buckets: readonly {
          readonly bucket: string;
          readonly host: string | undefined;
          readonly paysRequests: boolean;
        }[];
        readonly credentials: AwsKey;
      }
    | undefined;
  readonly planetaryComputer: { readonly key: Secret | undefined } | undefined;
  readonly earthdata: Secret | undefined;
  readonly copernicus: { readonly user: string; readonly password: Secret } | undefined;
}

/** A key of the transit engine of HashiCorp Vault. */
interface VaultSettings {
  readonly kind: 'vault';
  readonly address: string;
  /** Path of the engine. */
  readonly mount: string;
  readonly key: string;
  readonly namespace: string | undefined;
  readonly token: { readonly text: string } | { readonly file: string };
}

/** A key of AWS KMS. */
interface AwsKmsSettings {
  readonly kind: 'aws';
  readonly address: string;
  readonly region: string;
  readonly key: string;
  readonly credentials: AwsKey;
}

/** A base map of another host. */
export interface BaseMap {
  /** Raster tiles at an address with `{z}`, `{x}` and `{y}`, or a MapLibre style. */
  readonly kind: 'tiles' | 'style';
  readonly url: string;
  readonly origin: string;
  readonly attribution: string;
}

/** The mail server, and who the mails are from. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the start, after STARTTLS, or not at all. */
  readonly tls: 'implicit' | 'starttls' | 'off';
  readonly login:
    | { readonly user: string; readonly password: { readonly text: string } | { readonly file: string } }
    | undefined;
  readonly from: { readonly name: string; readonly address: string };
}

/** A bucket for what would else be in the data folder. */
export interface ObjectsSettings {
  readonly endpoint: string;
  readonly bucket: string;
  /** Empty, or ends in a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: AwsKey;
  /** Size of the copies on this machine [bytes]. */
  readonly cacheBytes: number;
}

/** Where traces are sent, and which. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly serviceName: string;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of the traces for `traceidratio`. */
  readonly ratio: number;
}

export interface Config {
  readonly dataFolder: string;
  /** The bucket for cubes; undefined: they are in the data folder. */
  readonly objects: ObjectsSettings | undefined;
  /** Where cubes and layers are moved from, while they are. */
  readonly objectsFrom: 'folder' | ObjectsSettings | undefined;
  readonly host: string;
  readonly port: number;
  /** Port of the health and metrics of the workers; undefined: none. */
  readonly workerPort: number | undefined;
  readonly databaseUrl: string | undefined;
  /** A replica of that database for lists; undefined: none. */
  readonly replicaUrl: string | undefined;
  readonly tlsFiles: { readonly cert: string; readonly key: string } | undefined;
  /** Time for which a node goes on answering after SIGTERM [s]. */
  readonly drainS: number;
  readonly trustProxy: readonly string[];
  readonly baseUrl: string | undefined;
  readonly authUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Addresses of NATS, comma-separated; undefined: pg-boss delivers jobs. */
  readonly natsUrl: string | undefined;
  /** Bounds of background jobs, see `JobQueueOptions`; 0: none. */
  readonly jobs: { readonly perAccount: number; readonly backlog: number };
  /** The OpenID provider with which people sign in; undefined: none is set. */
  readonly openId:
    | {
        readonly issuer: string;
        readonly clientId: string;
        readonly secret: { readonly text: string } | { readonly file: string };
      }
    | undefined;
  /** The base map of the console; undefined: its own. */
  readonly baseMap: BaseMap | undefined;
  readonly corsOrigins: readonly string[];
  readonly webhookAllow: readonly string[];
  readonly webhookSchedule: string;
  /** The mail server; undefined: no mails are sent. */
  readonly smtp: SmtpSettings | undefined;
  readonly sourceAllow: readonly string[];
  readonly sourceAccess: SourceAccess;
  /** Map key of NASA FIRMS; undefined: none. */
  readonly firmsKey: Secret | undefined;
  /** Token of EGMS; undefined: none. */
  readonly egmsToken: Secret | undefined;
  readonly caFile: string | undefined;
  /**
   * Keys for secrets at rest. The first key encrypts, any of them may decrypt. If empty, the key file in the data
   * folder is used.
   */
  readonly secretKeys: readonly Buffer[];
  /** The key service that keeps the key for secrets at rest; undefined: none. */
  readonly keyService: VaultSettings | AwsKmsSettings | undefined;
  readonly sandbox: boolean;
  /** Simulated days per hour. At 0 only POST /v1/sandbox/advance moves the simulated clock. */
  readonly sandboxPace: number;
  /** What one account may use. */
  readonly accountLimits: AccountLimits;
  /** The receiver of traces; undefined: none are made. */
  readonly traces: TraceSettings | undefined;
  readonly logLevel: LogLevel;
}

/** An invalid setting. Startup stops with this message. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
  constructor(setting: string, expected: string, got: string) {
    super(`${setting}: expected ${expected}, got ${JSON.stringify(got)}`);
  }
}

/** Reads and checks the settings. @throws BadSetting naming the first invalid one */
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

  const portOf = (name: string, given: string): number => {
    if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535)
      throw new BadSetting(name, 'a port from 0 to 65535', given);
    return Number(given);
  };
  const port = portOf('GROUNDWATCH_PORT', text('GROUNDWATCH_PORT'));
  const workerPort = optional('GROUNDWATCH_WORKER_PORT');
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
    objects: objectsOf('GROUNDWATCH_OBJECTS', optional, text('GROUNDWATCH_OBJECTS_CACHE')),
    objectsFrom: objectsFromOf(optional, text('GROUNDWATCH_OBJECTS_CACHE')),
    host: text('GROUNDWATCH_HOST'),
    port,
    workerPort: workerPort === undefined ? undefined : portOf('GROUNDWATCH_WORKER_PORT', workerPort),
    databaseUrl: optional('DATABASE_URL'),
    replicaUrl: replicaOf(optional),
    tlsFiles: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    drainS: drainOf(text('GROUNDWATCH_DRAIN')),
    trustProxy: list('GROUNDWATCH_TRUST_PROXY'),
    baseUrl: httpsUrl('GROUNDWATCH_BASE_URL', optional('GROUNDWATCH_BASE_URL')),
    authUrl: httpsUrl('GROUNDWATCH_AUTH_URL', optional('GROUNDWATCH_AUTH_URL')),
    redisUrl: redisUrl(optional('REDIS_URL')),
    natsUrl: natsUrl(optional('NATS_URL')),
    jobs: {
      perAccount: wholeNumber('GROUNDWATCH_JOBS_PER_ACCOUNT', text('GROUNDWATCH_JOBS_PER_ACCOUNT')),
      backlog: wholeNumber('GROUNDWATCH_JOBS_BACKLOG', text('GROUNDWATCH_JOBS_BACKLOG')),
    },
    openId: openIdOf(optional),
    baseMap: baseMapOf(optional),
    corsOrigins: list('GROUNDWATCH_CORS_ORIGINS').map(origin),
    webhookAllow: list('GROUNDWATCH_WEBHOOK_ALLOW'),
    webhookSchedule: text('GROUNDWATCH_WEBHOOK_SCHEDULE'),
    smtp: smtpOf(optional),
    sourceAllow: list('GROUNDWATCH_SOURCE_ALLOW'),
    sourceAccess: sourceAccessOf(optional, list),
    firmsKey: secretOf(optional, 'GROUNDWATCH_FIRMS_KEY'),
    egmsToken: secretOf(optional, 'GROUNDWATCH_EGMS_TOKEN'),
    caFile: optional('GROUNDWATCH_CA_FILE'),
    secretKeys: list('GROUNDWATCH_SECRET_KEY').map(secretKey),
    keyService: keyServiceOf(optional),
    sandbox: onOrOff('GROUNDWATCH_SANDBOX', text('GROUNDWATCH_SANDBOX')),
    sandboxPace: pace('GROUNDWATCH_SANDBOX_PACE', text('GROUNDWATCH_SANDBOX_PACE')),
    accountLimits: Object.fromEntries(
      ACCOUNT_NAMES.map((name) => [name, wholeNumber(accountSetting(name), text(accountSetting(name)))]),
    ) as AccountLimits,
    traces: tracesOf(optional, text),
    logLevel,
  });
}

/** Variables of the system that a process needs which reads files of others. It gets no others, so no secrets. */
const SYSTEM_VARIABLES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'LANG',
  'LC_ALL',
  'SystemRoot',
  'windir',
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
];

/** The environment of a process that reads files of others. */
export function readingEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SYSTEM_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Settings that are paths. A relative one is relative to the folder in which the service was started. */
const PATHS = new Set([
  'GROUNDWATCH_DATA',
  'GROUNDWATCH_TLS_CERT',
  'GROUNDWATCH_TLS_KEY',
  'GROUNDWATCH_CA_FILE',
  'GROUNDWATCH_OIDC_CLIENT_SECRET_FILE',
  'GROUNDWATCH_KMS_TOKEN_FILE',
  'GROUNDWATCH_PLANETARY_COMPUTER_KEY_FILE',
  'GROUNDWATCH_EARTHDATA_TOKEN_FILE',
  'GROUNDWATCH_COPERNICUS_PASSWORD_FILE',
  'GROUNDWATCH_FIRMS_KEY_FILE',
  'GROUNDWATCH_EGMS_TOKEN_FILE',
  'GROUNDWATCH_SMTP_PASSWORD_FILE',
]);

/** The settings that an environment has, by name, with absolute paths. */
export function givenSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTINGS.flatMap(({ name }) => {
      const value = environment[name]?.trim();
      return value ? [[name, PATHS.has(name) ? resolve(value) : value]] : [];
    }),
  );
}

function wholeNumber(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new BadSetting(name, 'a whole number, or 0 for no limit', value);
  return Number(value);
}

function drainOf(value: string): number {
  const seconds = Number(value);
  if (!/^\d{1,3}(\.\d)?$/.test(value) || seconds > MOST_DRAIN_S)
    throw new BadSetting('GROUNDWATCH_DRAIN', `0 to ${MOST_DRAIN_S} seconds`, value);
  return seconds;
}

/** Reads a size in gigabytes, down to a megabyte. @returns bytes */
function gigabytes(name: string, value: string): number {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(value))
    throw new BadSetting(name, 'gigabytes with at most three decimals, such as 20 or 0.05', value);
  return Math.round(Number(value) * 1e9);
}

function onOrOff(name: string, value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new BadSetting(name, 'on or off', value);
  return value === 'on';
}

const MOST_DRAIN_S = 300;
const MOST_PACE = 3600; // maximum pace of the sandbox [simulated days per hour]: one day per second

function pace(name: string, value: string): number {
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(value) || Number(value) > MOST_PACE)
    throw new BadSetting(name, `simulated days an hour, from 0 to ${MOST_PACE}`, value);
  return Number(value);
}

function httpsUrl(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  // Paths are appended to this address, and an issuer has no query or fragment (RFC 8414 section 2).
  if (url?.protocol !== 'https:' || /[?#@\s]/.test(value))
    throw new BadSetting(name, 'an https address such as https://risk.example.com', value);
  return value.replace(/\/+$/, '');
}

/** Reads the OpenID provider. @throws BadSetting for a part of its settings without the others */
function openIdOf(optional: (name: string) => string | undefined): Config['openId'] {
  const name = (part: string): string => `GROUNDWATCH_OIDC_${part}`;
  const issuer = optional(name('ISSUER'));
  const clientId = optional(name('CLIENT_ID'));
  const text = optional(name('CLIENT_SECRET'));
  const file = optional(name('CLIENT_SECRET_FILE'));
  if (issuer === undefined && clientId === undefined && text === undefined && file === undefined)
    return undefined;
  const together = 'a value, because another setting of the OpenID provider is set';
  if (issuer === undefined) throw new BadSetting(name('ISSUER'), together, '');
  if (URL.parse(issuer)?.protocol !== 'https:' || /[?#@\s]/.test(issuer))
    throw new BadSetting(name('ISSUER'), 'an https address such as https://login.example.com', issuer);
  if (clientId === undefined) throw new BadSetting(name('CLIENT_ID'), together, '');
  if (text !== undefined && file !== undefined)
    throw new BadSetting(name('CLIENT_SECRET_FILE'), 'none beside GROUNDWATCH_OIDC_CLIENT_SECRET', file);
  if (text !== undefined) return { issuer, clientId, secret: { text } };
  if (file !== undefined) return { issuer, clientId, secret: { file } };
  throw new BadSetting(name('CLIENT_SECRET'), `${together}; or GROUNDWATCH_OIDC_CLIENT_SECRET_FILE`, '');
}

const SMTP = 'GROUNDWATCH_SMTP_URL';
const FROM = 'GROUNDWATCH_SMTP_FROM';
/** Default ports of submission (RFC 6409, RFC 8314). */
const SMTP_PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Reads the mail server. @throws BadSetting; no message repeats the address, which may contain a password */
function smtpOf(optional: (name: string) => string | undefined): SmtpSettings | undefined {
  const [value, file, sender] = [SMTP, 'GROUNDWATCH_SMTP_PASSWORD_FILE', FROM].map(optional);
  if (value === undefined) {
    if (file !== undefined || sender !== undefined)
      throw new BadSetting(SMTP, 'a value, because another setting of the mail server is set', '');
    return undefined;
  }
  const url = URL.parse(value);
  const form = 'an address such as smtp://user:password@mail.example.com:587';
  if (url === null || !(url.protocol in SMTP_PORTS) || url.hostname === '' || !/^\/?$/.test(url.pathname))
    throw new BadSetting(SMTP, form, 'something else');
  const protocol = url.protocol as keyof typeof SMTP_PORTS;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLoopback = host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
  const asked = url.searchParams.get('tls') ?? (isLoopback ? 'off' : 'starttls');
  if (
    (asked !== 'off' && asked !== 'starttls') ||
    url.searchParams.size > (url.searchParams.has('tls') ? 1 : 0)
  )
    throw new BadSetting(SMTP, 'no parameters but tls=off or tls=starttls', 'others');
  const tls = protocol === 'smtps:' ? 'implicit' : asked;
  const [user, text] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  if (text !== '' && file !== undefined)
    throw new BadSetting('GROUNDWATCH_SMTP_PASSWORD_FILE', `none beside a password in ${SMTP}`, file);
  if ((user === '') !== (text === '' && file === undefined))
    throw new BadSetting(SMTP, 'a user with a password, or neither', 'one of them');
  if (user !== '' && tls === 'off' && !isLoopback)
    throw new BadSetting(SMTP, 'TLS, because there is a password', 'tls=off');
  return {
    host,
    port: url.port === '' ? SMTP_PORTS[protocol] : Number(url.port),
    tls,
    login: user === '' ? undefined : { user, password: file === undefined ? { text } : { file } },
    from: senderOf(sender),
  };
}

function senderOf(value: string | undefined): SmtpSettings['from'] {
  const [, named, inBrackets, alone] =
    /^(?:([^<>"\p{C}]*?)\s*<([^\s<>@"\p{C}]+@[^\s<>@"\p{C}]+)>|([^\s<>@"\p{C}]+@[^\s<>@"\p{C}]+))$/u.exec(
      value ?? '',
    ) ?? [];
  const address = inBrackets ?? alone;
  if (address === undefined)
    throw new BadSetting(FROM, 'an address such as Groundwatch <alerts@example.com>', value ?? '');
  return { name: named || 'Groundwatch', address };
}

const KMS = 'GROUNDWATCH_KMS_URL';

/** Reads the key service. @throws BadSetting for an address that names none, or without what proves us to it */
function keyServiceOf(optional: (name: string) => string | undefined): Config['keyService'] {
  const value = optional(KMS);
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  const path =
    url?.pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent) ?? [];
  if (url?.username || url?.password || url?.hash)
    throw new BadSetting(KMS, 'an address without user, password and #', 'one with them');
  if (url?.protocol === 'vault:' && url.host !== '' && path.length >= 2) {
    const [text, file] = ['GROUNDWATCH_KMS_TOKEN', 'GROUNDWATCH_KMS_TOKEN_FILE'].map(optional);
    if ((text === undefined) === (file === undefined))
      throw new BadSetting(
        'GROUNDWATCH_KMS_TOKEN',
        'it or GROUNDWATCH_KMS_TOKEN_FILE',
        text === undefined ? '' : 'both',
      );
    return {
      kind: 'vault',
      address: `https://${url.host}`,
      mount: path.slice(0, -1).join('/'),
      key: path.at(-1)!,
      namespace: url.searchParams.get('namespace') ?? undefined,
      token: text === undefined ? { file: file! } : { text },
    };
  }
  if (url?.protocol === 'awskms:' && /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(url.host) && path.length >= 1) {
    const endpoint = url.searchParams.get('endpoint');
    if (endpoint !== null && URL.parse(endpoint)?.protocol !== 'https:')
      throw new BadSetting(KMS, 'an https address as its endpoint', endpoint);
    return {
      kind: 'aws',
      address: endpoint ?? `https://kms.${url.host}.amazonaws.com`,
      region: url.host,
      key: path.join('/'),
      credentials: awsKeyOf(optional, `${KMS} names AWS`),
    };
  }
  throw new BadSetting(KMS, 'vault://HOST:PORT/TRANSIT_MOUNT/KEY or awskms://REGION/KEY', value);
}

/** @param why text for the message: what needs the key. @throws BadSetting when a part of it is missing */
function awsKeyOf(optional: (name: string) => string | undefined, why: string): AwsKey {
  const needed = (name: string): string => {
    const given = optional(name);
    if (given === undefined) throw new BadSetting(name, `a value, because ${why}`, '');
    return given;
  };
  return {
    accessKeyId: needed('AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed('AWS_SECRET_ACCESS_KEY'),
    sessionToken: optional('AWS_SESSION_TOKEN'),
  };
}

/** Reads the bucket for cubes. @throws BadSetting */
function objectsOf(
  name: string,
  optional: (name: string) => string | undefined,
  cache: string,
): ObjectsSettings | undefined {
  const cacheBytes = gigabytes('GROUNDWATCH_OBJECTS_CACHE', cache);
  const given = optional(name);
  if (given === undefined) return undefined;
  const bad = (): never => {
    throw new BadSetting(
      name,
      's3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION, the query optional',
      given,
    );
  };
  const url = URL.parse(given) ?? bad();
  const query = new Map(url.searchParams);
  const region = query.get('region') ?? 'us-east-1';
  const endpoint = URL.parse(query.get('endpoint') ?? `https://s3.${region}.amazonaws.com`);
  const isBucket = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host) && url.username === '';
  const isPrefix = /^[\w./-]*$/.test(url.pathname) && !url.pathname.includes('//');
  const isPlain = endpoint?.pathname === '/' && endpoint.search === '' && endpoint.username === '';
  const isKnown = [...query.keys()].every((key) => key === 'endpoint' || key === 'region');
  const isWeb = endpoint?.protocol === 'https:' || endpoint?.protocol === 'http:';
  if (url.protocol !== 's3:' || url.hash !== '' || !/^[a-z0-9-]+$/.test(region)) return bad();
  if (!isBucket || !isPrefix || !isPlain || !isKnown || !isWeb || endpoint === null) return bad();
  const prefix = url.pathname.replace(/^\/|\/$/g, '');
  return {
    endpoint: endpoint.origin,
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    credentials: awsKeyOf(optional, `${name} is used with it`),
    cacheBytes,
  };
}

/** Reads where cubes and layers are moved from. @throws BadSetting */
function objectsFromOf(optional: (name: string) => string | undefined, cache: string): Config['objectsFrom'] {
  const [name, given, to] = [
    'GROUNDWATCH_OBJECTS_FROM',
    optional('GROUNDWATCH_OBJECTS_FROM'),
    optional('GROUNDWATCH_OBJECTS'),
  ];
  if (given === undefined) return undefined;
  if (given !== 'folder') {
    if (to !== undefined) throw new BadSetting(name, 'folder beside GROUNDWATCH_OBJECTS', given);
    return objectsOf(name, optional, cache);
  }
  if (to === undefined) throw new BadSetting('GROUNDWATCH_OBJECTS', `a bucket, since ${name} is folder`, '');
  return given;
}

/** Reads a secret from a setting, or the setting that names its file. @throws BadSetting when both are given */
function secretOf(optional: (name: string) => string | undefined, name: string): Secret | undefined {
  const [text, file] = [optional(name), optional(`${name}_FILE`)];
  if (text !== undefined && file !== undefined)
    throw new BadSetting(`${name}_FILE`, `none beside ${name}`, file);
  return text === undefined ? (file === undefined ? undefined : { file }) : { text };
}

/** Reads the access to catalogues and stores. @throws BadSetting */
function sourceAccessOf(
  optional: (name: string) => string | undefined,
  list: (name: string) => readonly string[],
): SourceAccess {
  const buckets = (['GROUNDWATCH_S3_SIGNED', 'GROUNDWATCH_S3_REQUESTER_PAYS'] as const).flatMap((name) =>
    list(name).map((entry) => {
      const [, bucket, host] = /^([a-z0-9][a-z0-9._-]+)(?:@([a-z0-9][a-z0-9.-]*))?$/i.exec(entry) ?? [];
      if (bucket === undefined)
        throw new BadSetting(name, 'buckets such as my-scenes or eodata@s3.example.com', entry);
      return { bucket, host, paysRequests: name === 'GROUNDWATCH_S3_REQUESTER_PAYS' };
    }),
  );
  const secret = (name: string): Secret | undefined => secretOf(optional, name);
  const key = optional('GROUNDWATCH_PLANETARY_COMPUTER_KEY_FILE');
  const user = optional('GROUNDWATCH_COPERNICUS_USER');
  const password = secret('GROUNDWATCH_COPERNICUS_PASSWORD');
  if ((user === undefined) !== (password === undefined))
    throw new BadSetting(
      `GROUNDWATCH_COPERNICUS_${user === undefined ? 'USER' : 'PASSWORD'}`,
      'a user with a password, or neither',
      '',
    );
  return {
    s3:
      buckets.length === 0
        ? undefined
        : { buckets, credentials: awsKeyOf(optional, 'buckets are read with it') },
    planetaryComputer: onOrOff(
      'GROUNDWATCH_PLANETARY_COMPUTER',
      optional('GROUNDWATCH_PLANETARY_COMPUTER') ?? 'off',
    )
      ? { key: key === undefined ? undefined : { file: key } }
      : undefined,
    earthdata: secret('GROUNDWATCH_EARTHDATA_TOKEN'),
    copernicus: user !== undefined && password !== undefined ? { user, password } : undefined,
  };
}

function redisUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  // The address may contain a password, so the message does not repeat it.
  if (!URL.canParse(value) || !/^rediss?:$/.test(new URL(value).protocol))
    throw new BadSetting('REDIS_URL', 'an address such as redis://cache.example.com:6379', 'something else');
  return value;
}

/** Reads the replica. The address may hold a password, so the message does not repeat it. */
function replicaOf(optional: (name: string) => string | undefined): string | undefined {
  const name = 'GROUNDWATCH_DATABASE_REPLICA_URL';
  const value = optional(name);
  if (value === undefined) return undefined;
  if (optional('DATABASE_URL') === undefined)
    throw new BadSetting(name, 'DATABASE_URL beside it', 'no DATABASE_URL');
  if (!/^postgres(?:ql)?:\/\//.test(value))
    throw new BadSetting(name, 'an address such as postgres://user:password@host/database', 'something else');
  return value;
}

function natsUrl(value: string | undefined): string | undefined {
  const urls = value?.split(',').map((server) => URL.parse(server.trim())) ?? [];
  // The addresses may contain passwords, so the message does not repeat them.
  if (urls.some((url) => url === null || !/^(?:nats|tls):$/.test(url.protocol) || url.hostname === ''))
    throw new BadSetting('NATS_URL', 'addresses such as nats://queue.example.com:4222', 'something else');
  return value;
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Reads where traces are sent. @throws BadSetting for a bad address, header, protocol, sampler or share */
function tracesOf(
  optional: (name: string) => string | undefined,
  text: (name: string) => string,
): TraceSettings | undefined {
  const whole = optional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const given = whole ?? optional('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (given === undefined) return undefined;
  const url = URL.parse(given);
  // The address may hold a password, so the message does not repeat it.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BadSetting(
      whole === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      'an address such as http://127.0.0.1:4318',
      'something else',
    );
  const protocol = text('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw new BadSetting('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf or http/json', protocol);
  const sampler = SAMPLERS.find((name) => name === text('OTEL_TRACES_SAMPLER'));
  if (sampler === undefined)
    throw new BadSetting('OTEL_TRACES_SAMPLER', `one of ${SAMPLERS.join(', ')}`, text('OTEL_TRACES_SAMPLER'));
  const ratio = text('OTEL_TRACES_SAMPLER_ARG');
  if (!/^(?:0?\.\d+|[01](?:\.0*)?)$/.test(ratio))
    throw new BadSetting('OTEL_TRACES_SAMPLER_ARG', 'a share from 0 to 1', ratio);
  return {
    url: whole ?? `${given.replace(/\/+$/, '')}/v1/traces`,
    headers: traceHeaders(optional('OTEL_EXPORTER_OTLP_HEADERS') ?? ''),
    protocol,
    serviceName: text('OTEL_SERVICE_NAME'),
    sampler,
    ratio: Number(ratio),
  };
}

/** Reads headers as OpenTelemetry writes them. The message does not repeat them, since they are often secrets. */
function traceHeaders(value: string): Readonly<Record<string, string>> {
  const bad = (): BadSetting =>
    new BadSetting('OTEL_EXPORTER_OTLP_HEADERS', 'NAME=VALUE, comma-separated', 'something else');
  return Object.fromEntries(
    value
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const [, name, text] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
        if (name === undefined || text === undefined) throw bad();
        try {
          return [name, decodeURIComponent(text)];
        } catch {
          throw bad();
        }
      }),
  );
}

/** Reads the base map. @throws BadSetting for an address that a browser may not load, or with unknown placeholders */
function baseMapOf(optional: (name: string) => string | undefined): BaseMap | undefined {
  const name = 'GROUNDWATCH_BASE_MAP';
  const value = optional(name);
  const attribution = optional('GROUNDWATCH_BASE_MAP_ATTRIBUTION') ?? '';
  if (value === undefined) return undefined;
  const address = value
    .replaceAll(/\{TileMatrix\}/gi, '{z}')
    .replaceAll(/\{TileRow\}/gi, '{y}')
    .replaceAll(/\{TileCol\}/gi, '{x}');
  const url = URL.parse(address);
  const places = (address.match(/\{[^}]*\}/g) ?? []).toSorted().join('');
  const isOpen = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (
    url === null ||
    !isOpen ||
    url.username !== '' ||
    /\s/.test(value) ||
    !['', '{x}{y}{z}'].includes(places)
  )
    throw new BadSetting(
      name,
      'an https address of a style, or of tiles with {z}, {x} and {y} or {TileMatrix}, {TileRow} and {TileCol}',
      value,
    );
  return { kind: places === '' ? 'style' : 'tiles', url: address, origin: url.origin, attribution };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '[::1]';
}

function origin(value: string): string {
  // The origin of a call is compared with each of these as it stands, so a wildcard would match none.
  if (!URL.canParse(value) || new URL(value).origin !== value || value.includes('*'))
    throw new BadSetting('GROUNDWATCH_CORS_ORIGINS', 'origins such as https://app.example.com', value);
  return value;
}

function secretKey(value: string): Buffer {
  const bytes = Buffer.from(value, 'base64');
  // The message must not contain the key.
  if (bytes.length !== 32)
    throw new BadSetting('GROUNDWATCH_SECRET_KEY', 'base64 of 32 bytes', `${bytes.length} bytes`);
  return bytes;
}
