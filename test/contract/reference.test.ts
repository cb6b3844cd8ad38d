import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { contractWorld } from './world.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
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
  assert.ok(!text.includes('localhost:8443') && !text.includes('{auth_url}'));
  assert.ok(text.includes(`${service.baseUrl}/oauth/token`));
  const calls = callsIn(text);
  assert.ok(calls.length > 40, `${calls.length} calls`);
  for (const call of calls)
    for (const [server] of call.replace(/<<JSON[^]*$/, '').matchAll(SERVER))
      assert.equal(server, service.baseUrl, call);
});

/** Examples of the page in a language, without the first one, which is what they all begin with. */
const examplesIn = (page: string, language: 'typescript' | 'python') => {
  const found = page.matchAll(new RegExp(`<pre class="in-${language}"[^>]*><code>([^<]*)</code></pre>`, 'g'));
  const [beginning, ...examples] = Array.from(found, ([, code]) => unescaped(code!));
  return { beginning: beginning!, examples };
};

test('the examples in TypeScript compile, and those that read run', async (t) => {
  const { service, key } = await contractWorld();
  const { beginning, examples } = examplesIn((await service.call('/docs')).text, 'typescript');
  assert.ok(examples.length > 60, `${examples.length} examples`);
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-reference-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const client = relative(folder, join(ROOT, 'src/client/index.ts'));
  const first = beginning.replace("'groundwatch-client'", JSON.stringify(client));
  const inFunction = (example: string): string => `  async () => {\n${example}\n  },`;
  const compiled = ['export const EXAMPLES = [', ...examples.map(inFunction), '];'];
  await writeFile(join(folder, 'all.ts'), [first, ...compiled].join('\n'));
  const tsconfig = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')], allowImportingTsExtensions: true },
    include: [],
    files: ['all.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const compiler = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder];
  await run(process.execPath, compiler).catch((error: { stdout: string }) => assert.fail(error.stdout));

  const reading = examples.filter(
    (example) => /groundwatch\.(assess|list|get)/.test(example) && !example.includes('process.env'),
  );
  assert.ok(reading.length > 12, `${reading.length} calls that need no id`);
  const running = `${first}
for (const example of [${reading.map(inFunction).join('\n')}])
  await example().catch((error) => { if (![403, 404].includes(error.status)) throw error; });
console.log('ran');`;
  await writeFile(join(folder, 'reading.ts'), running);
  const env = {
    PATH: process.env['PATH'],
    KEY: key,
    NODE_EXTRA_CA_CERTS: join(service.dataFolder, 'tls', 'ca.pem'),
  };
  const { stdout } = await run(process.execPath, [join(folder, 'reading.ts')], { env });
  assert.equal(stdout, 'ran\n');
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
