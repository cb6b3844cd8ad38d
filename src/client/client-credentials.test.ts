import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientCredentials } from './client-credentials.ts';
import { GroundwatchError } from './error.ts';

/** Simulates a token endpoint that numbers its tokens and accepts only the newest refresh token. */
function endpoint() {
  let now = 0;
  let made = 0;
  let down = false;
  const asked: string[] = [];
  const token = clientCredentials({
    authUrl: 'https://auth.test/',
    clientId: 'cli_1',
    clientSecret: 's&cret',
    scopes: ['risk:read', 'aois:read'],
    now: () => now,
    fetch: async (input, init) => {
      if (down) throw new TypeError('unreachable');
      assert.equal(input, 'https://auth.test/oauth/token');
      const form = init!.body as URLSearchParams;
      asked.push(form.toString());
      if (form.get('client_secret') === null && form.get('refresh_token') !== `r${made}`)
        return Response.json({ error: 'invalid_grant', error_description: 'used' }, { status: 400 });
      made += 1;
      return Response.json({ access_token: `a${made}`, refresh_token: `r${made}`, expires_in: 3600 });
    },
  });
  return {
    token,
    asked,
    pass: (ms: number) => (now += ms),
    lose: () => (made += 1),
    break: () => (down = true),
  };
}

const FIRST =
  'grant_type=client_credentials&client_id=cli_1&client_secret=s%26cret&scope=risk%3Aread+aois%3Aread';
const REFRESH = 'grant_type=refresh_token&refresh_token=r1&client_id=cli_1';

test('concurrent calls share one token request, and the refresh token renews the token before it expires', async () => {
  const { token, asked, pass } = endpoint();
  assert.deepEqual(await Promise.all([token(), token(), token()]), ['a1', 'a1', 'a1']);
  pass(3_539_000);
  assert.equal(await token(), 'a1');
  pass(1000);
  assert.equal(await token(), 'a2');
  assert.deepEqual(asked, [FIRST, REFRESH]);
});

test('after a rejected access token or refresh token, the secret gets a new token', async () => {
  const { token, asked, pass, lose } = endpoint();
  await token();
  assert.equal(await token('a1'), 'a2');
  assert.deepEqual(asked, [FIRST, FIRST]);
  lose();
  pass(3_600_000);
  assert.equal(await token(), 'a4');
  assert.deepEqual(asked.slice(2), [REFRESH.replace('r1', 'r2'), FIRST]);
});

test('a token request without a response fails, and the next call requests again', async () => {
  const down = endpoint();
  down.break();
  for (let tries = 0; tries < 2; tries++)
    await assert.rejects(
      async () => down.token(),
      (error) => error instanceof GroundwatchError && error.code === 'connection_failed',
    );
});
