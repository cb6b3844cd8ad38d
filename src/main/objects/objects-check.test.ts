import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { CheckFinding } from '../../cli/installation-check.ts';
import type { Config } from '../../config.ts';
import { objectsCheck } from './objects-check.ts';

/** What the check finds at a server. */
async function foundAt(t: TestContext, answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'hidden', sessionToken: undefined };
  const objects = {
    endpoint,
    bucket: 'kept',
    prefix: 'unit/',
    region: 'us-east-1',
    credentials,
    cacheBytes: 1,
  };
  const found = await objectsCheck(() => ({ objects, caFile: undefined }) as unknown as Config).look();
  return found as CheckFinding;
}

/** A server of one object: it takes every write, whatever its condition, if `ignores`. */
function oneObject(ignores: boolean, clockMs = 0): RequestListener {
  let kept: { text: string; etag: string } | undefined;
  return (request, response) => {
    const now = new Date(Date.now() + clockMs).toUTCString();
    response.setHeader('date', now);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, headers } = request;
      if (method === 'PUT') {
        const holds =
          headers['if-none-match'] === '*' ? kept === undefined : headers['if-match'] === kept?.etag;
        if (!holds && !ignores) return response.writeHead(412).end();
        const text = Buffer.concat(chunks).toString();
        kept = { text, etag: `"${text}"` };
        return response.writeHead(200, { etag: kept.etag }).end();
      }
      if (method === 'DELETE') return response.writeHead(204).end();
      const asked = new URL(request.url!, 'http://x').searchParams.get('prefix');
      if (asked !== null && !asked.startsWith('unit/doctor/')) return response.end('<ListBucketResult/>');
      if (asked !== null)
        return response.end(
          `<ListBucketResult><Contents><Key>unit/x</Key><Size>6</Size><LastModified>${new Date(now).toISOString()}</LastModified></Contents></ListBucketResult>`,
        );
      return response.writeHead(200, { etag: kept!.etag }).end(kept!.text);
    });
  };
}

test('a bucket with conditional writes is fine', async (t) => {
  const found = await foundAt(t, oneObject(false));
  assert.equal(found.status, 'ok', found.found);
});

test('a server that ignores conditions is refused', async (t) => {
  const { status, found, remedy } = await foundAt(t, oneObject(true));
  assert.equal(status, 'fail');
  assert.match(found, /s3:\/\/kept\/unit\/ at .* ignores If-None-Match or If-Match/);
  assert.match(remedy!, /conditional writes/);
});

test('a bucket whose clock is off is told', async (t) => {
  const { status, found } = await foundAt(t, oneObject(false, 400_000));
  assert.equal(status, 'warn');
  assert.match(found, /differs from this one by (399|400) s/);
});

test('a bucket that refuses is named with its reason, without the secret', async (t) => {
  const refusal = '<Error><Code>AccessDenied</Code><Message>not yours</Message></Error>';
  await assert.rejects(
    async () => foundAt(t, (_, response) => response.writeHead(403).end(refusal)),
    (error: Error) => {
      assert.match(error.message, /s3:\/\/kept\/unit\/doctor\/.*status 403, AccessDenied: not yours/);
      assert.doesNotMatch(error.message, /hidden/);
      return true;
    },
  );
});
