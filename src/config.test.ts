// Long file: the tests of all settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

test('no setting at all gives the documented defaults', () => {
  const config = readConfig({});
  assert.equal(config.port, 8443);
  assert.equal(config.workerPort, undefined);
  assert.equal(config.host, '127.0.0.1');
  assert.match(config.dataFolder, /data-local$/);
  assert.equal(config.databaseUrl, undefined);
});

test('a bad value stops the start and names itself', () => {
  for (const [name, value] of [
    ['GROUNDWATCH_PORT', '70000'],
    ['GROUNDWATCH_PORT', 'https'],
    ['GROUNDWATCH_WORKER_PORT', '65536'],
    ['GROUNDWATCH_LOG_LEVEL', 'loud'],
    ['GROUNDWATCH_BASE_URL', 'http://plain.example.com'],
    ['GROUNDWATCH_BASE_URL', 'https://risk.example.com/?at=home'],
    ['GROUNDWATCH_BASE_URL', 'https://user@risk.example.com'],
    ['GROUNDWATCH_BASE_MAP', 'http://tiles.example.com/{z}/{x}/{y}.png'],
    ['GROUNDWATCH_BASE_MAP', 'https://{s}.tiles.example.com/{z}/{x}/{y}.png'],
    ['GROUNDWATCH_BASE_MAP', 'https://tiles.example.com/{z}/{x}.png'],
    ['GROUNDWATCH_BASE_MAP', 'tiles.example.com'],
    ['GROUNDWATCH_CORS_ORIGINS', 'example.com/path'],
    ['GROUNDWATCH_CORS_ORIGINS', 'https://*.example.com'],
    ['GROUNDWATCH_SECRET_KEY', 'c2hvcnQ='],
    ['GROUNDWATCH_SECRET_KEY', `${Buffer.alloc(32).toString('base64')},c2hvcnQ=`],
    ['GROUNDWATCH_AUTH_URL', 'http://auth.example.com'],
    ['REDIS_URL', 'https://cache.example.com'],
    ['NATS_URL', 'http://queue.example.com:4222'],
    ['NATS_URL', 'nats://a.example.com,b'],
    ['GROUNDWATCH_JOBS_PER_ACCOUNT', '-1'],
    ['GROUNDWATCH_JOBS_BACKLOG', 'many'],
    ['GROUNDWATCH_SANDBOX', 'yes'],
    ['GROUNDWATCH_SANDBOX_PACE', '-1'],
    ['GROUNDWATCH_SANDBOX_PACE', '3601'],
    ['GROUNDWATCH_S3_SIGNED', 'good,s3://bad'],
    ['GROUNDWATCH_PLANETARY_COMPUTER', 'yes'],
    ['GROUNDWATCH_ACCOUNT_UNITS', '-1'],
    ['GROUNDWATCH_DRAIN', '301'],
    ['GROUNDWATCH_DRAIN', '5 s'],
    ['GROUNDWATCH_ACCOUNT_STREAMS', 'many'],
  ] as const)
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^BadSetting: ${name}: expected`), value);
  assert.throws(() => readConfig({ GROUNDWATCH_TLS_CERT: 'a.pem' }), /GROUNDWATCH_TLS_KEY/);
});

test('a bucket for cubes has an address, and needs a key', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const objectsOf = (value: string) => readConfig({ ...keys, GROUNDWATCH_OBJECTS: value }).objects;
  assert.equal(readConfig({}).objects, undefined);
  assert.deepEqual(objectsOf('s3://scenes/a/b?endpoint=http://127.0.0.1:7070&region=eu'), {
    endpoint: 'http://127.0.0.1:7070',
    bucket: 'scenes',
    prefix: 'a/b/',
    region: 'eu',
    credentials: {
      accessKeyId: 'a',
      secretAccessKey: 'b',
      sessionToken: undefined,
    },
    cacheBytes: 20e9,
  });
  assert.equal(objectsOf('s3://scenes')?.endpoint, 'https://s3.us-east-1.amazonaws.com');
  const cacheOf = (value: string) =>
    readConfig({ ...keys, GROUNDWATCH_OBJECTS: 's3://scenes', GROUNDWATCH_OBJECTS_CACHE: value }).objects
      ?.cacheBytes;
  assert.equal(cacheOf('0.03'), 30e6);
  assert.throws(() => cacheOf('30 MB'), /^BadSetting: GROUNDWATCH_OBJECTS_CACHE: expected gigabytes/);
  assert.throws(() => readConfig({ GROUNDWATCH_OBJECTS: 's3://scenes' }), /AWS_ACCESS_KEY_ID/);
  for (const bad of [
    'https://scenes',
    's3://UP',
    's3://scenes/a//b',
    's3://scenes?endpoint=ftp://x',
    's3://scenes?endpoint=https://x/y',
    's3://scenes?acl=open',
  ])
    assert.throws(() => objectsOf(bad), /^BadSetting: GROUNDWATCH_OBJECTS: expected s3:/, bad);
});

test('objects are moved from a folder to the bucket, or from a bucket', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const from = (value: string, to?: string) =>
    readConfig({ ...keys, GROUNDWATCH_OBJECTS_FROM: value, ...(to && { GROUNDWATCH_OBJECTS: to }) })
      .objectsFrom;
  assert.equal(readConfig(keys).objectsFrom, undefined);
  assert.equal(from('folder', 's3://scenes'), 'folder');
  assert.throws(() => from('folder'), /^BadSetting: GROUNDWATCH_OBJECTS: expected a bucket/);
  const bucket = from('s3://scenes/old');
  assert.equal(typeof bucket === 'object' && bucket.prefix, 'old/');
  assert.throws(
    () => from('s3://scenes', 's3://others'),
    /^BadSetting: GROUNDWATCH_OBJECTS_FROM: expected folder/,
  );
  assert.throws(() => from('elsewhere'), /^BadSetting: GROUNDWATCH_OBJECTS_FROM: expected s3:/);
});

test('a base map is tiles or a style, whatever the placeholders are called', () => {
  const baseMapOf = (url: string) => readConfig({ GROUNDWATCH_BASE_MAP: url }).baseMap;
  const origin = 'https://maps.example.com';
  assert.equal(readConfig({}).baseMap, undefined);
  assert.deepEqual(baseMapOf(`${origin}/{z}/{x}/{y}.png?key=1`), {
    kind: 'tiles',
    url: `${origin}/{z}/{x}/{y}.png?key=1`,
    origin,
    attribution: '',
  });
  assert.equal(
    baseMapOf(`${origin}/wmts/ortho/{TileMatrix}/{TileRow}/{TileCol}.jpeg`)?.url,
    `${origin}/wmts/ortho/{z}/{y}/{x}.jpeg`,
  );
  assert.equal(baseMapOf(`${origin}/styles/light.json`)?.kind, 'style');
  assert.equal(baseMapOf('http://localhost:8080/style.json')?.origin, 'http://localhost:8080');
});

test('access to sources is read from the settings, and half of it stops the start', () => {
  assert.deepEqual(readConfig({}).sourceAccess, {
    s3: undefined,
    planetaryComputer: undefined,
    earthdata: undefined,
    copernicus: undefined,
  });
  const whole = {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    GROUNDWATCH_S3_SIGNED: 'mine, eodata@s3.example.com',
    GROUNDWATCH_S3_REQUESTER_PAYS: 'usgs-landsat',
    GROUNDWATCH_PLANETARY_COMPUTER: 'on',
    GROUNDWATCH_EARTHDATA_TOKEN_FILE: '/run/edl',
    GROUNDWATCH_COPERNICUS_USER: 'u',
    GROUNDWATCH_COPERNICUS_PASSWORD: 'p',
  };
  assert.deepEqual(readConfig(whole).sourceAccess, {
    s3: {
      buckets: [
        { bucket: 'mine', host: undefined, paysRequests: false },
        { bucket: 'eodata', host: 's3.example.com', paysRequests: false },
        { bucket: 'usgs-landsat', host: undefined, paysRequests: true },
      ],
      credentials: {
        accessKeyId: 'id',
        secretAccessKey: 'secret',
        sessionToken: undefined,
      },
    },
    planetaryComputer: { key: undefined },
    earthdata: { file: '/run/edl' },
    copernicus: { user: 'u', password: { text: 'p' } },
  });
  for (const missing of [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'GROUNDWATCH_COPERNICUS_USER',
    'GROUNDWATCH_COPERNICUS_PASSWORD',
  ])
    assert.throws(
      () => readConfig({ ...whole, [missing]: '' }),
      new RegExp(`^BadSetting: ${missing}: expected`),
    );
  assert.throws(
    () => readConfig({ ...whole, GROUNDWATCH_EARTHDATA_TOKEN: 't' }),
    /GROUNDWATCH_EARTHDATA_TOKEN_FILE: expected none/,
  );
});

test('half a configuration of the OpenID provider stops the start and names what is missing', () => {
  const whole = {
    GROUNDWATCH_OIDC_ISSUER: 'https://login.example.com/realms/a/',
    GROUNDWATCH_OIDC_CLIENT_ID: 'groundwatch',
    GROUNDWATCH_OIDC_CLIENT_SECRET: 'hunter2',
  };
  assert.deepEqual(readConfig(whole).openId, {
    issuer: 'https://login.example.com/realms/a/',
    clientId: 'groundwatch',
    secret: { text: 'hunter2' },
  });
  for (const missing of Object.keys(whole))
    assert.throws(
      () => readConfig({ ...whole, [missing]: '' }),
      new RegExp(`^BadSetting: ${missing}: expected`),
    );
  const file = { GROUNDWATCH_OIDC_CLIENT_SECRET_FILE: '/run/secret' };
  assert.throws(() => readConfig(file), /GROUNDWATCH_OIDC_ISSUER/);
  assert.throws(
    () => readConfig({ ...whole, ...file }),
    /GROUNDWATCH_OIDC_CLIENT_SECRET_FILE: expected none/,
  );
  const secret = { file: '/run/secret' };
  const { GROUNDWATCH_OIDC_CLIENT_SECRET: _, ...others } = whole;
  assert.deepEqual(readConfig({ ...others, ...file }).openId?.secret, secret);
  for (const issuer of ['http://login.example.com', 'https://a@login.example.com', 'login.example.com'])
    assert.throws(
      () => readConfig({ ...whole, GROUNDWATCH_OIDC_ISSUER: issuer }),
      /^BadSetting: GROUNDWATCH_OIDC_ISSUER: expected an https address/,
    );
});

test('the mail server is read from its address, and a password needs TLS', () => {
  const from = {
    GROUNDWATCH_SMTP_FROM: 'Groundwatch alerts <alerts@example.com>',
  };
  const smtp = (url: string, over: Readonly<Record<string, string>> = {}) =>
    readConfig({ GROUNDWATCH_SMTP_URL: url, ...from, ...over }).smtp;
  assert.equal(readConfig({}).smtp, undefined);
  assert.deepEqual(smtp('smtp://gw%40example.com:p%3Aw@mail.example.com'), {
    host: 'mail.example.com',
    port: 587,
    tls: 'starttls',
    login: { user: 'gw@example.com', password: { text: 'p:w' } },
    from: { name: 'Groundwatch alerts', address: 'alerts@example.com' },
  });
  const file = { GROUNDWATCH_SMTP_PASSWORD_FILE: '/run/secret' };
  assert.deepEqual(smtp('smtps://gw@mail.example.com', file)?.login, {
    user: 'gw',
    password: { file: '/run/secret' },
  });
  assert.equal(smtp('smtps://mail.example.com')?.port, 465);
  assert.equal(smtp('smtp://127.0.0.1:2525')?.tls, 'off');
  assert.equal(smtp('smtp://relay.internal:25?tls=off')?.tls, 'off');
  assert.deepEqual(smtp('smtp://localhost', { GROUNDWATCH_SMTP_FROM: 'a@example.com' })?.from, {
    name: 'Groundwatch',
    address: 'a@example.com',
  });
  for (const url of [
    'mail.example.com',
    'https://mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://user@mail.example.com',
    'smtp://mail.example.com?tls=maybe',
    'smtp://mail.example.com?pool=1',
    'smtp://user:hunter2@mail.example.com?tls=off',
  ])
    assert.throws(
      () => smtp(url),
      (error: Error) =>
        error.message.startsWith('GROUNDWATCH_SMTP_URL: expected') && !error.message.includes('hunter2'),
      url,
    );
  assert.throws(
    () => smtp('smtp://u:p@mail.example.com', file),
    /GROUNDWATCH_SMTP_PASSWORD_FILE: expected none/,
  );
  assert.throws(() => readConfig(from), /GROUNDWATCH_SMTP_URL: expected a value/);
  for (const sender of ['', 'alerts', 'a@example.com\r\nBcc: b@example.com', '<a@b@c>'])
    assert.throws(
      () => smtp('smtp://mail.example.com', { GROUNDWATCH_SMTP_FROM: sender }),
      /GROUNDWATCH_SMTP_FROM: expected/,
      sender,
    );
});

test('traces are off until a receiver is named; its address, headers and sampler are read', () => {
  const of = (settings: Record<string, string>) => readConfig(settings).traces;
  assert.equal(of({ OTEL_SERVICE_NAME: 'a', OTEL_TRACES_SAMPLER: 'never' }), undefined);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };
  assert.deepEqual(of(endpoint), {
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: {},
    protocol: 'http/protobuf',
    serviceName: 'groundwatch',
    sampler: 'parentbased_always_on',
    ratio: 1,
  });
  const more = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/in',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-team = a=b',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '.25',
  };
  assert.deepEqual(of({ ...endpoint, ...more }), {
    url: 'https://traces.example.com/in',
    headers: { authorization: 'Basic YTpi', 'x-team': 'a=b' },
    protocol: 'http/json',
    serviceName: 'groundwatch',
    sampler: 'traceidratio',
    ratio: 0.25,
  });
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://user:hunter2@127.0.0.1'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hunter2%zz'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ] as const)
    assert.throws(
      () => of({ ...endpoint, [name]: value }),
      ({ message }: Error) => message.startsWith(`${name}: expected`) && !message.includes('hunter2'),
      name,
    );
});

test('a replica stands beside a database of your own', () => {
  const DATABASE_URL = 'postgres://a@db.example.com/g';
  const name = 'GROUNDWATCH_DATABASE_REPLICA_URL';
  const value = 'postgres://a:hunter2@copy.example.com/g';
  assert.equal(readConfig({}).replicaUrl, undefined);
  assert.equal(readConfig({ DATABASE_URL, [name]: value }).replicaUrl, value);
  assert.throws(() => readConfig({ [name]: value }), /REPLICA_URL: expected DATABASE_URL beside it/);
  assert.throws(
    () => readConfig({ DATABASE_URL, [name]: 'mysql://a:hunter2@b/c' }),
    ({ message }: Error) => message.startsWith(name) && !message.includes('hunter2'),
  );
});

test('a message never repeats a secret', () => {
  assert.throws(
    () => readConfig({ GROUNDWATCH_SECRET_KEY: 'aHVudGVyMg==' }),
    (error: Error) => !error.message.includes('aHVudGVyMg'),
  );
  for (const name of ['REDIS_URL', 'NATS_URL'])
    assert.throws(
      () => readConfig({ [name]: 'http://some:hunter2@cache.example.com' }),
      (error: Error) => !error.message.includes('hunter2'),
    );
});

test('a key service is a key of Vault or of AWS, with what proves us to it', () => {
  const vault = {
    GROUNDWATCH_KMS_URL: 'vault://vault.example.com:8200/secret/transit/groundwatch',
  };
  assert.deepEqual(readConfig({ ...vault, GROUNDWATCH_KMS_TOKEN: 'hvs.x' }).keyService, {
    kind: 'vault',
    address: 'https://vault.example.com:8200',
    mount: 'secret/transit',
    key: 'groundwatch',
    namespace: undefined,
    token: { text: 'hvs.x' },
  });
  const key = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd';
  const aws = {
    GROUNDWATCH_KMS_URL: `awskms://eu-central-1/${key}`,
    AWS_ACCESS_KEY_ID: 'A',
  };
  assert.deepEqual(readConfig({ ...aws, AWS_SECRET_ACCESS_KEY: 'S' }).keyService, {
    kind: 'aws',
    address: 'https://kms.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    key,
    credentials: {
      accessKeyId: 'A',
      secretAccessKey: 'S',
      sessionToken: undefined,
    },
  });
  assert.equal(readConfig({ AWS_ACCESS_KEY_ID: 'A' }).keyService, undefined);
  for (const [settings, why] of [
    [vault, /^BadSetting: GROUNDWATCH_KMS_TOKEN: expected it or/],
    [
      { ...vault, GROUNDWATCH_KMS_TOKEN: 'a', GROUNDWATCH_KMS_TOKEN_FILE: 'b' },
      /GROUNDWATCH_KMS_TOKEN: .*both/,
    ],
    [aws, /^BadSetting: AWS_SECRET_ACCESS_KEY: expected a value/],
    [
      { GROUNDWATCH_KMS_URL: 'https://vault.example.com/transit/x' },
      /^BadSetting: GROUNDWATCH_KMS_URL: expected vault/,
    ],
    [
      { GROUNDWATCH_KMS_URL: 'vault://vault.example.com/x' },
      /^BadSetting: GROUNDWATCH_KMS_URL: expected vault/,
    ],
    [{ GROUNDWATCH_KMS_URL: 'awskms://Europe/x' }, /^BadSetting: GROUNDWATCH_KMS_URL: expected vault/],
    [
      { GROUNDWATCH_KMS_URL: 'awskms://eu-central-1/x?endpoint=http://a' },
      /an https address as its endpoint/,
    ],
    [{ GROUNDWATCH_KMS_URL: 'vault://me:hunter2@vault.example.com/transit/x' }, /without user, password/],
  ] as const)
    assert.throws(
      () => readConfig(settings),
      (error) => why.test(String(error)) && !/hunter2/.test(String(error)),
    );
});
