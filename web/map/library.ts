import { libraryUrl, workerUrl } from 'virtual:map-library';
import 'maplibre-gl/dist/maplibre-gl.css';

/** The map library, which is a file of its own: see the plugin in web/map-library.ts. */
export const library = (await import(/* @vite-ignore */ libraryUrl)) as typeof import('maplibre-gl');
library.setWorkerUrl(workerUrl);
