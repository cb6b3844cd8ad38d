import type { Map as MapLibre } from 'maplibre-gl';
import type { Bounds } from './bounds.ts';

/** Pictures that the map shows below its areas: a scene, or a map of a risk. */
export interface RasterOnMap {
  /** What its tiles are: `scenes/{id}`, `colours/{id}` (a scene in true colour), `risk/{peril}` or `layers/{layer}`. */
  readonly path: string;
  readonly bounds: Bounds | undefined;
  readonly minzoom: number;
  readonly maxzoom: number;
}

/** Protocol of the addresses of tiles for the library. {@link tileOf} reads them. */
export const TILE_PROTOCOL = 'groundwatch';

/** A tile of a raster (`scenes/{id}`, `colours/{id}`, `risk/{peril}`), or of `areas` or `changes`. */
export interface RasterTile {
  readonly path: string;
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Reads an address of a tile, `groundwatch://{path}/{z}/{x}/{y}`. @throws RangeError for another address */
export function tileOf(address: string): RasterTile {
  const [, path, z, x, y] = /^groundwatch:\/\/(.+)\/(\d+)\/(\d+)\/(\d+)$/.exec(address) ?? [];
  if (path === undefined) throw new RangeError(`no tile: ${address}`);
  return { path, z: Number(z), x: Number(x), y: Number(y) };
}

/**
 * Shows one raster at a time on the map. The raster before stays until the tiles of the next one are there, so that the
 * ground does not vanish between two scenes.
 */
export class RasterOverlay {
  readonly #map: MapLibre;
  readonly #name: string;
  readonly #below: string;
  readonly #smooth: boolean;
  #shown: string[] = [];
  #count = 0;
  #raster: RasterOnMap | undefined;

  /** @param below id of the layer above which it is not drawn @param smooth whether pixels are interpolated */
  constructor(map: MapLibre, name: string, below: string, smooth: boolean) {
    this.#map = map;
    this.#name = name;
    this.#below = below;
    this.#smooth = smooth;
    map.on('sourcedata', ({ sourceId, isSourceLoaded }) => {
      if (isSourceLoaded && sourceId === this.#shown.at(-1)) this.#dropAllButLast();
    });
  }

  /** Shows another raster; undefined: none. Nothing happens when it is the one that is shown. */
  show(raster: RasterOnMap | undefined): void {
    if (JSON.stringify(raster) === JSON.stringify(this.#raster)) return;
    this.#raster = raster;
    if (raster === undefined) {
      for (const id of this.#shown.splice(0)) this.#drop(id);
      return;
    }
    // A raster that is still waiting for its tiles when the next one is chosen is left out.
    for (const id of this.#shown.splice(1)) this.#drop(id);
    this.#add(raster);
  }

  /** Adds the raster again after the style of the map was replaced. */
  restore(): void {
    this.#shown = [];
    if (this.#raster !== undefined) this.#add(this.#raster);
  }

  #add({ path, bounds, minzoom, maxzoom }: RasterOnMap): void {
    const id = `${this.#name}-${this.#count++}`;
    this.#map.addSource(id, {
      type: 'raster',
      tiles: [`${TILE_PROTOCOL}://${path}/{z}/{x}/{y}`],
      // Drawn at twice its size, a raster needs a quarter of the tiles. Zoomed in, a scene shows all its pixels.
      tileSize: 512,
      minzoom,
      maxzoom,
      ...(bounds !== undefined && { bounds: [...bounds] as [number, number, number, number] }),
    });
    this.#map.addLayer(
      {
        id,
        type: 'raster',
        source: id,
        paint: {
          'raster-fade-duration': 0,
          'raster-resampling': this.#smooth ? 'linear' : 'nearest',
        },
      },
      this.#below,
    );
    this.#shown.push(id);
  }

  #dropAllButLast(): void {
    for (const id of this.#shown.splice(0, this.#shown.length - 1)) this.#drop(id);
  }

  #drop(id: string): void {
    if (this.#map.getLayer(id)) this.#map.removeLayer(id);
    if (this.#map.getSource(id)) this.#map.removeSource(id);
  }
}
