import { opendir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type {
  FoundScene,
  SceneBand,
  SceneItem,
  SceneSource,
  WindowedRaster,
} from '../../app/imagery/scene-source.ts';
import { type Bbox, bboxesOverlap } from '../../geo/bbox.ts';
import { gridBbox } from '../../geo/pixel-outline.ts';
import type { Band } from '../../raster/spectral-index.ts';
import { type LandsatMetadata, readLandsatMetadata } from './landsat-metadata.ts';
import { readSceneFileName, type SceneName, type ScenePart } from './scene-file-name.ts';
import { asOurs } from './stac-catalogue.ts';

const MAX_DEPTH = 8; // folders within folders: a Sentinel-2 product has five

/** A folder of downloaded scenes, each file named as its provider names it. */
export class SceneFolder implements SceneSource {
  readonly isWhole = true;
  readonly #open: SceneSource['open'];

  /** @param files opens GeoTIFFs by their paths */
  constructor(files: Pick<SceneSource, 'open'>) {
    this.#open = (href) => files.open(href);
  }

  open(href: string): Promise<WindowedRaster> {
    return this.#open(href);
  }

  /** @param where path of a folder, searched with all within it */
  async *search(
    where: string,
    { bounds, fromMs, toMs }: Parameters<SceneSource['search']>[1],
  ): AsyncGenerator<FoundScene> {
    for (const scene of bestVersions(await readScenes(where))) {
      const { id } = scene.name;
      try {
        const item = await this.#itemOf(scene);
        const isAsked = item.timeMs >= fromMs && item.timeMs < toMs;
        if (isAsked && (bounds === undefined || bboxesOverlap(item.bounds, bounds))) yield { ok: true, item };
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        yield { ok: false, id, reason: error.message };
      }
    }
  }

  async #itemOf({ name, parts }: FolderScene): Promise<SceneItem> {
    const metadata = await metadataOf(parts);
    const bands: Partial<Record<Band, SceneBand>> = {};
    for (const { part, path } of parts.toSorted((a, b) => preference(b.part) - preference(a.part)))
      if (part.kind === 'band') bands[part.band] = bandOf(part, path, metadata);
    const [first] = Object.values(bands);
    if (first === undefined)
      throw new InvalidInput(
        'expected GeoTIFFs of green, red, near or short-wave infrared beside the others',
      );
    const quality = parts.find(({ part }) => part.kind === 'quality');
    if (quality?.part.kind !== 'quality')
      throw new InvalidInput(
        'expected the quality band that tells cloud from ground (BQA, QA_PIXEL, pixel_qa, Fmask or SCL) beside the others; without it every cloud would pass for a change',
      );
    return {
      id: name.id,
      href: name.id,
      timeMs: metadata?.timeMs ?? name.timeMs,
      bounds: await this.#boundsOf(first.href),
      cloudShare: metadata?.cloudShare ?? null,
      pass: name.pass,
      bands,
      quality: { href: quality.path, encoding: quality.part.encoding },
    };
  }

  async #boundsOf(path: string): Promise<Bbox> {
    const raster = await this.#open(path);
    await raster.close();
    return gridBbox(raster.grid);
  }
}

interface FolderScene {
  readonly name: SceneName;
  readonly parts: { readonly part: ScenePart; readonly path: string }[];
}

/** Scenes in a folder and all within it, by name. @throws InvalidInput when it is no folder, or none is in it */
async function readScenes(where: string): Promise<readonly FolderScene[]> {
  const scenes = new Map<string, FolderScene>();
  let pictures = 0;
  for await (const path of filesIn(await folderAt(where), MAX_DEPTH)) {
    if (/\.jp2$/i.test(path)) pictures++;
    const file = readSceneFileName(path);
    if (file === undefined) continue;
    const scene = scenes.get(file.scene.id) ?? { name: file.scene, parts: [] };
    scene.parts.push({ part: file.part, path });
    scenes.set(file.scene.id, scene);
  }
  if (scenes.size > 0) return [...scenes.values()];
  throw new InvalidInput(
    `${where}: expected scenes of Landsat or Sentinel-2 under their providers' names, such as LC08_L2SP_014031_20200106_20200823_02_T1_SR_B4.TIF; found none` +
      (pictures > 0
        ? '. JPEG 2000 is not read: turn each file into GeoTIFF with gdal_translate, names kept'
        : ''),
  );
}

async function folderAt(where: string): Promise<string> {
  try {
    if ((await stat(where)).isDirectory()) return resolve(where);
  } catch (error) {
    throw asOurs(where, error);
  }
  throw new InvalidInput(
    `${where}: expected a folder of scenes, got a file; ingest stack and ingest stac take files`,
  );
}

/** Paths of all files in a folder, in order of name. */
async function* filesIn(folder: string, depth: number): AsyncGenerator<string> {
  const entries = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const isLinked = async (): Promise<boolean> =>
      entry.isSymbolicLink() && (await stat(path).catch(() => undefined))?.isFile() === true;
    if (entry.isFile() || (await isLinked())) yield path;
    else if (entry.isDirectory() && depth > 0) yield* filesIn(path, depth - 1);
  }
}

/** Of several versions of one frame the best: a scene that was processed again must not count twice. */
function bestVersions(scenes: readonly FolderScene[]): readonly FolderScene[] {
  const best = new Map<string, FolderScene>();
  for (const scene of scenes) {
    const other = best.get(scene.name.frame);
    if (other === undefined || scene.name.rank > other.name.rank) best.set(scene.name.frame, scene);
  }
  return [...best.values()].toSorted((a, b) => a.name.timeMs - b.name.timeMs);
}

async function metadataOf(parts: FolderScene['parts']): Promise<LandsatMetadata | undefined> {
  const file = parts.find(({ part }) => part.kind === 'metadata');
  return file && readLandsatMetadata(await readFile(file.path, 'utf8'));
}

const preference = (part: ScenePart): number => (part.kind === 'band' ? part.preference : 0);

function bandOf(
  { number, scale, offset, nodata }: ScenePart & { readonly kind: 'band' },
  href: string,
  metadata: LandsatMetadata | undefined,
): SceneBand {
  if (scale !== null) return { href, band: 0, scale, offset, nodata };
  const top = metadata?.top.get(number);
  if (top === undefined)
    throw new InvalidInput(
      'expected its _MTL.txt beside it: level 1 of Landsat 4 to 7 is turned into reflectance by numbers of its own',
    );
  return { href, band: 0, ...top, nodata };
}
