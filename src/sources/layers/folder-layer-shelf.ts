import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type {
  InstalledLayer,
  LayerShelf,
  MadeRaster,
  RasterChoice,
  RasterFacts,
  ShelfFinding,
  StoredBand,
} from '../../app/layers/layer-shelf.ts';
import type { LayerCard } from '../../app/risk/layer-reader.ts';
import { BandFile } from './band-file.ts';
import { SQUARE_EDGE, writeBand } from './band-writer.ts';
import { readCatalogue } from './layer-catalogue.ts';
import type { LayerFolder } from './layer-folder.ts';
import { filesOf, folderLayers, type LayerHome } from './layer-home.ts';
import { layerFiles, type LayerFiles } from './layer-files.ts';
import { type BandContent, sampleStep } from './band-content.ts';
import { arraysDigest } from '../../formats/arrays/open-arrays.ts';
import { MAX_BAND_PIXELS } from '../../formats/tiff/image.ts';

/** Number of tiles that a check reads before it yields to the event loop. */
const CHECK_TILES = 64;

/** Layers in a folder: one immutable file of tiles for each piece, and one catalogue. */
export class FolderLayerShelf implements LayerShelf {
  readonly #home: LayerHome;
  readonly #folder: LayerFolder;
  readonly #shipped: readonly string[];

  readonly #files: LayerFiles;

  /**
   * @param options.catalogues paths of the shipped catalogues
   * @param options.home where the layers are; by default in `folder` alone
   * @param options.files reads the GeoTIFFs that are added; by default in this process
   */
  constructor(options: {
    readonly folder: string;
    readonly catalogues: readonly string[];
    readonly home?: LayerHome;
    readonly files?: LayerFiles;
  }) {
    this.#files = options.files ?? layerFiles;
    this.#home = options.home ?? folderLayers(options.folder);
    this.#folder = this.#home.folder;
    this.#shipped = options.catalogues;
  }

  async shipped(): Promise<readonly LayerCard[]> {
    const cards: LayerCard[] = [];
    for (const path of this.#shipped) cards.push(...(await readCatalogue(path)).map(({ card }) => card));
    return cards;
  }

  installed(): Promise<readonly InstalledLayer[]> {
    return this.#home.catalogue.read();
  }

  async inspect(choice: RasterChoice): Promise<RasterFacts> {
    const facts = await this.#files.describe(choice);
    return { ...facts, sha256: await arraysDigest(choice.path) };
  }

  async read(choice: RasterChoice): Promise<MadeRaster> {
    const stored = await this.store(choice);
    try {
      const band = BandFile.open(join(this.#folder.files, stored.file));
      if (band === null) throw new InvalidInput(`${stored.file} is gone`);
      try {
        const { scale, offset } = await this.#files.describe(choice);
        return { grid: band.header.grid, samples: wholeBand(band, scale, offset) };
      } finally {
        band.close();
      }
    } finally {
      await this.discard(stored);
    }
  }

  async store(choice: RasterChoice): Promise<StoredBand> {
    const file = `${randomUUID()}.gwl`;
    try {
      return { file, ...(await this.#files.transcode(choice, join(this.#folder.files, file))) };
    } catch (error) {
      // A process that is ended because of the file leaves its draft.
      for (const name of await readdir(this.#folder.files).catch(() => []))
        if (name.startsWith(file)) await this.#remove(name);
      throw error;
    }
  }

  async storeMade({ grid, samples }: MadeRaster): Promise<StoredBand> {
    const file = `${randomUUID()}.gwl`;
    const header = { grid, kind: 'float32', nodata: null, origin: 'derived' } as const;
    await writeBand(join(this.#folder.files, file), header, Number.NaN, (squares, squareRow) => {
      const top = squareRow * SQUARE_EDGE;
      for (let row = top; row < Math.min(grid.height, top + SQUARE_EDGE); row++) {
        for (let left = 0; left < grid.width; left += SQUARE_EDGE) {
          const from = row * grid.width + left;
          const to = Math.min(from + SQUARE_EDGE, (row + 1) * grid.width);
          squares.set(samples.subarray(from, to), (left + row - top) * SQUARE_EDGE);
        }
      }
    });
    return { file, ...contentOf(samples, sampleStep(grid.width, grid.height)) };
  }

  async discard({ file }: StoredBand): Promise<void> {
    await rm(join(this.#folder.files, file), { force: true });
  }

  async update(change: (layers: readonly InstalledLayer[]) => readonly InstalledLayer[]): Promise<void> {
    let kept: readonly InstalledLayer[] = [];
    let before: readonly InstalledLayer[] = [];
    await this.#home.catalogue.update(async (layers) => {
      before = layers;
      kept = change(layers);
      const known = new Set(filesOf(before));
      for (const file of filesOf(kept)) if (!known.has(file)) await this.#home.share(file);
      return kept;
    });
    const named = new Set(filesOf(kept));
    // A running service keeps removed files open until its earlier requests have ended.
    for (const file of filesOf(before)) if (!named.has(file)) await this.#home.remove(file);
    await this.#home.sweep(named);
  }

  async *check(): AsyncIterable<ShelfFinding> {
    for (const catalogue of this.#shipped) {
      for (const { card } of await readCatalogue(catalogue)) {
        const path = this.#folder.shipped(card);
        const problem = await problemOf(path);
        yield {
          card,
          path,
          problem: problem && `${problem}; delete it and it is made again at the next start`,
        };
      }
    }
    for (const { card, pieces } of await this.#home.catalogue.read()) {
      for (const { file, from } of pieces) {
        const path = join(this.#folder.files, file);
        const problem = await this.#home.bring(file).then(
          () => problemOf(path),
          (error: Error) => error.message,
        );
        yield { card, path, problem: problem && `${problem}; add ${from} again with --replace` };
      }
    }
  }

  async #remove(file: string): Promise<void> {
    await rm(join(this.#folder.files, file), { force: true }).catch(() => undefined);
  }
}

/** @param step every how many rows and columns a value is sampled */
function contentOf(samples: Float32Array, step: number): BandContent {
  const sample: number[] = [];
  for (let i = 0; i < samples.length; i += step * step)
    if (!Number.isNaN(samples[i])) sample.push(samples[i]!);
  let [validCount, lowest, highest] = [0, Infinity, -Infinity];
  for (const value of samples) {
    if (Number.isNaN(value)) continue;
    validCount++;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return { validCount, lowest, highest, sample };
}

function wholeBand(band: BandFile, scale: number, offset: number): Float32Array {
  const { grid, nodata, tileEdge } = band.header;
  if (grid.width * grid.height > MAX_BAND_PIXELS) {
    throw new InvalidInput(
      `${grid.width} x ${grid.height} cells are too many to work on together; at most ${MAX_BAND_PIXELS}`,
    );
  }
  const samples = new Float32Array(grid.width * grid.height);
  const across = Math.ceil(grid.width / tileEdge);
  for (let tile = 0; tile < band.slots.length; tile++) {
    const values = band.readTile(tile);
    const [left, top] = [(tile % across) * tileEdge, Math.floor(tile / across) * tileEdge];
    for (let row = top; row < Math.min(top + tileEdge, grid.height); row++) {
      for (let col = left; col < Math.min(left + tileEdge, grid.width); col++) {
        const value = values[(row - top) * tileEdge + col - left]!;
        samples[row * grid.width + col] = value === nodata ? Number.NaN : value * scale + offset;
      }
    }
  }
  return samples;
}

/** Reads all tiles of a served file. Returns a message when it is damaged, else null. */
async function problemOf(path: string): Promise<string | null> {
  let band: BandFile | null = null;
  try {
    band = BandFile.open(path);
    if (band === null) return `${path} is missing`;
    for (let tile = 0; tile < band.slots.length; tile++) {
      band.readTile(tile);
      if (tile % CHECK_TILES === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    band?.close();
  }
}
