import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, transformWithOxc } from 'vite';

const ID = 'virtual:map-library';
const RESOLVED = `\0${ID}`;
/** The module of the library's file: what the console uses of the library, and the worker, which starts in a worker. */
const PARTS = '\0map-library-parts.ts';
const MAIN = fileURLToPath(import.meta.resolve('maplibre-gl'));
const WORKER = MAIN.replace('maplibre-gl.mjs', 'maplibre-gl-worker.mjs');
const SOURCES = join(dirname(MAIN), '../src');

/** Exports of the library that the console uses, by the source file of the library. */
const USED = {
  'ui/map.ts': 'Map',
  'ui/marker.ts': 'Marker',
  'ui/control/navigation_control.ts': 'NavigationControl',
  'ui/control/scale_control.ts': 'ScaleControl',
  'ui/control/attribution_control.ts': 'AttributionControl',
  'source/protocol_crud.ts': 'addProtocol',
} as const;

/** In place of the decoder of MapLibre tiles, which takes 14 kB. Neither the service nor common providers send them. */
const NO_MLT = `export const GEOMETRY_TYPE = {};
export function decodeTile() { throw new Error('Tiles in the format MLT cannot be shown; use Mapbox vector tiles.'); }`;

/** Classes in rules of controls that the console does not have; logos alone take 39 kB. */
const UNUSED_RULES =
  /geolocate|user-location|fullscreen|ctrl-shrink|ctrl-logo|ctrl-globe|ctrl-terrain|ctrl-compass \.|cooperative|popup/;

/**
 * Vite plugin for the map library. The library publishes a file for the page and one for the worker, of 360 kB together
 * with Brotli, half of which they have in common. Built from its sources as one file that acts by where it runs, and
 * with only what the console uses, it takes 245 kB. The module `virtual:map-library` has the addresses of both; in a
 * build they are the same, and the browser loads it once.
 */
export function mapLibrary(): Plugin {
  let isBuild = false;
  return {
    name: 'map-library',
    enforce: 'pre',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    resolveId(id, importer) {
      if (id === ID) return RESOLVED;
      if (id === PARTS) return PARTS;
      if (id === '@maplibre/mlt' && importer?.includes('maplibre-gl') === true) return '\0no-mlt.js';
      return undefined;
    },
    load(id) {
      if (id === '\0no-mlt.js') return NO_MLT;
      if (id === PARTS) return partsModule();
      if (id !== RESOLVED) return undefined;
      if (!isBuild)
        return `export const libraryUrl = '/@fs/${MAIN}';\nexport const workerUrl = '/@fs/${WORKER}';`;
      const file = this.emitFile({
        type: 'chunk',
        id: PARTS,
        name: 'map-library',
        preserveSignature: 'strict', // its exports are used by its address alone
      });
      return `export const libraryUrl = import.meta.ROLLUP_FILE_URL_${file};\nexport const workerUrl = libraryUrl;`;
    },
    async transform(code, id) {
      if (id.includes('maplibre-gl.css')) return { code: usedRules(code), map: null };
      if (!id.startsWith(SOURCES) || !id.endsWith('.ts')) return undefined;
      // The library is written for fields that are assigned: a field without a value is none, and leaves what the
      // prototype or the constructor of the parent has set.
      return transformWithOxc(code, id, {
        assumptions: { setPublicClassFields: true },
        typescript: { removeClassFieldsWithoutInitializer: true },
      });
    },
  };
}

function partsModule(): string {
  const path = (file: string): string => JSON.stringify(join(SOURCES, file));
  return [
    ...Object.entries(USED).map(([file, name]) => `export { ${name} } from ${path(file)};`),
    `import { config } from ${path('util/config.ts')};`,
    'export const setWorkerUrl = (url) => { config.WORKER_URL = url; };',
    `import ${path('source/worker.ts')};`,
  ].join('\n');
}

/** A style sheet without the outermost rules whose selectors or, of media, contents are of unused controls. */
function usedRules(css: string): string {
  const rules: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i < css.length; i++) {
    if (css[i] === '{') depth++;
    else if (css[i] === '}' && --depth === 0) {
      rules.push(css.slice(start, i + 1));
      start = i + 1;
    }
  }
  return rules.filter((rule) => !UNUSED_RULES.test(rule)).join('');
}
