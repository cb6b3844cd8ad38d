import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { contractWorld } from './world.ts';

const run = promisify(execFile);
const SERVER = /https:\/\/[^/"\s]+/g;
const unescaped = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

test('the examples of the reference have the address at which it is asked for, and its curl calls run', async (t) => {
  const { service, key } = await contractWorld();
  const { text } = await service.call('/docs');
  const blocks = Array.from(text.matchAll(/<pre[^>]*><code>([^<]*curl[^<]*)<\/code><\/pre>/g), ([, code]) =>
    unescaped(code!),
  );
  assert.ok(blocks.length > 40, `${blocks.length} calls`);
  for (const block of blocks)
    for (const [server] of block.replace(/<<JSON[^]*$/, '').matchAll(SERVER))
      assert.equal(server, service.baseUrl, block);

  if (
    await run('curl', ['--version']).then(
      () => false,
      () => true,
    )
  )
    return t.skip('there is no curl');
  const odd = ['--cacert', join(service.dataFolder, 'tls', 'ca.pem'), '-s', '-H', 'Host: x"><script>'];
  const { stdout: asked } = await run('curl', [...odd, `${service.baseUrl}/docs`], { maxBuffer: 2 ** 24 });
  assert.ok(!asked.includes('x"><script>') && asked.includes('https://localhost:8443/v1/risk'));
  const env = { ...process.env, CA: join(service.dataFolder, 'tls', 'ca.pem'), KEY: key };
  const reading = blocks.filter((block) => !/-X |-d |--data|\$[A-Z]+_ID|stream/.test(block));
  assert.ok(reading.length > 12, `${reading.length} calls that need no id`);
  for (const block of reading) {
    const lines = block.split('\n').filter((line) => !/^(?:CA|KEY)=/.test(line));
    const { stdout } = await run('sh', ['-c', `${lines.join('\n')} -s -w '\n%{http_code}'`], { env });
    assert.match(stdout, /\n(?:200|403|404)$/, block);
  }
});
