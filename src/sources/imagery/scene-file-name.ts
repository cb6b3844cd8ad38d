import { formatDay, parseMoment } from '../../base/time.ts';
import type { Polarisation } from '../../raster/backscatter.ts';
import type { QualityName } from '../../raster/quality/encodings.ts';
import type { SceneBandFile, FileNaming, NameGroups, SceneMetadata, Sensor } from './sensors/sensor.ts';
import { readRadarFileName, type RadarFileName } from './sensors/sentinel-1-rtc.ts';
import { SENSORS } from './sensors/sensors.ts';

/** One file of a downloaded scene, as its name describes it. */
export interface SceneFile {
  readonly scene: SceneName;
  readonly part: ScenePart;
}

/** The scene that a file belongs to, as far as the file name and its folders describe it. */
export interface SceneName {
  /**
   * Name of the product if the name of the file or of its folder contains it; otherwise the part of the file name that
   * all files of the scene share.
   */
  readonly id: string;
  /**
   * Identifies satellite, time and place: all versions of a scene have the same frame. The version with the highest
   * `rank` is the best.
   */
  readonly frame: string;
  readonly rank: string;
  /** The satellite, such as `landsat-8`, or the product. */
  readonly platform: string;
  /** The pass of the satellite, in the form of `SceneItem.pass`. */
  readonly pass: string;
  /** When the scene was taken [ms since the Unix epoch]; the start of the day if the name contains only the day. */
  readonly timeMs: number;
}

/** What a file contains. */
export type ScenePart =
  | ({ readonly kind: 'band' } & SceneBandFile)
  | { readonly kind: 'backscatter'; readonly polarisation: Polarisation; readonly orbit: number }
  | { readonly kind: 'quality'; readonly encoding: QualityName }
  | { readonly kind: 'metadata'; readonly read: (text: string) => SceneMetadata };

/**
 * Parses the file name of a downloaded scene, in the forms that the providers of the known sensors use.
 * @param path path of the file. The names of its folders are used if the file name does not contain the product name
 * @returns undefined if the name has no known form, or the file is not needed
 */
export function readSceneFileName(path: string): SceneFile | undefined {
  const folders = path.split(/[/\\]/);
  const name = folders.pop()!;
  const radar = readRadarFileName(name);
  if (radar !== undefined) return radarFile(radar);
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

function radarFile({ id, orbit, place, taken, rank, platform, part }: RadarFileName): SceneFile | undefined {
  const timeMs = takenMs(taken);
  if (timeMs === undefined) return undefined;
  const scene = {
    id,
    frame: `${platform}_${taken}_${orbit}-${place}`,
    rank,
    platform,
    pass: `${platform}_${formatDay(timeMs)}_${orbit}`,
    timeMs,
  };
  if (part === 'mask') return { scene, part: { kind: 'quality', encoding: 'opera-rtc-mask' } };
  return { scene, part: { kind: 'backscatter', polarisation: part, orbit } };
}

/**
 * Returns the named groups in the file name and in the name of the nearest parent folder that matches `folder`;
 * undefined if the file name does not match, or neither name contains an id.
 */
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

function sceneOf({ platform, rank, id: idOf }: FileNaming, found: NameGroups): SceneName | undefined {
  const { id, place, taken, orbit } = found;
  const timeMs = takenMs(taken!);
  if (timeMs === undefined) return undefined;
  const satellite = platform(found);
  return {
    id: idOf?.(found) ?? id!,
    frame: `${satellite}_${taken}_${place}`,
    rank: rank(found),
    platform: satellite,
    pass: `${satellite}_${formatDay(timeMs)}${orbit === undefined ? '' : `_${Number(orbit)}`}`,
    timeMs,
  };
}

/**
 * Parses a time in the form of the group `taken` [ms since the Unix epoch]; undefined for a time that does not exist.
 */
function takenMs(text: string): number | undefined {
  const [, year, day] = /^(\d{4})(\d{3})(?:T|$)/i.exec(text) ?? [];
  // Date.UTC would count on into the next year.
  if (day !== undefined && (Number(day) < 1 || Number(day) > 366)) return undefined;
  const start = year === undefined ? text.slice(0, 8) : formatDay(Date.UTC(Number(year), 0, Number(day)));
  const date = start.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  const clock = text.slice(text.search(/T|$/i)).replace(/(\d\d)(\d\d)(\d\d)$/, '$1:$2:$3');
  return parseMoment(`${date}${clock}`)?.ms;
}
