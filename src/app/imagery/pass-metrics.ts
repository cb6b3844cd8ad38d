import { InvalidInput } from '../../base/errors.ts';
import type { SceneReading } from '../../contract/sources/scene-reading.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';
import { cutGrid, windowAround, windowOver } from '../../geo/grid-window.ts';
import {
  orbitMetric,
  orbitPolarisation,
  type Polarisation,
  POLARISATIONS,
  type SceneMetric,
} from '../../raster/backscatter.ts';
import type { SpectralIndex } from '../../raster/spectral-index.ts';
import type { Collection } from '../series/collection-store.ts';
import { adjustedReading } from './adjusted-scenes.ts';
import { BACKSCATTER_SCALE, isRadar, looksOf, readRadarPass } from './read-radar.ts';
import { bandsOf } from './open-scene.ts';
import { INDEX_SCALE, indicesOf, type PassSamples, readPass, type ReadingOptions } from './read-scene.ts';
import { isSpectralIndex } from './scene-request.ts';
import type { SceneBand, SceneItem, SceneSource } from './scene-source.ts';

/** Maximum number of pixels of a collection's grid: a whole Sentinel-2 tile at 10 m. */
const MAX_PIXELS = 10_980 ** 2;

/** What is computed of optical scenes and of radar scenes. */
export interface WishedMetrics {
  readonly indices: readonly SpectralIndex[];
  readonly polarisations: readonly Polarisation[];
}

/**
 * The metrics that are asked for, else those of the collection, else all that the first scene has. Optical and radar
 * scenes are told apart, so that radar can be added to a collection of indices.
 */
export function wishedMetrics(
  asked: readonly SceneMetric[] | undefined,
  members: readonly Collection[],
  passes: readonly (readonly SceneItem[])[],
): WishedMetrics {
  const isPolarisation = (metric: SceneMetric): metric is Polarisation => !isSpectralIndex(metric);
  if (asked !== undefined)
    return { indices: asked.filter(isSpectralIndex), polarisations: asked.filter(isPolarisation) };
  const indices = members.map(({ metric }) => metric).filter(isSpectralIndex);
  const held = new Set(members.flatMap(({ metric }) => orbitPolarisation(metric) ?? []));
  const optical = passes.map(([first]) => first!).find((item) => !isRadar(item));
  return {
    indices: indices.length > 0 || optical === undefined ? indices : indicesOf(optical),
    polarisations: held.size > 0 ? [...held] : POLARISATIONS,
  };
}

/** The metrics of a pass; none if nothing of it is wished. */
export function passMetrics(item: SceneItem, { indices, polarisations }: WishedMetrics): readonly string[] {
  if (!isRadar(item)) return indices;
  const { orbit, polarisations: there } = item.radar;
  return polarisations.flatMap((one) => (there[one] === undefined ? [] : orbitMetric(one, orbit)));
}

/** Step of the stored integers of a metric [metric unit]. */
export function scaleOf(metric: string): number {
  return orbitPolarisation(metric) === undefined ? INDEX_SCALE : BACKSCATTER_SCALE;
}

/** Reads a pass of optical or radar scenes. @throws the errors of `readPass` and `readRadarPass` */
export function readAny(
  source: SceneSource,
  items: readonly SceneItem[],
  { indices, polarisations }: WishedMetrics,
  grid: Grid,
  how: ReadingOptions,
): Promise<PassSamples> {
  const [first] = items as readonly [SceneItem];
  if (!isRadar(first)) return readPass(source, items, indices, grid, how);
  const there = polarisations.filter((one) => first.radar.polarisations[one] !== undefined);
  return readRadarPass(source, items.filter(isRadar), there, grid);
}

/** How the samples of a pass were made, for provenance. */
export function readingOf(item: SceneItem, isAdjusted: boolean, grid: Grid): SceneReading {
  const mask = item.quality && { encoding: item.quality.encoding };
  if (isRadar(item))
    return { nodata: null, mask, radar: { unit: item.radar.unit, look_weights: [...looksOf(grid)] } };
  const adjusted = isAdjusted && { adjusted: adjustedReading(item) };
  return { nodata: null, mask, computed: true, ...adjusted };
}

/**
 * Returns the grid of a new collection: the grid of the coarsest band of the first scene, cut to the bounds, or to
 * the extent of all scenes when there are no bounds.
 * @throws InvalidInput when the grid is empty or too large
 */
export async function gridOf(
  source: SceneSource,
  items: readonly SceneItem[],
  wishes: WishedMetrics,
  bounds: Bbox | undefined,
): Promise<Grid> {
  const coarsest = await coarsestGrid(source, items[0]!, wishes);
  const others: Grid[] = [];
  if (bounds === undefined)
    for (const item of items)
      if (
        passMetrics(item, wishes).length > 0 &&
        filesOf(item, wishes).every(([, file]) => file !== undefined)
      )
        others.push(await coarsestGrid(source, item, wishes));
  const window = bounds === undefined ? windowOver(coarsest, others) : windowAround(coarsest, bounds);
  if (window === null || window.width * window.height > MAX_PIXELS)
    throw new InvalidInput(
      `--bbox: expected an area of at most ${MAX_PIXELS} pixels, got ${window === null ? 'one that the scene does not reach' : `${window.width} x ${window.height}`}; cut it into several collections`,
      { param: 'bbox' },
    );
  return cutGrid(coarsest, window);
}

/** The files of a scene that are read for the wished metrics, by band; undefined for a missing one. */
function filesOf(
  item: SceneItem,
  wishes: WishedMetrics,
): readonly (readonly [string, SceneBand | undefined])[] {
  if (isRadar(item)) return Object.entries(item.radar.polarisations);
  return bandsOf(wishes.indices).map((band) => [band, item.bands[band]]);
}

/** Returns the grid of the coarsest band that the metrics need. @throws InvalidInput when a band is missing */
async function coarsestGrid(source: SceneSource, item: SceneItem, wishes: WishedMetrics): Promise<Grid> {
  let coarsest: Grid | undefined;
  for (const [band, described] of filesOf(item, wishes)) {
    if (described === undefined) throw new InvalidInput(`${item.id}: expected a band of ${band}`);
    const raster = await source.open(described.href);
    await raster.close();
    if (coarsest === undefined || raster.grid.width < coarsest.width) coarsest = raster.grid;
  }
  return coarsest!;
}
