import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type {
  FoundScene,
  RadarScene,
  SceneBand,
  SceneItem,
  SceneSource,
  WindowedRaster,
} from '../../app/imagery/scene-source.ts';
import { type Bbox, bboxesOverlap } from '../../geo/bbox.ts';
import { gridBbox } from '../../geo/pixel-outline.ts';
import type { Band } from '../../raster/spectral-index.ts';
import { fieldsOfGranule, isGranule } from './hdf-eos-granule.ts';
import { filesOfArchive, readLocalText } from './local-file.ts';
import { filesOfFolder } from './folder-files.ts';
import { readSceneFileName, type SceneName, type ScenePart } from './scene-file-name.ts';
import type { SceneMetadata } from './sensors/sensor.ts';
import {
  CLASSIFICATION_FILE,
  classificationCodes,
  LEVEL_1C_PRODUCT,
  LEVEL_1C_REASON,
} from './sensors/sentinel-2-level-1.ts';
import { SENSORS } from './sensors/sensors.ts';

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const SENSOR_NAMES = ALTERNATIVES.format([...SENSORS.map(({ name }) => name), 'OPERA RTC-S1']);
const QUALITY_NAMES = ALTERNATIVES.format(new Set(SENSORS.flatMap(({ quality }) => Object.keys(quality))));

/** A folder of downloaded scenes, or an archive of them. The files must still have the names that their providers gave them. */
export class SceneFolder implements SceneSource {
  readonly isWhole = true;
  readonly #open: SceneSource['open'];

  /** @param files opens rasters by their paths */
  constructor(files: Pick<SceneSource, 'open'>) {
    this.#open = async (href) => {
      const raster = await files.open(href);
      return CLASSIFICATION_FILE.test(href) ? classificationCodes(raster) : raster;
    };
  }

  open(href: string): Promise<WindowedRaster> {
    return this.#open(href);
  }

  /** @param where path of a folder, which is searched recursively with the archives in it, or of an archive */
  async *search(
    where: string,
    { bounds, fromMs, toMs, takesLevel1 = false }: Parameters<SceneSource['search']>[1],
  ): AsyncGenerator<FoundScene> {
    const { scenes, refused } = await readScenes(where, takesLevel1);
    for (const [id, reason] of refused) yield { ok: false, id, reason };
    for (const scene of bestVersions(scenes)) {
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
    const radar = radarOf(parts);
    if (radar !== undefined) return await this.#radarItem(name, parts, radar);
    const metadata = await metadataOf(parts);
    const bands: Partial<Record<Band, SceneBand>> = {};
    for (const { part, path } of parts.toSorted((a, b) => preference(b.part) - preference(a.part)))
      if (part.kind === 'band') bands[part.band] = bandOf(part, path, metadata);
    const narrow = parts.find(({ part }) => part.kind === 'band' && part.isNarrow === true);
    const [first] = Object.values(bands);
    if (first === undefined)
      throw new InvalidInput(
        'expected GeoTIFFs or JPEG 2000 files of green, red, near or short-wave infrared next to the other files',
      );
    const quality = parts.find(({ part }) => part.kind === 'quality');
    if (quality?.part.kind !== 'quality')
      throw new InvalidInput(
        `expected a quality band (${QUALITY_NAMES}) next to the other files; without it, clouds would be detected as changes`,
      );
    return {
      id: name.id,
      href: name.id,
      timeMs: metadata?.timeMs ?? name.timeMs,
      bounds: await this.#boundsOf(first.href),
      cloudShare: metadata?.cloudShare ?? null,
      pass: name.pass,
      platform: name.platform,
      bands,
      ...(narrow?.part.kind === 'band' && { narrowNir: bandOf(narrow.part, narrow.path, metadata) }),
      quality: { href: quality.path, encoding: quality.part.encoding },
    };
  }

  async #radarItem(name: SceneName, parts: FolderScene['parts'], radar: RadarScene): Promise<SceneItem> {
    const mask = parts.find(({ part }) => part.kind === 'quality');
    if (mask?.part.kind !== 'quality')
      throw new InvalidInput(
        'expected its file _mask.tif next to the other files; without it, layover and shadow would be read as ground',
      );
    const [first] = Object.values(radar.polarisations);
    return {
      id: name.id,
      href: name.id,
      timeMs: name.timeMs,
      bounds: await this.#boundsOf(first!.href),
      cloudShare: null,
      pass: name.pass,
      platform: name.platform,
      bands: {},
      radar,
      quality: { href: mask.path, encoding: mask.part.encoding },
    };
  }

  async #boundsOf(path: string): Promise<Bbox> {
    const raster = await this.#open(path);
    await raster.close();
    return gridBbox(raster.grid);
  }
}

/** Name of a granule of MODIS as it is handed out. */
const HDF4_GRANULE = /\.hdf$/i;

/** Why such a granule is not read, and the command that makes one of its layers readable. */
function hdf4Reason(name: string): string {
  const layer = 'MOD_Grid_500m_Surface_Reflectance:sur_refl_b01';
  return `it is HDF4, for which there is no reader in JavaScript; convert each layer, for example gdal_translate 'HDF4_EOS:EOS_GRID:"${name}":${layer}' ${name.replace(HDF4_GRANULE, '')}_sur_refl_b01.tif`;
}

interface FolderScene {
  readonly name: SceneName;
  readonly parts: { readonly part: ScenePart; readonly path: string }[];
}

/** The scenes of a folder, and why some of what is there cannot be read, by name. */
interface FolderScenes {
  readonly scenes: readonly FolderScene[];
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Finds scenes in a folder, its subfolders and the archives in them.
 * @throws InvalidInput when it is neither a folder nor an archive, or has no scenes
 */
async function readScenes(where: string, takesLevel1: boolean): Promise<FolderScenes> {
  const scenes = new Map<string, FolderScene>();
  const refused = new Map<string, string>();
  for await (const path of filesOf(where, refused)) {
    const level1 = LEVEL_1C_PRODUCT.exec(path)?.[0];
    if (level1 !== undefined && !takesLevel1) {
      refused.set(level1, LEVEL_1C_REASON);
      continue;
    }
    const file = readSceneFileName(path);
    if (file === undefined) {
      if (HDF4_GRANULE.test(path)) refused.set(basename(path), hdf4Reason(basename(path)));
      continue;
    }
    const scene = scenes.get(file.scene.id) ?? { name: file.scene, parts: [] };
    scene.parts.push({ part: file.part, path });
    scenes.set(file.scene.id, scene);
  }
  if (scenes.size > 0) return { scenes: [...scenes.values()], refused };
  const [first] = refused;
  throw new InvalidInput(
    `${where}: expected scenes of ${SENSOR_NAMES} under their providers' names, such as LC08_L2SP_014031_20200106_20200823_02_T1_SR_B4.TIF; found none` +
      (first === undefined
        ? '. Images of others, such as PlanetScope, are for ingest stack, as an index with its dates'
        : `. ${first[0]}: ${first[1]}`),
  );
}

/** Paths of all files of a folder and of the archives in it, or of an archive. */
async function* filesOf(where: string, refused: Map<string, string>): AsyncGenerator<string> {
  const isArchive = /\.zip$/i.test(where) && (await stat(where).catch(() => undefined))?.isFile() === true;
  if (isArchive) {
    yield* await filesOfArchive(where);
    return;
  }
  const expected = 'a folder of scenes or a ZIP archive, got a file; ingest stack and ingest stac take files';
  for await (const path of filesOfFolder(where, expected)) {
    const inside = /\.zip$/i.test(path) ? filesOfArchive : isGranule(path) ? fieldsOfGranule : undefined;
    if (inside === undefined) {
      yield path;
      continue;
    }
    try {
      yield* await inside(path);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      refused.set(basename(path), error.message);
    }
  }
}

/** Keeps the best version of each frame, so that a reprocessed scene does not count twice. */
function bestVersions(scenes: readonly FolderScene[]): readonly FolderScene[] {
  const best = new Map<string, FolderScene>();
  for (const scene of scenes) {
    const other = best.get(scene.name.frame);
    if (other === undefined || scene.name.rank > other.name.rank) best.set(scene.name.frame, scene);
  }
  return [...best.values()].toSorted((a, b) => a.name.timeMs - b.name.timeMs);
}

/** The polarisations of a radar scene; undefined for an optical one. OPERA's samples are linear power. */
function radarOf(parts: FolderScene['parts']): RadarScene | undefined {
  const found = parts.flatMap(({ part, path }) => (part.kind === 'backscatter' ? [{ part, path }] : []));
  const [first] = found;
  if (first === undefined) return undefined;
  const bands = found.map(({ part: { polarisation }, path }) => {
    const band: SceneBand = { href: path, band: 0, scale: 1, offset: 0, nodata: null };
    return [polarisation, band] as const;
  });
  return { orbit: first.part.orbit, unit: 'power', polarisations: Object.fromEntries(bands) };
}

async function metadataOf(parts: FolderScene['parts']): Promise<SceneMetadata | undefined> {
  for (const { part, path } of parts)
    if (part.kind === 'metadata') return part.read(await readLocalText(path));
  return undefined;
}

const preference = (part: ScenePart): number => (part.kind === 'band' ? part.preference : 0);

function bandOf(
  { reflectance, nodata, number }: ScenePart & { readonly kind: 'band' },
  href: string,
  metadata: SceneMetadata | undefined,
): SceneBand {
  if ('scale' in reflectance)
    return { href, band: 0, ...(metadata?.top.get(number ?? -1) ?? reflectance), nodata };
  const top = metadata?.top.get(reflectance.number);
  if (top === undefined) throw new InvalidInput(reflectance.missing);
  return { href, band: 0, ...top, nodata };
}
