import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../test/fixtures/object-server.ts';
import type { ListedObject } from './object-store.ts';
import { S3Objects } from './s3-objects.ts';

const text = (value: string): Buffer => Buffer.from(value);

describe('objects on an S3 server', { skip: noObjectServer }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-objects-'));
  let server: ObjectServer;
  let objects: S3Objects;
  before(async () => {
    server = await ObjectServer.start(folder);
    objects = new S3Objects(server.place);
  });
  after(async () => {
    await objects.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('an object is read whole, in part, and only when it has changed', async () => {
    const name = "a b/ü+%'(1)";
    const etag = await objects.put(name, text('0123456789'), 'absent');
    assert.ok(etag);
    assert.deepEqual(await objects.get(name), {
      bytes: text('0123456789'),
      etag,
    });
    const part = await objects.get(name, { range: [2, 5] });
    assert.deepEqual(part !== 'same' && part?.bytes, text('234'));
    assert.equal(await objects.get(name, { unless: etag }), 'same');
    assert.equal(await objects.get('none'), undefined);
    const listed: ListedObject[] = [];
    for await (const each of objects.list('a b/')) listed.push(each);
    assert.deepEqual(
      listed.map(({ name, size }) => ({ name, size })),
      [{ name, size: 10 }],
    );
    assert.ok(listed[0]!.ageMs < 60_000 && listed[0]!.ageMs > -2000, String(listed[0]!.ageMs));
    await objects.delete(name);
    await objects.delete(name);
    assert.equal(await objects.get(name), undefined);
  });

  test('a write whose condition does not hold changes nothing', async () => {
    const first = await objects.put('head', text('one'), 'absent');
    assert.equal(await objects.put('head', text('two'), 'absent'), undefined);
    const second = await objects.put('head', text('three'), { etag: first! });
    assert.ok(second);
    assert.equal(await objects.put('head', text('four'), { etag: first! }), undefined);
    assert.deepEqual(await objects.get('head'), {
      bytes: text('three'),
      etag: second,
    });
    assert.equal(await objects.put('nothing', text('x'), { etag: first! }), undefined);
  });

  test('of 1,000 replacements by eight writers, one wins each turn and none is lost', async () => {
    const clients = Array.from({ length: 8 }, () => new S3Objects(server.place));
    await objects.put('manifest', text('[]'), 'absent');
    let won = 0;
    const write = async (client: S3Objects, writer: number): Promise<void> => {
      for (let i = 0; i < 125; i++) {
        const found = await client.get('manifest');
        assert.ok(found !== undefined && found !== 'same');
        const next = [...(JSON.parse(found.bytes.toString()) as string[]), `${writer}:${i}`];
        if (
          (await client.put('manifest', text(JSON.stringify(next)), {
            etag: found.etag,
          })) !== undefined
        )
          won++;
        else i--;
      }
    };
    await Promise.all(clients.map((client, writer) => write(client, writer)));
    const kept = await objects.get('manifest');
    assert.ok(kept !== undefined && kept !== 'same');
    const entries = JSON.parse(kept.bytes.toString()) as string[];
    assert.equal(won, 1000);
    assert.equal(new Set(entries).size, 1000);
    for (const client of clients) await client.close();
  });

  test('a call goes on when the server is killed and starts again', async () => {
    await objects.put('before', text('kept'), 'absent');
    await server.kill();
    const reading = objects.get('before');
    const writing = objects.put('during', text('written'), 'absent');
    await server.run();
    const [read, written] = await Promise.all([reading, writing]);
    assert.deepEqual(read !== 'same' && read?.bytes, text('kept'));
    assert.ok(written);
  });

  test('a refusal names the bucket, the call and the reason', async () => {
    const { place } = server;
    const stranger = new S3Objects({
      ...place,
      credentials: { ...place.credentials, secretAccessKey: 'x' },
    });
    await assert.rejects(stranger.get('head'), {
      name: 'ObjectStoreFailed',
      message: /^GET s3:\/\/kept\/unit\/head at http.*status 403, SignatureDoesNotMatch/,
    });
    const lost = new S3Objects({ ...place, bucket: 'missing' });
    await assert.rejects(lost.get('head'), {
      message: /status 404, NoSuchBucket/,
    });
    await stranger.close();
    await lost.close();
  });
});
