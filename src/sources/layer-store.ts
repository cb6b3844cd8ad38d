import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../app/errors.ts';
import type { InstalledLayer } from '../app/layer-shelf.ts';
import type { LayerCard, LayerColumns, LayerReader, LayerSample, LayerSnapshot } from '../app/ports.ts';
import { BandFile, DamagedBand } from './band-file.ts';
import { type BandMap, type MapStack, stackMaps } from './band-stack.ts';
import { InstalledCatalogue } from './installed-catalogue.ts';
import { cardKey, readCatalogue } from './layer-catalogue.ts';
import type { CatalogueEntry } from './layer-catalogue.ts';
import { layerFolder, type LayerFolder } from './layer-folder.ts';
import { LayerMosaic } from './layer-mosaic.ts';
import { LayerSampler } from './layer-sampler.ts';
import { openLayerSource } from './layer-source.ts';
import { transcodeLayer } from './layer-transcoding.ts';
import { type BandTiles, TileCache } from './tile-cache.ts';

/** Where layers come from and where their serving form is kept. */
export interface LayerStoreOptions {
  /** Catalogues that ship, read in order; their layers are served together with those installed. */
  readonly catalogues: readonly string[];
  /** Folder of the serving form, made as needed, and of the user's catalogue. */
  readonly folder: string;
  /** Memory for tiles [bytes]. */
  readonly cacheBytes?: number;
  /** Told of each installed layer that cannot be served: the others are. */
  readonly onProblem?: (message: string) => void;
}

/** 64 MiB: 512 tiles of int16, the whole of a global layer at 5 arc-minutes three times over. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** How long a replaced layer stays open for the requests that began before [ms]; longer than any request lasts. */
const RETIRE_MS = 120_000;
/** Between looks at the user's catalogue [ms]. */
const WATCH_MS = 1000;

/** A band that is open, and its tiles. */
interface OpenBand {
  readonly band: BandFile;
  readonly tiles: BandTiles;
}

/** A served map. */
interface Served {
  readonly card: LayerCard;
  readonly source: Pick<LayerSampler, 'sample' | 'read'>;
  /** Where it lies when it is in one piece: it may then be read with others. */
  readonly whole?: BandMap;
}

/** One state of the catalogue; it never changes. */
class CatalogueSnapshot implements LayerSnapshot {
  readonly #layers: ReadonlyMap<LayerCard, Served>;
  readonly #cards: ReadonlyMap<string, readonly LayerCard[]>;
  readonly #stacks: readonly MapStack[];

  constructor(layers: ReadonlyMap<string, Served>, tiles: TileCache) {
    this.#stacks = stackMaps(
      [...layers.values()].flatMap(({ whole }) => whole ?? []),
      tiles,
    );
    this.#layers = new Map([...layers.values()].map((served) => [served.card, served]));
    this.#cards = Map.groupBy(
      [...layers.values()].map(({ card }) => card),
      (card) => card.layer,
    );
  }

  cards(layer: string): readonly LayerCard[] {
    return this.#cards.get(layer) ?? [];
  }

  sample(card: LayerCard, lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    return this.#sourceOf(card).sample(lngs, lats);
  }

  reader(cards: readonly LayerCard[]): LayerColumns {
    const column = new Map(cards.map((card, c) => [card, c]));
    const stacks = this.#stacks.filter((stack) => stack.cards.every((card) => column.has(card)));
    const stacked = new Set(stacks.flatMap((stack) => stack.cards));
    const sources = [
      ...stacks.map(({ cards: maps, sampler }) => ({
        source: sampler,
        columns: maps.map((card) => column.get(card)!),
      })),
      ...cards
        .filter((card) => !stacked.has(card))
        .map((card) => ({ source: this.#sourceOf(card), columns: [column.get(card)!] })),
    ];
    return (lngs, lats, into) => {
      for (const { source, columns } of sources) source.read(lngs, lats, into, columns);
    };
  }

  #sourceOf(card: LayerCard): Served['source'] {
    const served = this.#layers.get(card);
    if (served === undefined) throw new RangeError(`layer ${cardKey(card)} is not in this snapshot`);
    return served.source;
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
 * The layers that ship and those that are installed, served from uncompressed tiles. What ships is transcoded at the
 * first start, and again when its file has changed; what is installed was transcoded then. Nothing is inflated while a
 * request waits.
 */
export class LayerStore implements LayerReader {
  readonly #options: LayerStoreOptions;
  readonly #folder: LayerFolder;
  readonly #installed: InstalledCatalogue;
  readonly #tiles: TileCache;
  /** By path. */
  #bands: ReadonlyMap<string, OpenBand> = new Map();
  #snapshot: CatalogueSnapshot;
  #reloading: Promise<void> = Promise.resolve();
  #stamp: string | null = null;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #retired = new Map<NodeJS.Timeout, readonly BandFile[]>();

  private constructor(options: LayerStoreOptions) {
    this.#options = options;
    this.#folder = layerFolder(options.folder);
    this.#installed = new InstalledCatalogue(this.#folder.catalogue);
    this.#tiles = new TileCache(options.cacheBytes ?? CACHE_BYTES);
    this.#snapshot = new CatalogueSnapshot(new Map(), this.#tiles);
  }

  /** @throws InvalidInput when a catalogue, or the file of a layer that ships, cannot be used; the message names it */
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
  reload(): Promise<void> {
    const next = this.#reloading.then(() => this.#reload());
    this.#reloading = next.catch(() => undefined);
    return next;
  }

  /**
   * Follows the user's catalogue from now on: a change is served within about a second. By polling, since file systems
   * that are mounted from elsewhere do not tell of changes.
   */
  watch(onError: (error: unknown) => void): void {
    const look = async (): Promise<void> => {
      try {
        if ((await this.#installed.stamp()) !== this.#stamp) await this.reload();
      } catch (error) {
        onError(error);
      }
      if (this.#closed) return;
      this.#watch = setTimeout(() => void look(), WATCH_MS);
      this.#watch.unref();
    };
    void look();
  }

  /** Closes every file; samples fail afterwards. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#watch);
    for (const [timer, bands] of this.#retired) {
      clearTimeout(timer);
      for (const band of bands) band.close();
    }
    this.#retired.clear();
    for (const { band } of this.#bands.values()) band.close();
    this.#bands = new Map();
    this.#snapshot = new CatalogueSnapshot(new Map(), this.#tiles);
  }

  async #reload(): Promise<void> {
    // Taken before: a change that comes while the files are opened is seen at the next look.
    const stamp = await this.#installed.stamp();
    const installed = await this.#installed.read();
    const shipped = new Map<string, CatalogueEntry>();
    for (const path of this.#options.catalogues) {
      for (const entry of await readCatalogue(path)) {
        const key = cardKey(entry.card);
        if (shipped.has(key)) throw new InvalidInput(`${path}: layer ${key} stands twice in the catalogues`);
        shipped.set(key, entry);
      }
    }
    const bands = new Map<string, OpenBand>();
    const layers = new Map<string, Served>();
    try {
      // The last added first: it answers where nothing else tells two versions apart.
      for (const layer of installed.toReversed()) {
        const served = this.#serveInstalled(layer, bands);
        if (served !== null) layers.set(cardKey(layer.card), served);
      }
      for (const [key, entry] of shipped) {
        const served = await this.#serveShipped(entry, bands);
        if (!layers.has(key)) layers.set(key, served);
      }
      if (this.#closed) throw new RangeError('the layers were closed');
    } catch (error) {
      for (const [path, { band }] of bands) if (this.#bands.get(path)?.band !== band) band.close();
      throw error;
    }
    const still = new Set([...bands.values()].map(({ band }) => band));
    this.#retire([...this.#bands.values()].map(({ band }) => band).filter((band) => !still.has(band)));
    this.#bands = bands;
    this.#snapshot = new CatalogueSnapshot(layers, this.#tiles);
    this.#stamp = stamp;
  }

  async #serveShipped(entry: CatalogueEntry, bands: Map<string, OpenBand>): Promise<Served> {
    const path = this.#folder.shipped(entry.card);
    const origin = await originOf(entry);
    let open = this.#bands.get(path);
    if (open?.band.header.origin !== origin) {
      let band = openIfWhole(path);
      if (band?.header.origin !== origin) {
        band?.close();
        const source = await openLayerSource(entry.path, entry.band, entry.nodata);
        try {
          await transcodeLayer(source, path, origin);
        } finally {
          await source.file.close();
        }
        band = BandFile.open(path);
        if (band === null) throw new InvalidInput(`${path} was removed while it was written`);
      }
      open = { band, tiles: this.#tiles.of(band) };
    }
    bands.set(path, open);
    return {
      card: entry.card,
      source: new LayerSampler(entry, open.band.header, open.tiles),
      whole: { card: entry.card, reading: entry, band: open.band },
    };
  }

  /** Null when no piece of it can be read. */
  #serveInstalled(
    { card, interpolation, pieces }: InstalledLayer,
    bands: Map<string, OpenBand>,
  ): Served | null {
    const found = [];
    // Finest first, and of the same fineness the last added.
    for (const piece of pieces.toReversed().sort((a, b) => a.resolutionM - b.resolutionM)) {
      const path = join(this.#folder.files, piece.file);
      let open = this.#bands.get(path);
      if (open === undefined) {
        try {
          const band = BandFile.open(path);
          if (band === null) throw new DamagedBand(`${path} is missing`);
          open = { band, tiles: this.#tiles.of(band) };
        } catch (error) {
          this.#options.onProblem?.(
            `Layer ${cardKey(card)} is served without ${piece.from}: ${(error as Error).message}`,
          );
          continue;
        }
      }
      bands.set(path, open);
      const reading = { interpolation, scale: piece.scale, offset: piece.offset };
      const sampler = new LayerSampler(reading, open.band.header, open.tiles);
      found.push({ sampler, coverage: piece.coverage, whole: { card, reading, band: open.band } });
    }
    if (found.length === 0) return null;
    const [first, second] = found;
    return second === undefined
      ? { card, source: first!.sampler, whole: first!.whole }
      : { card, source: new LayerMosaic(found) };
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

/** What ships can be made again when it is damaged. */
function openIfWhole(path: string): BandFile | null {
  try {
    return BandFile.open(path);
  } catch (error) {
    if (error instanceof DamagedBand) return null;
    throw error;
  }
}
