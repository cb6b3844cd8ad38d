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

/** Calls of the page, each a text for a shell. */
const callsIn = (page: string): readonly string[] =>
  Array.from(page.matchAll(/<pre[^>]*><code>([^<]*curl[^<]*)<\/code><\/pre>/g), ([, code]) =>
    unescaped(code!),
  );
const noCurl = await run('curl', ['--version']).then(
  () => false as const,
  () => 'there is no curl',
);

test('the examples of the reference have the address at which it is asked for', async () => {
  const { service } = await contractWorld();
  const { text } = await service.call('/docs');
  assert.ok(!text.includes('localhost:8443'));
  const calls = callsIn(text);
  assert.ok(calls.length > 40, `${calls.length} calls`);
  for (const call of calls)
    for (const [server] of call.replace(/<<JSON[^]*$/, '').matchAll(SERVER))
      assert.equal(server, service.baseUrl, call);
});

test(
  'the curl calls of the reference that read run, and a strange Host is not repeated',
  { skip: noCurl },
  async () => {
    const { service, key } = await contractWorld();
    const env = { ...process.env, CA: join(service.dataFolder, 'tls', 'ca.pem'), KEY: key };
    const reading = callsIn((await service.call('/docs')).text).filter(
      (call) => !/-X |-d |--data|\$[A-Z]+_ID|stream/.test(call),
    );
    assert.ok(reading.length > 12, `${reading.length} calls that need no id`);
    for (const call of reading) {
      const lines = call.split('\n').filter((line) => !/^(?:CA|KEY)=/.test(line));
      const { stdout } = await run('sh', ['-c', `${lines.join('\n')} -s -w '\n%{http_code}'`], { env });
      assert.match(stdout, /\n(?:200|403|404)$/, call);
    }
    const odd = ['--cacert', env.CA, '-s', '-H', 'Host: x"><script>', `${service.baseUrl}/docs`];
    const { stdout: asked } = await run('curl', odd, { maxBuffer: 2 ** 24 });
    assert.ok(!asked.includes('x"><script>') && asked.includes('https://localhost:8443/v1/risk'));
  },
);
