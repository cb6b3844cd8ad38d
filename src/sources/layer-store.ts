import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../app/errors.ts';
import type { LayerCard, LayerReader, LayerSample, LayerSnapshot } from '../app/ports.ts';
import { BandFile } from './band-file.ts';
import { cardKey, readCatalogue } from './layer-catalogue.ts';
import type { CatalogueEntry } from './layer-catalogue.ts';
import { LayerSampler } from './layer-sampler.ts';
import { transcodeLayer } from './layer-transcoding.ts';
import { TileCache } from './tile-cache.ts';

/** Where layers come from and where their serving form is kept. */
export interface LayerStoreOptions {
  /** Catalogues, read in order; their layers are served together. */
  readonly catalogues: readonly string[];
  /** Folder of the serving form, made as needed. */
  readonly folder: string;
  /** Memory for tiles [bytes]. */
  readonly cacheBytes?: number;
}

/** 64 MiB: 512 tiles of int16, the whole of a global layer at 5 arc-minutes three times over. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** How long a replaced layer stays open for the requests that began before [ms]; longer than any request lasts. */
const RETIRE_MS = 120_000;

/** A served layer, open. */
interface Served {
  readonly entry: CatalogueEntry;
  readonly band: BandFile;
  readonly sampler: LayerSampler;
}

type Layers = ReadonlyMap<string, Served>;

/** One state of the catalogue; it never changes. */
class CatalogueSnapshot implements LayerSnapshot {
  readonly #layers: Layers;
  readonly #cards: ReadonlyMap<string, readonly LayerCard[]>;

  constructor(layers: Layers) {
    this.#layers = layers;
    this.#cards = Map.groupBy(
      [...layers.values()].map(({ entry }) => entry.card),
      (card) => card.layer,
    );
  }

  cards(layer: string): readonly LayerCard[] {
    return this.#cards.get(layer) ?? [];
  }

  sample(card: LayerCard, lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    const served = this.#layers.get(cardKey(card));
    if (served === undefined) throw new RangeError(`layer ${cardKey(card)} is not in this snapshot`);
    return served.sampler.sample(lngs, lats);
  }
}

/** Tells whether a layer's source is still the file that its serving form was made from. */
async function originOf(entry: CatalogueEntry): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(entry.path);
    return JSON.stringify({ size, mtimeMs, band: entry.band, nodata: entry.nodata });
  } catch (error) {
    throw new InvalidInput(`layer ${cardKey(entry.card)}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The layers of the catalogues, served from uncompressed tiles. A layer that is new, or whose file has changed, is
 * transcoded once; after that it is opened at once. Nothing is inflated while a request waits.
 */
export class LayerStore implements LayerReader {
  readonly #options: LayerStoreOptions;
  readonly #tiles: TileCache;
  #nextId = 1;
  #layers: Layers = new Map();
  #snapshot = new CatalogueSnapshot(new Map());
  readonly #retired = new Map<NodeJS.Timeout, readonly BandFile[]>();

  private constructor(options: LayerStoreOptions) {
    this.#options = options;
    this.#tiles = new TileCache(options.cacheBytes ?? CACHE_BYTES);
  }

  /** @throws InvalidInput when a catalogue or a layer's file cannot be used; the message names it */
  static async open(options: LayerStoreOptions): Promise<LayerStore> {
    const store = new LayerStore(options);
    await store.reload();
    return store;
  }

  snapshot(): LayerSnapshot {
    return this.#snapshot;
  }

  /**
   * Reads the catalogues again. Snapshots taken before go on with what they had; on an error nothing changes.
   * @throws InvalidInput as `open` does
   */
  async reload(): Promise<void> {
    const entries = new Map<string, CatalogueEntry>();
    for (const path of this.#options.catalogues) {
      for (const entry of await readCatalogue(path)) {
        const key = cardKey(entry.card);
        if (entries.has(key)) throw new InvalidInput(`${path}: layer ${key} stands twice in the catalogues`);
        entries.set(key, entry);
      }
    }
    const layers = new Map<string, Served>();
    try {
      for (const [key, entry] of entries) layers.set(key, await this.#serve(key, entry));
    } catch (error) {
      for (const { band } of layers.values()) band.close();
      throw error;
    }
    this.#retire([...this.#layers.values()].map(({ band }) => band));
    this.#layers = layers;
    this.#snapshot = new CatalogueSnapshot(layers);
  }

  /** Closes every file; samples fail afterwards. */
  close(): void {
    for (const [timer, bands] of this.#retired) {
      clearTimeout(timer);
      for (const band of bands) band.close();
    }
    this.#retired.clear();
    for (const { band } of this.#layers.values()) band.close();
    this.#layers = new Map();
    this.#snapshot = new CatalogueSnapshot(this.#layers);
  }

  async #serve(key: string, entry: CatalogueEntry): Promise<Served> {
    const path = join(this.#options.folder, ...key.split('/'), 'band.gwl');
    const origin = await originOf(entry);
    let band = BandFile.open(path);
    if (band?.header.origin !== origin) {
      band?.close();
      await transcodeLayer(entry, path, origin);
      band = BandFile.open(path);
      if (band === null) throw new InvalidInput(`layer ${key}: ${path} could not be written whole`);
    }
    return { entry, band, sampler: new LayerSampler(entry, band, this.#nextId++, this.#tiles) };
  }

  #retire(bands: readonly BandFile[]): void {
    if (bands.length === 0) return;
    const timer = setTimeout(() => {
      this.#retired.delete(timer);
      for (const band of bands) band.close();
    }, RETIRE_MS);
    timer.unref();
    this.#retired.set(timer, bands);
  }
}
