import type { Bbox } from '../../geo/bbox.ts';
import { clipWindow, cutGrid, windowAround } from '../../geo/grid-window.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import type { LayerEnvironment } from './layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from './add-layer.ts';
import { publicLayer, type PublicLayer } from './public-layers.ts';
import type { RemoteFiles, WindowedRaster } from '../imagery/scene-source.ts';

/** Maximum number of pixels read from one tile: 0.5 GB of float32. */
const MAX_PIXELS = 2 ** 27;

/** The public map to install, and the box to install it for. */
export interface PublicLayerRequest {
  /** One of PUBLIC_LAYERS. */
  readonly name: string;
  readonly bounds: Bbox;
  readonly environment?: LayerEnvironment | undefined;
  /** Address or folder of a mirror of the map; undefined: the provider's address. */
  readonly mirror: string | undefined;
}

/**
 * Installs the part of a public map that a box overlaps, tile by tile. Providers have no tiles for open sea, so
 * missing tiles are skipped. Repeating the installation changes nothing.
 * @throws InvalidInput for an unknown name, a box without any tile, or a part that is too large;
 * UpstreamUnavailable
 */
export async function installPublicLayer(
  deps: LayerDeps & { readonly files: RemoteFiles },
  request: PublicLayerRequest,
  progress: (done: number, total: number) => void,
): Promise<readonly AddedLayer[]> {
  const layer = publicLayer(request.name);
  const base = baseOf(request);
  const wanted = await planPublicLayer(deps, request);
  const added: AddedLayer[] = [];
  for (const [done, { years, tile }] of wanted.entries()) {
    const raster = await openTile(deps.files, base + tile);
    if (raster !== null) {
      try {
        const piece = await cutTile(raster, tile, request.bounds);
        if (piece !== null)
          added.push(
            await addMadeLayer(deps, { ...cardOf(layer, years), ...piece, environment: request.environment }),
          );
      } finally {
        await raster.close();
      }
    }
    progress(done + 1, wanted.length);
  }
  if (added.length === 0)
    throw new InvalidInput(
      `--bbox: expected an area that ${request.name} covers; none of its ${wanted.length} tiles there exists: ${wanted
        .slice(0, 3)
        .map(({ tile }) => base + tile)
        .join(', ')}`,
      { param: 'bbox' },
    );
  return added;
}

/**
 * Finds the tiles of a public map that a box overlaps, by their paths below its address. Some may not exist.
 * @throws InvalidInput for an unknown name; UpstreamUnavailable
 */
export async function planPublicLayer(
  { files }: { readonly files: RemoteFiles },
  request: PublicLayerRequest,
): Promise<readonly { readonly years: number | null; readonly tile: string }[]> {
  const layer = publicLayer(request.name);
  const index = layer.index === undefined ? null : await files.readJson(baseOf(request) + layer.index);
  return layer.returnPeriods.flatMap((years) =>
    layer.tiles(request.bounds, years, index).map((tile) => ({ years, tile })),
  );
}

const baseOf = ({ name, mirror }: PublicLayerRequest): string =>
  `${(mirror ?? publicLayer(name).base).replace(/\/$/, '')}/`;

function cardOf(layer: PublicLayer, years: number | null) {
  const { version, date, licence, source } = layer;
  const period = years === null ? {} : { returnPeriodYears: years };
  return { layer: layer.layer, version, date, licence, source, ...period };
}

async function openTile(files: RemoteFiles, href: string): Promise<WindowedRaster | null> {
  try {
    return await files.open(href);
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/**
 * Reads the part of a tile that a box overlaps, with its scale and offset applied; null when they do not overlap.
 * @throws InvalidInput when the part is too large
 */
async function cutTile(raster: WindowedRaster, tile: string, bounds: Bbox) {
  const around = windowAround(raster.grid, bounds);
  const window = around && clipWindow(raster.grid, around);
  if (window === null) return null;
  if (window.width * window.height > MAX_PIXELS)
    throw new InvalidInput(
      `--bbox: ${tile} would take ${window.width} x ${window.height} pixels, at most ${MAX_PIXELS} can be taken at once; give smaller boxes one after the other`,
      { param: 'bbox' },
    );
  const samples = await raster.read(0, window);
  for (let i = 0; i < samples.length; i++) {
    const raw = samples[i]!;
    samples[i] = raw === raster.nodata ? Number.NaN : raw * raster.scale + raster.offset;
  }
  return { raster: { grid: cutGrid(raster.grid, window), samples }, from: tile.split('/').at(-1)! };
}
