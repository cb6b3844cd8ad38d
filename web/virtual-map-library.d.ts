/** Made by the Vite plugin in map-library.ts. */
declare module 'virtual:map-library' {
  /** Address of the map library, an ES module with the exports of `maplibre-gl`. */
  export const libraryUrl: string;
  /** Address of the script of its worker. */
  export const workerUrl: string;
}
