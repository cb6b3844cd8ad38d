import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EmbeddedJWK, jwtVerify } from 'jose';
import { bundleLibrary } from '../../scripts/program/bundle.ts';
import type { SignedDelivery } from '../../src/client/index.ts';
import { newWebhookSecret, signatureHeaders } from '../../src/webhooks/signature.ts';
import { browserIsInstalled, openPage } from '../fixtures/browser.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Serves an empty page and the modules in a folder, at an address that browsers treat as a secure context. */
async function serve(folder: string) {
  const server = createServer((request, response) => {
    if (request.url === '/')
      response
        .setHeader('content-type', 'text/html')
        .end('<title>receiver</title><link rel="icon" href="data:,">');
    else
      readFile(join(folder, request.url!)).then(
        (module) => response.setHeader('content-type', 'text/javascript').end(module),
        () => response.writeHead(404).end(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const skip = browserIsInstalled ? false : 'needs Debian’s chromium (apt-get install chromium)';

test(
  'in a browser the built client takes a signed delivery and openssl’s vector, refuses what was tampered with, and signs proofs',
  { skip },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-client-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await bundleLibrary(ROOT, folder);
    const { server, url } = await serve(folder);
    t.after(() => server.close());
    const page = await openPage(url, { width: 400, height: 400 });
    t.after(() => page.close());
    await page.until(`document.title === 'receiver'`);

    /**
     * Verifies a delivery in the browser, as text and as bytes, and asserts that both have the same outcome.
     * @returns the id of the event, or the reason why the verification failed
     */
    const verify = async (
      delivery: Omit<SignedDelivery, 'now' | 'payload'> & {
        readonly payload: string;
        readonly nowMs?: number;
      },
    ): Promise<unknown> => {
      const { nowMs, ...given } = delivery;
      const outcomes = await page.evaluate(`(async () => {
        const { verifySignature, SignatureError } = await import('/dist/client/index.js');
        const given = ${JSON.stringify(given)};
        ${nowMs === undefined ? '' : `given.now = () => ${nowMs};`}
        const outcomes = [];
        for (const payload of [given.payload, new TextEncoder().encode(given.payload)])
          try {
            outcomes.push((await verifySignature({ ...given, payload })).id);
          } catch (error) {
            outcomes.push(error instanceof SignatureError ? error.fault : String(error));
          }
        return outcomes;
      })()`);
      const [asText, asBytes] = outcomes as readonly unknown[];
      assert.equal(asText, asBytes);
      return asText;
    };

    const secret = newWebhookSecret();
    const payload = '{"id":"evt_1","type":"webhook.test","data":{"name":"Žabljak"}}';
    const now = Math.floor(Date.now() / 1000);
    const signed = (timestamp: number, secrets = [secret]): string =>
      signatureHeaders({ eventId: 'evt_1', timestamp, body: Buffer.from(payload), secrets })[
        'x-service-signature'
      ]!;
    const header = signed(now);
    assert.equal(await verify({ payload, header, secret }), 'evt_1');
    const rotating = [newWebhookSecret(), secret];
    assert.equal(await verify({ payload, header: signed(now, rotating), secret }), 'evt_1');
    assert.equal(await verify({ payload, header, secret: rotating }), 'evt_1');
    // Made with: printf '%s' '1700000000.{"id":1}' | openssl dgst -sha256 -hmac whsec_dGVzdA==
    const openssl = '7f4ba6725dd1a8f8ed4e7c1bf2ddca98c3c538cfae8458d5e282fb1e269933c0';
    const vector = {
      header: `t=1700000000,v1=${openssl}`,
      secret: 'whsec_dGVzdA==',
      nowMs: 1_700_000_000_000,
    };
    assert.equal(await verify({ payload: '{"id":1}', ...vector }), 1);

    assert.equal(await verify({ payload: '{"id":2}', ...vector }), 'no_match');
    assert.equal(await verify({ payload: payload.replace('Ž', 'Z'), header, secret }), 'no_match');
    assert.equal(await verify({ payload, header, secret: newWebhookSecret() }), 'no_match');
    assert.equal(await verify({ payload, header: signed(now - 600), secret }), 'timestamp_out_of_range');
    assert.equal(await verify({ payload, header: `t=${now}`, secret }), 'malformed_header');

    const proof = await page.evaluate(`(async () => {
      const { Groundwatch, newProofKey } = await import('/dist/client/index.js');
      const proofKey = await newProofKey();
      let proof;
      const fetch = async (_, { headers }) => {
        proof = headers.dpop;
        return Response.json({ metrics: [] });
      };
      await new Groundwatch({ baseUrl: 'https://risk.test', token: () => 'a', proofKey, fetch }).listMetrics();
      return proof;
    })()`);
    const verified = await jwtVerify(String(proof), EmbeddedJWK, { typ: 'dpop+jwt' });
    assert.equal(verified.payload['htu'], 'https://risk.test/v1/metrics');
    assert.deepEqual(page.complaints, []);
  },
);
