import { InvalidInput } from '../../base/errors.ts';
import type { SceneReading } from '../../contract/sources/scene-reading.ts';
import {
  ADJUSTED_PLATFORMS,
  bandAdjustment,
  type BandAdjustment,
  REFERENCE_SENSOR,
} from '../../raster/band-adjustment.ts';
import type { Deps } from '../deps.ts';
import type { Collection } from '../series/collection-store.ts';
import type { SceneItem } from './scene-source.ts';

/**
 * The adjustment of a scene's bands to the reference sensor.
 * @throws InvalidInput when none is published, or the scene lacks the band that it is for
 */
export function adjustmentOf({ id, platform, narrowNir }: SceneItem): BandAdjustment {
  const adjustment = bandAdjustment(platform);
  if (adjustment === undefined)
    throw new InvalidInput(
      `${id}: --adjust: expected a scene of ${ADJUSTED_PLATFORMS}; got ${platform || 'no platform'}, for which no adjustment is known`,
    );
  if (adjustment.narrowNir && narrowNir === undefined)
    throw new InvalidInput(
      `${id}: --adjust: expected the narrow near infrared band (B8A, nir08), for which the adjustment is published`,
    );
  return adjustment;
}

/** How the bands of a scene were adjusted, for provenance. */
export function adjustedReading(item: SceneItem): NonNullable<SceneReading['adjusted']> {
  const { name, lines } = adjustmentOf(item);
  return { to: REFERENCE_SENSOR, name, lines: lines.map((line) => ({ ...line })) };
}

/**
 * Whether the bands of the scenes are adjusted.
 * @throws InvalidInput when the option differs from what the collection holds, since a change of it is a step in a series
 */
export async function isAdjustedIn(
  { storage }: Pick<Deps, 'storage'>,
  { isAdjusted, collection }: { readonly isAdjusted?: boolean | undefined; readonly collection: string },
  first: Collection | undefined,
): Promise<boolean> {
  const held = first === undefined ? [] : await storage.collections.scenes(first.id);
  const computed = held.filter(({ reading }) => reading?.computed === true);
  if (computed.length === 0) return isAdjusted ?? false;
  const wasAdjusted = computed.every(({ reading }) => reading?.adjusted !== undefined);
  if (isAdjusted !== undefined && isAdjusted !== wasAdjusted)
    throw new InvalidInput(
      `--adjust: the collection ${collection} has scenes ${wasAdjusted ? 'with' : 'without'} adjusted bands; expected the same for all, or another --collection`,
      { param: 'adjust' },
    );
  return wasAdjusted;
}

/** Kinds of sensors of a collection's scenes, such as `landsat` and `sentinel-2`: those whose bands differ. */
export async function sensorKinds(
  { storage }: Pick<Deps, 'storage'>,
  collection: Collection | undefined,
): Promise<readonly string[]> {
  if (collection === undefined) return [];
  const scenes = await storage.collections.scenes(collection.id);
  const kinds = scenes.map(({ key }) => SENSOR_KINDS.find(([pattern]) => pattern.test(key))?.[1] ?? []);
  return [...new Set(kinds.flat())].toSorted();
}

/** Kinds of sensors with bands of their own, by the beginning of the key of a pass. */
const SENSOR_KINDS: readonly (readonly [key: RegExp, kind: string])[] = [
  [/^(landsat[-_][89]|hls)/i, 'Landsat 8 and 9'],
  [/^landsat[-_][4-7]/i, 'Landsat 4 to 7'],
  [/^sentinel-2[a-d]?-l1c/i, 'Sentinel-2 level 1C'],
  [/^sentinel-2/i, 'Sentinel-2'],
];
