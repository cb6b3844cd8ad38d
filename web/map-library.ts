import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ID = 'virtual:map-library';
const RESOLVED = `\0${ID}`;
const MAIN = fileURLToPath(import.meta.resolve('maplibre-gl'));
const WORKER = MAIN.replace('maplibre-gl.mjs', 'maplibre-gl-worker.mjs');

/**
 * Vite plugin for the map library. Its two files, of the page and of the worker, have a good half in common. As one
 * file, which acts by where it runs, they take 270 kB with Brotli instead of 360. The module `virtual:map-library` has
 * the addresses of both; in a build they are the same, and the browser loads it once.
 */
export function mapLibrary(): Plugin {
  let isBuild = false;
  return {
    name: 'map-library',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    resolveId: (id) => (id === ID ? RESOLVED : undefined),
    load(id) {
      if (id !== RESOLVED) return undefined;
      if (!isBuild)
        return `export const libraryUrl = '/@fs/${MAIN}';\nexport const workerUrl = '/@fs/${WORKER}';`;
      const source = joined(readFileSync(MAIN, 'utf8'), readFileSync(WORKER, 'utf8'));
      const file = this.emitFile({ type: 'asset', name: 'map-library.js', source });
      return `export const libraryUrl = import.meta.ROLLUP_FILE_URL_${file};\nexport const workerUrl = libraryUrl;`;
    },
  };
}

/**
 * Joins the module of the page and that of the worker: each is the body of a function, and one of them is called. Some
 * exports have the name of a global object, such as `Map`, so no variable of the module may have their names.
 * @throws Error when the modules of another version of the library have another form
 */
function joined(main: string, worker: string): string {
  const [mainBody, mainExports] = splitExports(main);
  const [workerBody] = splitExports(worker);
  const list = (form: (name: string, i: number) => string): string =>
    mainExports.map(([, exported], i) => form(exported, i)).join(', ');
  return `${main.slice(0, main.indexOf('*/') + 2)}
const isWorker = typeof WorkerGlobalScope !== 'undefined' && self instanceof WorkerGlobalScope;
const library = isWorker ? (() => {${workerBody}
return {}; })() : (() => {${mainBody}
return { ${mainExports.map(([local, exported]) => `${exported}: ${local}`).join(', ')} }; })();
const { ${list((name, i) => `${name}: _${i}`)} } = library;
export { ${list((name, i) => `_${i} as ${name}`)} };
`;
}

/** Splits a module into its body and its exports, `[local, exported]`. */
function splitExports(
  module: string,
): readonly [body: string, exports: readonly (readonly [string, string])[]] {
  const at = module.lastIndexOf('export{');
  const list = at < 0 ? undefined : /^export\{([^}]*)\}/.exec(module.slice(at))?.[1];
  if (list === undefined || /^import[ {*"']/m.test(module))
    throw new Error('The files of maplibre-gl have another form than web/map-library.ts expects');
  const exports = list.split(',').map((one) => {
    const [local, exported = local] = one.trim().split(' as ');
    return [local!, exported!] as const;
  });
  return [module.slice(0, at), exports];
}
