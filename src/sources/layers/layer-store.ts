import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { Environment } from '../../app/owner.ts';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import type { LayerReader, LayerSnapshot } from '../../app/risk/layer-reader.ts';
import type { ServedBand } from './band-file.ts';
import { roomIn } from './band-writer.ts';
import { DamagedObject, ObjectStoreFailed } from '../../net/object-store.ts';
import { stackMaps } from './band-stack.ts';
import { CatalogueSnapshot, isSameList, layersOf, NOTHING, type Served } from './catalogue-snapshot.ts';
import { cardKey, readCatalogue } from './layer-catalogue.ts';
import type { CatalogueEntry } from './layer-catalogue.ts';
import { isDiskFull } from '../../base/disk-full.ts';
import { filesOf, folderLayers, type LayerHome } from './layer-home.ts';
import { LayerLoad, type OpenBand } from './layer-load.ts';
import { TileCache } from './tile-cache.ts';

/** Where layers come from, and where the files from which they are served are stored. */
export interface LayerStoreOptions {
  /** Paths of the shipped catalogues, read in order. */
  readonly catalogues: readonly string[];
  /** Folder for the files from which layers are served, and for the user's catalogue; created when needed. */
  readonly folder: string;
  /** Where the installed layers are; by default in `folder` alone. */
  readonly home?: LayerHome;
  /** Whether installed layers are left out until {@link LayerStore.loadInstalled} is called. */
  readonly isShippedOnly?: boolean;
  /** Size of the tile cache [bytes]. */
  readonly cacheBytes?: number;
  /**
   * Whether shipped layers are served directly from their GeoTIFFs where possible, until `settle` is called.
   * This makes the start faster, because making the band files takes seconds.
   */
  readonly isHurried?: boolean;
  /** Space for the files from which shipped layers are served [bytes]; undefined: what the disk of the folder has. */
  readonly roomBytes?: number;
  /** Called for each installed layer that cannot be served. The other layers are served. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Default size of the tile cache [bytes]: 128 MiB, which is 16,384 tiles of int16 and holds all tiles of the shipped
 * layers that have more than one value.
 */
const CACHE_BYTES = 128 * 1024 * 1024;
/**
 * Size of the band files of all shipped layers [bytes], rounded up. On a disk with less room, such as that of a worker
 * without a disk of its own, shipped layers are served from their GeoTIFFs, which takes 1 ms more for each new tile.
 */
const SHIPPED_BYTES = 160e6;
/** How long a replaced layer stays open for running requests [ms]; longer than any request takes. */
const RETIRE_MS = 120_000;
/** Stamp of a catalogue that could not be read: no other is equal. */
const UNKNOWN = 'unknown';
/** Pause after which layers that this node could not fetch are tried again [ms]. */
const AGAIN_MS = 60_000;

/**
 * Serves shipped and installed layers from uncompressed tiles. Shipped layers are transcoded at the first start, and
 * again when their file has changed; installed layers were transcoded at installation. Requests never wait for
 * decompression, except during a hurried first start.
 */
export class LayerStore implements LayerReader {
  readonly #options: LayerStoreOptions;
  readonly #home: LayerHome;
  readonly #tiles: TileCache;
  /** Open bands by path. */
  #bands: ReadonlyMap<string, OpenBand> = new Map();
  #snapshots: Readonly<Record<Environment, CatalogueSnapshot>> = NOTHING;
  #reloading: Promise<void> = Promise.resolve();
  #stamp: string | null = null;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;
  #isHurried: boolean;
  #isShippedOnly: boolean;
  /** When layers that could not be fetched are tried again [ms, as `performance.now`]. */
  #againMs = Infinity;
  readonly #hasRoom: boolean;
  readonly #retired = new Map<NodeJS.Timeout, readonly ServedBand[]>();

  private constructor(options: LayerStoreOptions, hasRoom: boolean) {
    this.#options = options;
    this.#home = options.home ?? folderLayers(options.folder);
    this.#isShippedOnly = options.isShippedOnly ?? false;
    this.#tiles = new TileCache(options.cacheBytes ?? CACHE_BYTES);
    this.#hasRoom = hasRoom;
    this.#isHurried = (options.isHurried ?? false) || !hasRoom;
  }

  /** @throws InvalidInput when a catalogue or the file of a shipped layer cannot be used; the message names it */
  static async open(options: LayerStoreOptions): Promise<LayerStore> {
    const { folder, roomBytes = await roomIn(existsSync(folder) ? folder : dirname(folder)) } = options;
    const store = new LayerStore(options, roomBytes >= SHIPPED_BYTES);
    await store.#start();
    return store;
  }

  /** Loads the layers for the first time; while the bucket is away those that this node served last. */
  async #start(): Promise<void> {
    try {
      await this.reload();
    } catch (error) {
      const last = error instanceof ObjectStoreFailed ? await this.#home.lastServed() : undefined;
      if (last === undefined) throw error;
      this.#options.onProblem?.(`The layers are those that this node served last: ${String(error)}`);
      await this.#load(last, new Map());
      this.#stamp = UNKNOWN;
    }
  }

  snapshot(environment: Environment): LayerSnapshot {
    return this.#snapshots[environment];
  }

  /**
   * Reads the catalogues again. Earlier snapshots keep their layers. On an error nothing changes.
   * @throws InvalidInput as `open` does
   */
  reload(): Promise<void> {
    const next = this.#reloading.then(() => this.#reload());
    this.#reloading = next.catch(() => undefined);
    return next;
  }

  /**
   * Ends the hurried start: makes the band files of the layers that were served from their GeoTIFFs, if there is room.
   * Samples do not change.
   * @throws InvalidInput as `open` does
   */
  async settle(): Promise<void> {
    if (!this.#isHurried || !this.#hasRoom) return;
    this.#isHurried = false;
    await this.reload().catch((error: unknown) => {
      if (!this.#closed) throw error;
    });
  }

  /** Opens the installed layers as well, if they were left out, and fetches those that this node lacks. */
  async loadInstalled(): Promise<void> {
    if (!this.#isShippedOnly) return;
    this.#isShippedOnly = false;
    await this.reload();
  }

  /**
   * Starts polling the user's catalogue: a change is served within about a second, in a bucket within about two and the
   * time that its files take. Network file systems do not report changes, so there is no file watcher.
   */
  watch(onError: (error: unknown) => void): void {
    const look = async (): Promise<void> => {
      try {
        const isOther = !this.#isShippedOnly && (await this.#home.catalogue.stamp()) !== this.#stamp;
        if (isOther || performance.now() > this.#againMs) await this.reload();
      } catch (error) {
        if (!this.#closed) onError(error);
      }
      if (this.#closed) return;
      this.#watch = setTimeout(() => void look(), this.#home.lookMs);
      this.#watch.unref();
    };
    void look();
  }

  /** Closes every file. Sampling fails afterwards. */
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
    this.#snapshots = NOTHING;
  }

  async #reload(): Promise<void> {
    // The stamp is read before the catalogue, so that a change during loading is noticed at the next poll.
    const stamp = this.#isShippedOnly ? null : await this.#home.catalogue.stamp();
    const installed = this.#isShippedOnly ? [] : await this.#home.catalogue.read();
    const lacking = await this.#bring(filesOf(installed));
    await this.#load(installed, lacking);
    this.#stamp = stamp;
    this.#againMs = lacking.size > 0 ? performance.now() + AGAIN_MS : Infinity;
    if (!this.#isShippedOnly) await this.#noteServed(installed);
  }

  /** Notes what is served, for a start while the bucket is away. Without disk space it goes on, and tries again. */
  async #noteServed(installed: readonly InstalledLayer[]): Promise<void> {
    try {
      await this.#home.keepServed(installed);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#againMs = performance.now() + AGAIN_MS;
      this.#options.onProblem?.(`Which layers this node serves cannot be noted: ${String(error)}`);
    }
  }

  /** @param lacking why files of installed layers could not be fetched, by their names */
  async #load(installed: readonly InstalledLayer[], lacking: ReadonlyMap<string, string>): Promise<void> {
    const shipped = new Map<string, CatalogueEntry>();
    for (const path of this.#options.catalogues) {
      for (const entry of await readCatalogue(path)) {
        const key = cardKey(entry.card);
        if (shipped.has(key)) throw new InvalidInput(`${path}: layer ${key} stands twice in the catalogues`);
        shipped.set(key, entry);
      }
    }
    const load = new LayerLoad({
      folder: this.#home.folder,
      lacking,
      tiles: this.#tiles,
      bands: this.#bands,
      served: Object.values(this.#snapshots).flatMap(({ layers }) => layers),
      isHurried: () => this.#isHurried,
      onProblem: (message) => this.#options.onProblem?.(message),
    });
    const layers: Served[] = [];
    try {
      // The layer that was added last comes first, so that it is used where two versions are otherwise equal.
      for (const layer of installed.toReversed()) {
        const served = load.serveInstalled(layer);
        if (served !== null) layers.push(served);
      }
      for (const entry of shipped.values()) {
        layers.push(await load.serveShipped(entry));
        if (this.#closed) throw new RangeError('the layers were closed');
      }
    } catch (error) {
      load.discard();
      throw error;
    }
    const still = new Set([...load.bands.values()].map(({ band }) => band));
    this.#retire([...this.#bands.values()].map(({ band }) => band).filter((band) => !still.has(band)));
    this.#bands = load.bands;
    this.#snapshots = this.#snapshotsOf(layers);
  }

  /** Fetches files that this node lacks. @returns why some cannot be fetched, by their names */
  async #bring(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const lacking = new Map<string, string>();
    for (const file of files) {
      try {
        await this.#home.bring(file);
      } catch (error) {
        if (error instanceof ObjectStoreFailed && !(error instanceof DamagedObject)) throw error;
        lacking.set(file, (error as Error).message);
      }
    }
    return lacking;
  }

  /**
   * Snapshots of all environments. Environments with the same layers share one snapshot. Current snapshots that have
   * not changed are reused.
   */
  #snapshotsOf(layers: readonly Served[]): Readonly<Record<Environment, CatalogueSnapshot>> {
    const known = Object.values(this.#snapshots);
    const stacks = known.flatMap((snapshot) => snapshot.stacks);
    const snapshotOf = (environment: Environment): CatalogueSnapshot => {
      const mine = layersOf(environment, layers);
      const same = known.find((snapshot) => isSameList(snapshot.layers, mine));
      if (same !== undefined) return same;
      const maps = mine.flatMap(({ whole }) => whole ?? []);
      const made = new CatalogueSnapshot(mine, stackMaps(maps, this.#tiles, stacks));
      known.push(made);
      return made;
    };
    return {
      sandbox: snapshotOf('sandbox'),
      staging: snapshotOf('staging'),
      production: snapshotOf('production'),
    };
  }

  #retire(bands: readonly ServedBand[]): void {
    if (bands.length === 0) return;
    const timer = setTimeout(() => {
      this.#retired.delete(timer);
      for (const band of bands) band.close();
    }, RETIRE_MS);
    timer.unref();
    this.#retired.set(timer, bands);
  }
}
