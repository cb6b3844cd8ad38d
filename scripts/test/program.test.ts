import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { pathToFileURL } from 'node:url';
import { testProgram } from './program.ts';

const execute = promisify(execFile);

/** A checkout with a command, a module that reads a file beside itself, a thread, and a test. */
const FILES = {
  'bin/groundwatch.js': `const { main } = await import(new URL('../dist/main.js', import.meta.url).href);
await main();
`,
  'src/main.ts': `import { tableOf } from './deep/table.ts';
const answer: number = 42;
export const main = async (): Promise<void> =>
  console.log(JSON.stringify({ answer, table: tableOf(), url: import.meta.url }));
`,
  'src/deep/table.ts': `import { readFileSync } from 'node:fs';
export const tableOf = (): string => readFileSync(new URL('table.wasm', import.meta.url), 'utf8');
`,
  'src/deep/table.wasm': 'the file beside it',
  'src/deep/table-thread.ts': `import { tableOf } from './table.ts';
console.log(tableOf());
`,
  'src/deep/table.test.ts': 'export {};\n',
  'package-lock.json': '{}',
};

describe('the program that tests start', () => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-bundle-'));
  after(() => rmSync(root, { recursive: true }));
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (const [file, text] of Object.entries(FILES)) put(file, text);
  const runs = async (path: string): Promise<string> => (await execute(process.execPath, [path])).stdout;
  /** Identity of the folder: another one when the program was made again. */
  const made = async (): Promise<number> => statSync(join(await testProgram(root), '..')).ino;

  test('lies as the published package does: its modules find the files beside them, its threads are files', async () => {
    const command = await testProgram(root);
    assert.equal(command, join(root, '.test-program/bin/groundwatch.js'));
    const said = JSON.parse(await runs(command)) as Record<string, unknown>;
    assert.deepEqual(said, {
      answer: 42,
      table: 'the file beside it',
      url: pathToFileURL(join(root, '.test-program/dist/main.js')).href,
    });
    assert.equal(await runs(join(root, '.test-program/dist/deep/table-thread.js')), 'the file beside it\n');
  });

  test('is made again when a source, a file beside it or the lock of the packages changes, for a test it is not', async () => {
    let before = await made();
    put('src/deep/table.test.ts', 'export const changed = true;\n');
    assert.equal(await made(), before, 'a test is no part of it');
    for (const [file, text] of [
      ['src/deep/table.wasm', 'changed'],
      ['src/deep/table.ts', `${FILES['src/deep/table.ts']}// changed\n`],
      ['src/further.ts', 'export {};\n'],
      ['package-lock.json', '{ }'],
    ] as const) {
      put(file, text);
      const now = await made();
      assert.notEqual(now, before, file);
      before = now;
    }
    const said = JSON.parse(await runs(await testProgram(root))) as Record<string, unknown>;
    assert.equal(said['table'], 'changed');
  });

  test('two runs at once both get a whole one, and leave nothing else behind', async () => {
    put('src/main.ts', FILES['src/main.ts'].replace('42', '43'));
    const program = pathToFileURL(join(import.meta.dirname, 'program.ts')).href;
    const make = `const { testProgram } = await import(${JSON.stringify(program)});
console.log(await testProgram(${JSON.stringify(root)}));`;
    const paths = await Promise.all(
      [1, 2, 3].map(() => execute(process.execPath, ['--input-type=module', '--eval', make])),
    );
    for (const { stdout } of paths)
      assert.equal((JSON.parse(await runs(stdout.trim())) as Record<string, unknown>)['answer'], 43);
    assert.deepEqual(
      readdirSync(root).filter((name) => name.startsWith('.test-program')),
      ['.test-program'],
    );
  });
});
