import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { mapLibrary } from './map-library.ts';
import { precompress } from './precompress.ts';

/**
 * Address of a service that was started in a checkout. During development of the console, `vite` forwards calls of the
 * API to this address.
 */
const SERVICE = 'https://localhost:8443';

/** Largest module that is in the file of the shared ones [bytes of its source]. */
const SHARED_BYTES = 6000;

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './', // relative, because the console can be served below any path
  build: {
    outDir: 'dist',
    target: 'es2022', // every browser with WebGL 2 and module workers supports it
    modulePreload: { polyfill: false }, // its inline script would need an exception in the content security policy
    assetsInlineLimit: 0, // no `data:` URLs, which would need such an exception too
    // Chunk size above which Vite warns [kB]. The map library is larger than the default, but loads only with a map.
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Small modules that several pages share are one file: a file each takes 400 bytes of headers, and
          // compresses worse.
          groups: [
            { name: 'shared', test: /\/(?:web|src)\//, minShareCount: 2, maxModuleSize: SHARED_BYTES },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [mapLibrary(), precompress()],
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/auth', '/docs'].map((path) => [path, { target: SERVICE, secure: false }]),
    ),
  },
});
