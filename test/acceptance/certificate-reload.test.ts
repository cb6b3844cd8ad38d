import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';
import { startService } from '../fixtures/service.ts';
import { throwawayCertificate } from '../fixtures/tls-sink.ts';

/** Fingerprint of the certificate that a port currently serves. */
async function served(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('a replaced certificate is served without a restart, an unusable one is told of and is not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-certificate-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o755);
  const [first, second] = [await throwawayCertificate(), await throwawayCertificate()];
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const put = async ({ certPem, keyPem }: typeof first) => {
    await writeFile(files.key, keyPem);
    await writeFile(files.cert, certPem);
  };
  await put(first);
  const dataFolder = join(folder, 'data');
  await mkdir(join(dataFolder, 'tls'), { recursive: true });
  for (const path of [dataFolder, join(dataFolder, 'tls')]) await chmod(path, 0o755);
  await writeFile(join(dataFolder, 'tls', 'ca.pem'), first.caPem);
  await copyPreparedCluster(dataFolder);
  const service = await startService({
    GROUNDWATCH_DATA: dataFolder,
    GROUNDWATCH_TLS_CERT: files.cert,
    GROUNDWATCH_TLS_KEY: files.key,
    GROUNDWATCH_LOG_LEVEL: 'info',
  });
  t.after(() => service.stop());
  const before = await served(service.port);
  const reload = async (said: RegExp): Promise<void> => {
    process.kill(service.pid, 'SIGHUP');
    for (let tries = 0; tries < 2_400 && !said.test(service.log()); tries++) await delay(50);
    assert.match(service.log(), said);
  };
  await writeFile(files.key, second.keyPem);
  await reload(/The certificate stays as it was.*GROUNDWATCH_TLS_KEY/);
  assert.equal(await served(service.port), before);
  await put(second);
  await reload(/Another certificate is served/);
  assert.notEqual(await served(service.port), before);
});
