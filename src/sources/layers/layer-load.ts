import { uniteBboxes } from '../../geo/bbox.ts';
import { gridCoverage } from '../../geo/grid-coverage.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import { BandFile, DamagedBand, type ServedBand } from './band-file.ts';
import type { Served } from './catalogue-snapshot.ts';
import { cardKey, type CatalogueEntry } from './layer-catalogue.ts';
import type { LayerFolder } from './layer-folder.ts';
import { LayerMosaic } from './layer-mosaic.ts';
import { LayerSampler } from './layer-sampler.ts';
import { openLayerSource } from './layer-source.ts';
import { PackedBand } from './packed-band.ts';
import { transcodeLayer } from './layer-transcoding.ts';
import type { BandTiles, TileCache } from './tile-cache.ts';

/** An open band, and its cached tiles. */
export interface OpenBand {
  readonly band: ServedBand;
  readonly tiles: BandTiles;
}

/** Input of a load: the open bands and layers that it may reuse, and the folder and cache for new bands. */
interface LoadStart {
  readonly folder: LayerFolder;
  /** Why files of installed layers could not be fetched, by their names. */
  readonly lacking: ReadonlyMap<string, string>;
  readonly tiles: TileCache;
  /** Bands that are open, by path. */
  readonly bands: ReadonlyMap<string, OpenBand>;
  /** Layers that are served from the open bands. */
  readonly served: readonly Served[];
  /** Whether shipped layers are served directly from their GeoTIFFs where possible. */
  readonly isHurried: () => boolean;
  /** Reports a piece of a layer that cannot be served. */
  readonly onProblem: (message: string) => void;
}

/** Opens the layers of one state of the catalogues. Layers and bands that have not changed are reused. */
export class LayerLoad {
  /** The bands of the layers opened so far, by path. */
  readonly bands = new Map<string, OpenBand>();
  readonly #from: LoadStart;

  constructor(from: LoadStart) {
    this.#from = from;
  }

  /** Closes the bands that this load opened. */
  discard(): void {
    for (const [path, { band }] of this.bands) if (this.#from.bands.get(path)?.band !== band) band.close();
  }

  /** Returns the layer that is already served with this key, and reuses its bands; undefined if there is none. */
  #servedAs(key: string): Served | undefined {
    const served = this.#from.served.find((other) => other.key === key);
    for (const path of served?.paths ?? []) this.bands.set(path, this.#from.bands.get(path)!);
    return served;
  }

  /** Opens a shipped layer. @throws InvalidInput when its file cannot be used */
  async serveShipped(entry: CatalogueEntry): Promise<Served> {
    const path = this.#from.folder.shipped(entry.card);
    const origin = await originOf(entry);
    const state = JSON.stringify([
      entry.card,
      entry.band,
      entry.nodata,
      entry.interpolation,
      entry.scale,
      entry.offset,
    ]);
    const servedKey = `${origin} ${state}`;
    const packedKey = `packed ${servedKey}`;
    const known =
      this.#servedAs(servedKey) ?? (this.#from.isHurried() ? this.#servedAs(packedKey) : undefined);
    if (known !== undefined) return known;
    let open = this.#from.bands.get(path);
    if (open?.band.header.origin !== origin || (open.band instanceof PackedBand && !this.#from.isHurried())) {
      const band = await this.#openShipped(entry, path, origin);
      open = { band, tiles: this.#from.tiles.of(band) };
    }
    this.bands.set(path, open);
    return {
      card: entry.card,
      source: new LayerSampler(entry, open.band.header, open.tiles),
      whole: { card: entry.card, reading: entry, band: open.band },
      environment: 'all',
      key: open.band instanceof PackedBand ? packedKey : servedKey,
      state,
      coverage: gridCoverage(open.band.header.grid),
      paths: [path],
    };
  }

  /**
   * Opens the band file of a shipped layer, and makes it if it does not exist. During a hurried start the layer's
   * GeoTIFF is used instead where possible.
   */
  async #openShipped(entry: CatalogueEntry, path: string, origin: string): Promise<ServedBand> {
    const whole = openIfWhole(path);
    if (whole?.header.origin === origin) return whole;
    whole?.close();
    const source = await openLayerSource(entry.path, entry.band, entry.nodata);
    try {
      const packed = this.#from.isHurried() ? PackedBand.open(entry.path, source, origin) : null;
      if (packed !== null) return packed;
      await transcodeLayer(source, path, origin);
    } finally {
      await source.file.close();
    }
    const band = BandFile.open(path);
    if (band === null) throw new InvalidInput(`${path} was removed while it was written`);
    return band;
  }

  /** Opens an installed layer; null when none of its pieces can be read. */
  serveInstalled(layer: InstalledLayer): Served | null {
    const { environment, card, interpolation, pieces } = layer;
    const key = JSON.stringify(layer);
    const known = this.#servedAs(key);
    if (known !== undefined) return known;
    const found = [];
    // Finest resolution first; of equal resolutions, the piece that was added last.
    for (const piece of pieces.toReversed().sort((a, b) => a.resolutionM - b.resolutionM)) {
      const path = join(this.#from.folder.files, piece.file);
      let open = this.#from.bands.get(path);
      if (open === undefined) {
        try {
          const band = BandFile.open(path);
          if (band === null)
            throw new DamagedBand(this.#from.lacking.get(piece.file) ?? `${path} is missing`);
          open = { band, tiles: this.#from.tiles.of(band) };
        } catch (error) {
          this.#from.onProblem(
            `Layer ${cardKey(card)} is served without ${piece.from}: ${(error as Error).message}`,
          );
          continue;
        }
      }
      this.bands.set(path, open);
      const reading = { interpolation, scale: piece.scale, offset: piece.offset };
      const sampler = new LayerSampler(reading, open.band.header, open.tiles);
      found.push({
        sampler,
        coverage: piece.coverage,
        whole: { card, reading, band: open.band },
        piece,
        path,
      });
    }
    if (found.length === 0) return null;
    const [first, second] = found;
    const contents = found.map(({ piece }) => {
      const { sha256, variable, band, nodata, scale, offset, resolutionM, coverage } = piece;
      return [
        sha256,
        ...(variable === undefined ? [] : [variable]),
        band,
        nodata,
        scale,
        offset,
        resolutionM,
        coverage,
      ];
    });
    const about = {
      card,
      environment,
      // A key that never matches: the next load tries the missing pieces again.
      key: found.length === pieces.length ? key : `incomplete ${key}`,
      state: JSON.stringify([card, interpolation, contents]),
      coverage: found.map(({ piece }) => piece.coverage).reduce(uniteBboxes),
      paths: found.map(({ path }) => path),
    };
    return second === undefined
      ? { ...about, source: first!.sampler, whole: first!.whole }
      : { ...about, source: new LayerMosaic(found) };
  }
}

/** Form of the band files. Those of shipped layers are made again when it changes; those of others stay as they are. */
const BAND_FORM = 3;

/** Identifies a layer's source file. The band file is made again when this identifier changes. */
async function originOf(entry: CatalogueEntry): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(entry.path);
    return JSON.stringify({ size, mtimeMs, band: entry.band, nodata: entry.nodata, form: BAND_FORM });
  } catch (error) {
    throw new InvalidInput(`layer ${cardKey(entry.card)}: ${(error as Error).message}`, { cause: error });
  }
}

/** Opens a served band; null when it is missing or damaged, because a shipped band can be made again. */
function openIfWhole(path: string): BandFile | null {
  try {
    return BandFile.open(path);
  } catch (error) {
    if (error instanceof DamagedBand) return null;
    throw error;
  }
}
