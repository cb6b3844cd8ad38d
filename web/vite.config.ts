import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

/** Address of a service started in a checkout. During development of the console, `vite` proxies the API to it. */
const SERVICE = 'https://localhost:8443';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './', // the console can be mounted below a path
  build: {
    outDir: 'dist',
    target: 'es2022', // every browser with WebGL 2 and module workers supports it
    modulePreload: { polyfill: false }, // its inline script would need an exception in the content security policy
    assetsInlineLimit: 0, // no data: URLs, for the same reason
    // KB; the map library is larger than the default limit, and loads only when a map is shown.
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [precompress()],
  server: {
    proxy: { '/v1': { target: SERVICE, secure: false }, '/docs': { target: SERVICE, secure: false } },
  },
});
