// Long file: one server that stands for all hosts serves all tests.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { type Received, throwawayCertificate, tlsSink } from '../../test/fixtures/tls-sink.ts';
import { addressBlocks } from './address-guard.ts';
import { guardedConnect } from './guarded-connect.ts';
import { type Authorise, type GuardedReader, guardedReader } from './guarded-reader.ts';
import { objectAddress } from './object-address.ts';
import { sourceAccess, type SourceAccessSettings } from './source-access.ts';

const HOSTS = [
  'scenes.s3.amazonaws.com',
  'scenes.s3.eu-north-1.amazonaws.com',
  's3.example.com',
  'sentinel2l2a01.blob.core.windows.net',
  'planetarycomputer.microsoft.com',
  'data.lpdaac.earthdatacloud.nasa.gov',
  'd1.cloudfront.net',
  'urs.earthdata.nasa.gov',
  'catalogue.dataspace.copernicus.eu',
  'download.dataspace.copernicus.eu',
  'identity.dataspace.copernicus.eu',
];
const certificate = await throwawayCertificate(HOSTS);
const NONE: SourceAccessSettings = {
  s3: undefined,
  planetaryComputer: undefined,
  earthdata: undefined,
  copernicus: undefined,
};
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: undefined };

/** A request as `GET host/path`. */
const line = ({ headers, path }: Received): string => `${headers.host}${path}`;

/**
 * Starts a server that stands for all hosts of this file, which have no other addresses here, and a reader of it.
 * @returns the reader, and the requests so far
 */
async function world(
  t: TestContext,
  settings: Partial<SourceAccessSettings>,
  answer: (asked: string, request: Received, response: ServerResponse) => void,
): Promise<{ readonly reader: GuardedReader; readonly received: readonly Received[] }> {
  const sink = await tlsSink(certificate, (request, response) => answer(line(request), request, response));
  const connect = guardedConnect({
    allow: addressBlocks(['127.0.0.0/8']),
    extraCa: certificate.caPem,
    timeoutMs: 60_000,
    resolve: (_, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const made = (authorise?: Authorise): GuardedReader =>
    guardedReader({
      allow: addressBlocks([]),
      timeoutMs: 60_000,
      userAgent: 'test',
      firstPauseMs: 1,
      authorise,
      connect: (target, done) => connect({ ...target, port: String(sink.port) }, done),
    });
  const plain = made();
  const reader = made(sourceAccess({ ...NONE, ...settings }, plain));
  t.after(async () => {
    await Promise.all([plain.close(), reader.close()]);
    await sink[Symbol.asyncDispose]();
  });
  return { reader, received: sink.received };
}

function piece(response: ServerResponse): void {
  response.writeHead(206, { 'content-range': 'bytes 0-3/10', etag: '"1"' }).end('0123');
}
const read = async (reader: GuardedReader, url: string): Promise<string> =>
  (await reader.readPiece(url, 0, 4)).bytes.toString();

test('a public bucket is read without keys, in the region that the store names', async (t) => {
  const { reader, received } = await world(t, {}, (asked, _, response) => {
    if (asked.startsWith('scenes.s3.eu-north-1.')) piece(response);
    else response.writeHead(301, { 'x-amz-bucket-region': 'eu-north-1' }).end('<Error>moved</Error>');
  });
  assert.equal(await read(reader, objectAddress('s3://scenes/a b/red.tif')!), '0123');
  assert.deepEqual(received.map(line), [
    'scenes.s3.amazonaws.com/a%20b/red.tif',
    'scenes.s3.eu-north-1.amazonaws.com/a%20b/red.tif',
  ]);
  for (const { headers } of received) assert.equal(headers.authorization, undefined);
});

test('a named bucket is read with the keys, for its region; a redirect to another host gets none', async (t) => {
  const buckets = [{ bucket: 'scenes', host: undefined, paysRequests: true }];
  const { reader, received } = await world(
    t,
    { s3: { buckets, credentials: KEYS } },
    (asked, request, response) => {
      if (asked.endsWith('/elsewhere'))
        response.writeHead(307, { location: 'https://d1.cloudfront.net/x' }).end();
      else if (asked.startsWith('scenes.s3.amazonaws'))
        response
          .writeHead(307, { 'x-amz-bucket-region': 'eu-north-1', location: 'https://d1.cloudfront.net/y' })
          .end();
      else if (asked.startsWith('d1.') || request.headers.authorization !== undefined) piece(response);
      else response.writeHead(403).end();
    },
  );
  assert.equal(await read(reader, 'https://scenes.s3.amazonaws.com/red.tif'), '0123');
  const [, there] = received;
  assert.equal(there!.headers.host, 'scenes.s3.eu-north-1.amazonaws.com');
  assert.match(
    there!.headers.authorization!,
    /Credential=AKIDEXAMPLE\/\d{8}\/eu-north-1\/s3\/aws4_request, /,
  );
  assert.match(
    there!.headers.authorization!,
    /SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-request-payer,/,
  );
  assert.equal(there!.headers['x-amz-request-payer'], 'requester');
  assert.equal(there!.headers.range, 'bytes=0-3');
  assert.equal(await read(reader, 'https://scenes.s3.eu-north-1.amazonaws.com/elsewhere'), '0123');
  const last = received.at(-1)!;
  assert.equal(line(last), 'd1.cloudfront.net/x');
  const sent = JSON.stringify(last.headers);
  assert.doesNotMatch(sent, /amz|authorization|AKID/i);
});

test('other buckets, and other stores under the same name, get no keys', async (t) => {
  const buckets = [{ bucket: 'mine', host: 's3.example.com', paysRequests: false }];
  const { reader, received } = await world(t, { s3: { buckets, credentials: KEYS } }, (_, __, response) =>
    piece(response),
  );
  await read(reader, 'https://scenes.s3.amazonaws.com/mine/red.tif');
  await read(reader, 'https://s3.example.com/other/red.tif');
  await read(reader, 'https://s3.example.com/mine/red.tif');
  assert.deepEqual(
    received.map(({ headers }) => headers.authorization !== undefined),
    [false, false, true],
  );
});

test('the Planetary Computer signs a container once, again when it expires or is refused, and no message shows it', async (t) => {
  let asked = 0;
  let valid = 'token1';
  const { reader, received } = await world(
    t,
    { planetaryComputer: { key: { text: 'subscription' } } },
    (where, _, response) => {
      if (where.startsWith('planetarycomputer.'))
        response.end(
          JSON.stringify({
            token: `sv=1&sig=token${++asked}`,
            'msft:expiry': new Date(Date.now() + 3_600_000).toISOString(),
          }),
        );
      else if (where.includes(`sig=${valid}`)) piece(response);
      else response.writeHead(403).end('AuthenticationFailed');
    },
  );
  const url = 'https://sentinel2l2a01.blob.core.windows.net/sentinel2-l2/red.tif';
  assert.equal(await read(reader, url), '0123');
  assert.equal(await read(reader, url), '0123');
  assert.equal(asked, 1);
  const [first] = received;
  assert.equal(line(first!), 'planetarycomputer.microsoft.com/api/sas/v1/token/sentinel2l2a01/sentinel2-l2');
  assert.equal(first!.headers['ocp-apim-subscription-key'], 'subscription');
  for (const { headers } of received.slice(1)) assert.equal(headers['ocp-apim-subscription-key'], undefined);
  valid = 'token2';
  assert.equal(await read(reader, url), '0123');
  assert.equal(asked, 2);
  valid = 'none';
  await assert.rejects(read(reader, url), (error: Error) => {
    assert.match(error.message, /red\.tif: the server answered 403/);
    assert.doesNotMatch(error.message, /sig=/);
    return true;
  });
  assert.equal(asked, 3);
  const signed = received.length;
  await assert.rejects(read(reader, `${url}?sv=1&sig=theirs`), /403/);
  assert.equal(received.length, signed + 1);
});

test('requests that wait at the same time share one token, at first and after a refusal', async (t) => {
  let asked = 0;
  let valid = 1;
  const { reader } = await world(t, { planetaryComputer: { key: undefined } }, (where, _, response) => {
    if (where.startsWith('planetarycomputer.')) {
      const expiry = new Date(Date.now() + 3_600_000).toISOString();
      response.end(JSON.stringify({ token: `sig=token${++asked}`, 'msft:expiry': expiry }));
    } else if (where.includes(`sig=token${valid}`)) piece(response);
    else response.writeHead(403).end();
  });
  const all = () =>
    Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) =>
        read(reader, `https://sentinel2l2a01.blob.core.windows.net/sentinel2-l2/${n}.tif`),
      ),
    );
  await all();
  assert.equal(asked, 1);
  valid = 2;
  await all();
  assert.equal(asked, 2);
});

test('a container that the Planetary Computer does not know is read without a token', async (t) => {
  let asked = 0;
  const { reader } = await world(t, { planetaryComputer: { key: undefined } }, (where, _, response) => {
    if (where.startsWith('planetarycomputer.')) response.writeHead(404).end(String(++asked));
    else if (where.includes('?')) response.writeHead(403).end();
    else piece(response);
  });
  for (const n of [1, 2])
    assert.equal(await read(reader, `https://sentinel2l2a01.blob.core.windows.net/open/${n}.tif`), '0123');
  assert.equal(asked, 1);
});

test('a redirect between hosts of Copernicus Data Space keeps the token; Earthdata sends none to its sign-in', async (t) => {
  const settings = { copernicus: { user: 'u', password: { text: 'p' } }, earthdata: { text: 'edl' } };
  const { reader, received } = await world(t, settings, (asked, { headers }, response) => {
    if (asked.startsWith('identity.'))
      response.end(JSON.stringify({ access_token: 'cdse', expires_in: 600 }));
    else if (asked.startsWith('catalogue.'))
      response.writeHead(301, { location: 'https://download.dataspace.copernicus.eu/x' }).end();
    else if (asked.startsWith('data.lpdaac'))
      response.writeHead(302, { location: 'https://urs.earthdata.nasa.gov/oauth/authorize' }).end();
    else if (asked.startsWith('urs.'))
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sign in</html>');
    else if (asked.endsWith('/to-nasa'))
      response.writeHead(307, { location: 'https://data.lpdaac.earthdatacloud.nasa.gov/x' }).end();
    else if (headers.authorization === 'Bearer cdse') piece(response);
    else response.writeHead(403).end();
  });
  assert.equal(await read(reader, 'https://catalogue.dataspace.copernicus.eu/x'), '0123');
  await assert.rejects(
    read(reader, 'https://data.lpdaac.earthdatacloud.nasa.gov/HLS/B04.tif'),
    /answered with a page of urs\.earthdata\.nasa\.gov, perhaps to sign in/,
  );
  assert.equal(received.at(-1)!.headers.authorization, undefined);
  await assert.rejects(read(reader, 'https://download.dataspace.copernicus.eu/to-nasa'));
  const [last] = received.filter(({ headers }) => headers.host!.startsWith('data.')).slice(-1);
  assert.equal(last!.headers.authorization, undefined, 'another provider');
});

test("Earthdata's token goes to NASA's hosts, and not with the redirect to a store", async (t) => {
  const { reader, received } = await world(
    t,
    { earthdata: { text: 'edl' } },
    (asked, { headers }, response) => {
      if (asked.startsWith('d1.')) piece(response);
      else if (headers.authorization !== 'Bearer edl') response.writeHead(401).end();
      else response.writeHead(303, { location: 'https://d1.cloudfront.net/signed?x=1' }).end();
    },
  );
  assert.equal(await read(reader, 'https://data.lpdaac.earthdatacloud.nasa.gov/HLS/B04.tif'), '0123');
  assert.deepEqual(
    received.map(({ headers }) => headers.authorization),
    ['Bearer edl', undefined],
  );
  assert.equal(received[1]!.headers.range, 'bytes=0-3');
  const count = received.length;
  const other = await world(t, { earthdata: { text: 'old' } }, (_, __, response) =>
    response.writeHead(401).end('Token expired'),
  );
  await assert.rejects(
    read(other.reader, 'https://data.lpdaac.earthdatacloud.nasa.gov/HLS/B04.tif'),
    /the server answered 401: Token expired/,
  );
  assert.deepEqual([count, other.received.length], [2, 1]);
});

test('Copernicus Data Space gets a token by user and password, and a new one after a refusal', async (t) => {
  let valid = 1;
  let given = 0;
  const copernicus = { user: 'u', password: { text: 'p&w' } };
  const { reader, received } = await world(t, { copernicus }, (asked, { headers }, response) => {
    if (asked.startsWith('identity.'))
      response.end(JSON.stringify({ access_token: `t${++given}`, expires_in: 600 }));
    else if (headers.authorization === `Bearer t${valid}`) piece(response);
    else response.writeHead(401).end();
  });
  const url = 'https://download.dataspace.copernicus.eu/odata/v1/Products(1)/$value';
  assert.equal(await read(reader, url), '0123');
  valid = 2;
  assert.equal(await read(reader, url), '0123');
  assert.equal(given, 2);
  const [form] = received;
  assert.equal(form!.headers['content-type'], 'application/x-www-form-urlencoded');
  assert.equal(form!.body, 'grant_type=password&client_id=cdse-public&username=u&password=p%26w');
});

test('a form with a password is not sent on to another host', async (t) => {
  const copernicus = { user: 'u', password: { text: 'p' } };
  const { reader, received } = await world(t, { copernicus }, (asked, _, response) =>
    asked.startsWith('identity.')
      ? response.writeHead(307, { location: 'https://d1.cloudfront.net/steal' }).end()
      : piece(response),
  );
  await assert.rejects(
    read(reader, 'https://download.dataspace.copernicus.eu/x'),
    /the server sends a form with secrets on to d1\.cloudfront\.net/,
  );
  assert.deepEqual(
    received.map(({ headers }) => headers.host),
    ['identity.dataspace.copernicus.eu'],
  );
});

test('without settings nothing is added to a request', async (t) => {
  const { reader, received } = await world(t, {}, (_, __, response) => piece(response));
  for (const host of HOSTS) await read(reader, `https://${host}/container/x`);
  for (const { headers } of received) assert.equal(headers.authorization, undefined);
  assert.deepEqual(
    received.map(line),
    HOSTS.map((host) => `${host}/container/x`),
  );
});
