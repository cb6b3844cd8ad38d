import { type Bbox, fromGeoJsonBbox } from '../../geo/bbox.ts';
import { POLARISATIONS, type SceneMetric } from '../../raster/backscatter.ts';
import { SPECTRAL_INDICES, type SpectralIndex } from '../../raster/spectral-index.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';

export { REFERENCE_SENSOR } from '../../raster/band-adjustment.ts';

const INDICES = Object.keys(SPECTRAL_INDICES) as readonly SpectralIndex[];

/** Metrics that can be computed from scenes. */
export const SCENE_METRICS: readonly SceneMetric[] = [...INDICES, ...POLARISATIONS];

/** Whether a metric is an index of optical scenes. */
export function isSpectralIndex(metric: string): metric is SpectralIndex {
  return Object.hasOwn(SPECTRAL_INDICES, metric);
}

/** Parses a comma-separated list of metrics. @throws InvalidInput for a metric that is not in SCENE_METRICS */
export function readMetrics(list: string): readonly SceneMetric[] {
  const keys = list.split(',').map((key) => key.trim());
  const unknown = keys.find((key) => !isSceneMetric(key));
  if (unknown !== undefined)
    throw new InvalidInput(`--metrics: expected some of ${SCENE_METRICS.join(', ')}; got ${unknown}`, {
      param: 'metrics',
    });
  return [...new Set(keys.filter(isSceneMetric))];
}

function isSceneMetric(key: string): key is SceneMetric {
  return (SCENE_METRICS as readonly string[]).includes(key);
}

/**
 * Parses a box `west,south,east,north` [degrees]. West is greater than east for a box across the antimeridian.
 * @throws InvalidInput
 */
export function readBox(text: string): Bbox {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = numbers;
  const isBox =
    numbers.length === 4 &&
    Math.max(Math.abs(west), Math.abs(east)) <= 180 &&
    Math.max(Math.abs(south), Math.abs(north)) <= 90 &&
    south < north &&
    west !== east;
  if (!isBox)
    throw new InvalidInput(
      `--bbox: expected west,south,east,north in degrees, such as 5.9,45.8,6.2,46.0; got ${text}`,
      { param: 'bbox' },
    );
  return fromGeoJsonBbox(numbers);
}

/** Bounds of an area of interest of any account. @throws InvalidInput when there is no such area */
export async function boxOfAoi({ storage }: Pick<Deps, 'storage'>, id: string): Promise<Bbox> {
  const aoi = await storage.aois.locate(id);
  if (aoi === undefined) throw new InvalidInput(`--aoi: there is no area ${id}`, { param: 'aoi' });
  return aoi.bounds;
}
