import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachProvider } from './reach-provider.ts';

const offline = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));

test('a provider without an address is told as a missing network, with the ways that need none', async () => {
  await assert.rejects(reachProvider('https://data.example/x/', false, offline), {
    name: 'Failed',
    message:
      /^data\.example has no address here \(ENOTFOUND\): there is no network.*--mirror.*groundwatch bundle/,
  });
  await assert.rejects(reachProvider('https://copy.example/', true, offline), /Give --mirror an address/);
});

test('a name server that does not answer is not waited for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = reachProvider('https://data.example/', false, () => new Promise(() => undefined));
  t.mock.timers.tick(5_000);
  await assert.rejects(waiting, /no name server answers within 5 s/);
});

test('hosts that have an address, folders and other addresses are left to the reader', async () => {
  await reachProvider('https://data.example/', false, async () => ({ address: '192.0.2.1' }));
  await reachProvider('https://[::1]:8443/', true);
  await reachProvider('/srv/copies', true, offline);
});
