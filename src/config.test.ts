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
    ['GROUNDWATCH_CORS_ORIGINS', 'example.com/path'],
    ['GROUNDWATCH_SECRET_KEY', 'c2hvcnQ='],
    ['GROUNDWATCH_SECRET_KEY', `${Buffer.alloc(32).toString('base64')},c2hvcnQ=`],
    ['GROUNDWATCH_AUTH_URL', 'http://auth.example.com'],
    ['REDIS_URL', 'https://cache.example.com'],
    ['GROUNDWATCH_SANDBOX', 'yes'],
    ['GROUNDWATCH_SANDBOX_PACE', '-1'],
    ['GROUNDWATCH_SANDBOX_PACE', '3601'],
    ['GROUNDWATCH_ACCOUNT_UNITS', '-1'],
    ['GROUNDWATCH_ACCOUNT_STREAMS', 'many'],
  ] as const)
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^BadSetting: ${name}: expected`), value);
  assert.throws(() => readConfig({ GROUNDWATCH_TLS_CERT: 'a.pem' }), /GROUNDWATCH_TLS_KEY/);
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

test('a message never repeats a secret', () => {
  assert.throws(
    () => readConfig({ GROUNDWATCH_SECRET_KEY: 'aHVudGVyMg==' }),
    (error: Error) => !error.message.includes('aHVudGVyMg'),
  );
  assert.throws(
    () => readConfig({ REDIS_URL: 'http://:hunter2@cache.example.com' }),
    (error: Error) => !error.message.includes('hunter2'),
  );
});
