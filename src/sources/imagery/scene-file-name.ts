import { formatDay, parseMoment } from '../../base/time.ts';
import type { QualityName } from '../../raster/quality/encodings.ts';
import type { SceneBandFile, FileNaming, NameGroups, SceneMetadata, Sensor } from './sensors/sensor.ts';
import { SENSORS } from './sensors/sensors.ts';

/** One file of a downloaded scene, as its name describes it. */
export interface SceneFile {
  readonly scene: SceneName;
  readonly part: ScenePart;
}

/** The scene that a file belongs to. */
export interface SceneName {
  /** The part of the name that its files share, or the product's name where the file or folder has it. */
  readonly id: string;
  /** Shared by the versions of one scene: one satellite, time and place. The one of highest `rank` is the best. */
  readonly frame: string;
  readonly rank: string;
  /** The pass of the satellite, as `SceneItem.pass`. */
  readonly pass: string;
  /** When it was taken; the start of the day where the name has only the day [ms since the Unix epoch]. */
  readonly timeMs: number;
}

/** What a file contains. */
export type ScenePart =
  | ({ readonly kind: 'band' } & SceneBandFile)
  | { readonly kind: 'quality'; readonly encoding: QualityName }
  | { readonly kind: 'metadata'; readonly read: (text: string) => SceneMetadata };

/**
 * Reads the name of a file of a downloaded scene, as the providers of the known sensors name them.
 * @param path of the file. Folders are read where the file's own name lacks the product
 * @returns undefined for a file that no sensor's naming matches, or that is not needed
 */
export function readSceneFileName(path: string): SceneFile | undefined {
  const folders = path.split(/[/\\]/);
  const name = folders.pop()!;
  for (const sensor of SENSORS)
    for (const naming of sensor.files) {
      const found = matchName(naming, name, folders);
      if (found === undefined) continue;
      const part = partOf(sensor, naming, found);
      const scene = sceneOf(naming, found);
      return part && scene && { scene, part };
    }
  return undefined;
}

/** Groups of a file's name and of the nearest folder named after its product; undefined where neither has an id. */
function matchName(
  { file, folder }: FileNaming,
  name: string,
  folders: readonly string[],
): NameGroups | undefined {
  const own: NameGroups | undefined = file.exec(name)?.groups;
  if (own === undefined || folder === undefined) return own;
  const product = folders
    .filter((one) => one.startsWith(own['id'] ?? ''))
    .map((one) => folder.exec(one)?.groups)
    .findLast((groups) => groups !== undefined);
  const found = { ...own, ...product };
  return found['id'] === undefined ? undefined : found;
}

function partOf({ quality }: Sensor, naming: FileNaming, found: NameGroups): ScenePart | undefined {
  const layer = found['layer']!.toUpperCase();
  if (layer === naming.metadata?.layer) return { kind: 'metadata', read: naming.metadata.read };
  const [, encoding] = Object.entries(quality).find(([name]) => name.toUpperCase() === layer) ?? [];
  if (encoding !== undefined) return { kind: 'quality', encoding };
  const band = naming.band(found);
  return band && { kind: 'band', ...band };
}

function sceneOf({ platform, rank }: FileNaming, found: NameGroups): SceneName | undefined {
  const { id, place, taken, orbit } = found;
  const timeMs = takenMs(taken!);
  if (timeMs === undefined) return undefined;
  const satellite = platform(found);
  return {
    id: id!,
    frame: `${satellite}_${taken}_${place}`,
    rank: rank(found),
    pass: `${satellite}_${formatDay(timeMs)}${orbit === undefined ? '' : `_${Number(orbit)}`}`,
    timeMs,
  };
}

/** A time written as the group `taken` [ms since the Unix epoch]; undefined for one that does not exist. */
function takenMs(text: string): number | undefined {
  const [, year, day] = /^(\d{4})(\d{3})T/i.exec(text) ?? [];
  const start = year === undefined ? text.slice(0, 8) : formatDay(Date.UTC(Number(year), 0, Number(day)));
  const date = start.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  const clock = text.slice(text.search(/T|$/i)).replace(/(\d\d)(\d\d)(\d\d)$/, '$1:$2:$3');
  return parseMoment(`${date}${clock}`)?.ms;
}
