import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { hostAddress, pathBefore, tileAddresses } from './host-address.ts';

/** Connection of a server whose certificate is for localhost and one other name. */
const socket = Object.create(TLSSocket.prototype, {
  localPort: { value: 8443 },
  getCertificate: {
    value: () => ({
      subject: { CN: 'localhost' },
      subjectaltname: 'DNS:localhost, DNS:maps.example.org, IP Address:127.0.0.1',
    }),
  },
}) as unknown;

function request(host: string, over: { readonly header?: string; readonly publicUrl?: string } = {}) {
  return {
    protocol: 'https' as const,
    host,
    hostname: host.replace(/:\d+$/, ''),
    headers: { host: over.header ?? host },
    raw: { socket },
    server: { publicUrl: over.publicUrl },
    url: '/v1/tiles/areas?x=1',
  };
}

test('a host is believed if the certificate is for it', () => {
  for (const host of ['localhost:9000', 'maps.example.org', '127.0.0.1:8443'])
    assert.equal(hostAddress(request(host)), `https://${host}`);
  for (const host of ['evil.example', 'evil.example:443', '10.0.0.1', 'localhost:8443/evil', 'a b', ''])
    assert.equal(hostAddress(request(host)), 'https://localhost:8443', host);
  assert.deepEqual(tileAddresses(request('evil.example'), '?f=webp'), [
    'https://localhost:8443/v1/tiles/areas/{z}/{x}/{y}?f=webp',
  ]);
});

test('the host that a trusted proxy names is believed, and the address by setting before all', () => {
  const proxied = request('maps.example.com', { header: 'internal:8443' });
  assert.equal(hostAddress(proxied), 'https://maps.example.com');
  assert.equal(hostAddress(request('evil"><script>', { header: 'internal:8443' })), 'https://localhost:8443');
  const named = request('evil.example', { publicUrl: 'https://risk.example.org/' });
  assert.equal(hostAddress(named), 'https://risk.example.org');
});

test('the path of the address by setting is before those of headers', () => {
  const at = (publicUrl?: string) => pathBefore(request('a.example', publicUrl ? { publicUrl } : {}));
  assert.deepEqual(
    [
      undefined,
      'https://a.example',
      'https://a.example/',
      'https://a.example/risk/',
      'https://a.example/a/b',
    ].map(at),
    ['', '', '', '/risk', '/a/b'],
  );
});
