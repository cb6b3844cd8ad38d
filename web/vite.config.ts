import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

/** Where a service started in a checkout listens: what `vite` proxies the API to while the console is developed. */
const SERVICE = 'https://localhost:8443';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './', // the console can be mounted below a path
  build: {
    outDir: 'dist',
    target: 'es2022', // what every browser with WebGL 2 and module workers reads
    modulePreload: { polyfill: false }, // its inline script would need a hole in the content security policy
    assetsInlineLimit: 0, // nothing as data: addresses, for the same reason
    chunkSizeWarningLimit: 1200, // kB; the map library, which is loaded when a map is shown
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [precompress()],
  server: {
    proxy: { '/v1': { target: SERVICE, secure: false }, '/docs': { target: SERVICE, secure: false } },
  },
});
