import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import type { Environment } from '../../app/owner.ts';
import type { LayerReader, LayerSnapshot } from '../../app/risk/layer-reader.ts';
import { BandFile, DamagedBand, type ServedBand } from './band-file.ts';
import { stackMaps } from './band-stack.ts';
import { CatalogueSnapshot, isSameList, layersOf, NOTHING, type Served } from './catalogue-snapshot.ts';
import { InstalledCatalogue } from './installed-catalogue.ts';
import { cardKey, readCatalogue } from './layer-catalogue.ts';
import type { CatalogueEntry } from './layer-catalogue.ts';
import { layerFolder, type LayerFolder } from './layer-folder.ts';
import { LayerMosaic } from './layer-mosaic.ts';
import { LayerSampler } from './layer-sampler.ts';
import { openLayerSource } from './layer-source.ts';
import { PackedBand } from './packed-band.ts';
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
  /** Whether what ships is served out of its files where it can be, until `settle`: to make its serving form takes a second or two. */
  readonly isHurried?: boolean;
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
  readonly band: ServedBand;
  readonly tiles: BandTiles;
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
 * request waits, but in a first start that is in a hurry.
 */
export class LayerStore implements LayerReader {
  readonly #options: LayerStoreOptions;
  readonly #folder: LayerFolder;
  readonly #installed: InstalledCatalogue;
  readonly #tiles: TileCache;
  /** By path. */
  #bands: ReadonlyMap<string, OpenBand> = new Map();
  #snapshots: Readonly<Record<Environment, CatalogueSnapshot>> = NOTHING;
  #reloading: Promise<void> = Promise.resolve();
  #stamp: string | null = null;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;
  #isHurried: boolean;
  readonly #retired = new Map<NodeJS.Timeout, readonly ServedBand[]>();

  private constructor(options: LayerStoreOptions) {
    this.#options = options;
    this.#folder = layerFolder(options.folder);
    this.#installed = new InstalledCatalogue(this.#folder.catalogue);
    this.#tiles = new TileCache(options.cacheBytes ?? CACHE_BYTES);
    this.#isHurried = options.isHurried ?? false;
  }

  /** @throws InvalidInput when a catalogue, or the file of a layer that ships, cannot be used; the message names it */
  static async open(options: LayerStoreOptions): Promise<LayerStore> {
    const store = new LayerStore(options);
    await store.reload();
    return store;
  }

  snapshot(environment: Environment): LayerSnapshot {
    return this.#snapshots[environment];
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
   * Makes the serving form of what was served without: the haste is over. Answers stay the same.
   * @throws InvalidInput as `open` does
   */
  async settle(): Promise<void> {
    if (!this.#isHurried) return;
    this.#isHurried = false;
    await this.reload().catch((error: unknown) => {
      if (!this.#closed) throw error;
    });
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
        if (!this.#closed) onError(error);
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
    this.#snapshots = NOTHING;
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
    const layers: Served[] = [];
    try {
      // The last added first: it answers where nothing else tells two versions apart.
      for (const layer of installed.toReversed()) {
        const served = this.#serveInstalled(layer, bands);
        if (served !== null) layers.push(served);
      }
      for (const entry of shipped.values()) {
        layers.push(await this.#serveShipped(entry, bands));
        if (this.#closed) throw new RangeError('the layers were closed');
      }
    } catch (error) {
      for (const [path, { band }] of bands) if (this.#bands.get(path)?.band !== band) band.close();
      throw error;
    }
    const still = new Set([...bands.values()].map(({ band }) => band));
    this.#retire([...this.#bands.values()].map(({ band }) => band).filter((band) => !still.has(band)));
    this.#bands = bands;
    this.#snapshots = this.#snapshotsOf(layers);
    this.#stamp = stamp;
  }

  /** What serves each environment; environments that nothing tells apart, or that nothing changed for, share their snapshot. */
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

  /** What is served already and is made of the same; its bands stay open. */
  #servedAs(key: string, bands: Map<string, OpenBand>): Served | undefined {
    for (const { layers } of Object.values(this.#snapshots)) {
      const served = layers.find((other) => other.key === key);
      if (served === undefined) continue;
      for (const path of served.paths) bands.set(path, this.#bands.get(path)!);
      return served;
    }
    return undefined;
  }

  async #serveShipped(entry: CatalogueEntry, bands: Map<string, OpenBand>): Promise<Served> {
    const path = this.#folder.shipped(entry.card);
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
      this.#servedAs(servedKey, bands) ?? (this.#isHurried ? this.#servedAs(packedKey, bands) : undefined);
    if (known !== undefined) return known;
    let open = this.#bands.get(path);
    if (open?.band.header.origin !== origin || (open.band instanceof PackedBand && !this.#isHurried)) {
      const band = await this.#openShipped(entry, path, origin);
      open = { band, tiles: this.#tiles.of(band) };
    }
    bands.set(path, open);
    return {
      card: entry.card,
      source: new LayerSampler(entry, open.band.header, open.tiles),
      whole: { card: entry.card, reading: entry, band: open.band },
      environment: 'all',
      key: open.band instanceof PackedBand ? packedKey : servedKey,
      state,
      paths: [path],
    };
  }

  /** Its serving form, made where it is not there; its file itself where that will do for now. */
  async #openShipped(entry: CatalogueEntry, path: string, origin: string): Promise<ServedBand> {
    const whole = openIfWhole(path);
    if (whole?.header.origin === origin) return whole;
    whole?.close();
    const source = await openLayerSource(entry.path, entry.band, entry.nodata);
    try {
      const packed = this.#isHurried ? PackedBand.open(entry.path, source, origin) : null;
      if (packed !== null) return packed;
      await transcodeLayer(source, path, origin);
    } finally {
      await source.file.close();
    }
    const band = BandFile.open(path);
    if (band === null) throw new InvalidInput(`${path} was removed while it was written`);
    return band;
  }

  /** Null when no piece of it can be read. */
  #serveInstalled(layer: InstalledLayer, bands: Map<string, OpenBand>): Served | null {
    const { environment, card, interpolation, pieces } = layer;
    const key = JSON.stringify(layer);
    const known = this.#servedAs(key, bands);
    if (known !== undefined) return known;
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
      const { sha256, band, nodata, scale, offset, resolutionM, coverage } = piece;
      return [sha256, band, nodata, scale, offset, resolutionM, coverage];
    });
    const about = {
      card,
      environment,
      // What lacks a piece is looked at again each time.
      key: found.length === pieces.length ? key : `incomplete ${key}`,
      state: JSON.stringify([card, interpolation, contents]),
      paths: found.map(({ path }) => path),
    };
    return second === undefined
      ? { ...about, source: first!.sampler, whole: first!.whole }
      : { ...about, source: new LayerMosaic(found) };
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

/** What ships can be made again when it is damaged. */
function openIfWhole(path: string): BandFile | null {
  try {
    return BandFile.open(path);
  } catch (error) {
    if (error instanceof DamagedBand) return null;
    throw error;
  }
}
