import { eventCount, fieldAt, type PixelEvents, replaceEvents } from '../../../change/pixel/pixel-events.ts';
import { isPersistentSnow } from '../../../change/persistent-snow.ts';
import type { MetricSeries } from './change-task.ts';
import { ScenesChanged } from './scenes-changed.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import type { StackReader } from './stack-reader.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/**
 * Drops the events of pixels with persistent snow. The looks of all scenes are counted, so the result does not depend
 * on the order in which scenes arrived, nor on the state from which the search resumed.
 * @param metric position of the metric in the task: its observations count as clear looks
 * @throws ScenesChanged when the scenes of the snow cube do not match the task
 */
export async function withoutPersistentSnow(
  cubes: Pick<SearchedCubes, 'readStrip'>,
  reader: Pick<StackReader, 'read'>,
  series: readonly MetricSeries[],
  metric: number,
  events: PixelEvents,
): Promise<PixelEvents> {
  const { snow } = series[metric]!;
  if (snow === undefined) return events;
  const pixels = new Set<number>();
  for (let i = 0; i < eventCount(events); i++) pixels.add(fieldAt(events, i, 'pixel'));
  const refused = new Set<number>();
  for (const strip of Map.groupBy(pixels, (pixel) => Math.floor(pixel / STRIP_PIXELS)).values()) {
    const from = strip[0]!;
    const to = strip.at(-1)! + 1; // the events are ordered by pixel
    const { scenes, values } = await cubes.readStrip(snow.cubeId, from, to);
    if (scenes.length !== snow.digests.length || scenes.some(({ sha256 }, i) => sha256 !== snow.digests[i]))
      throw new ScenesChanged();
    const snowy = strip.map((pixel) => countSeen(values, pixel - from, scenes.length));
    if (snowy.every((count) => count === 0)) continue;
    const seen = await reader.read(metric, from, to);
    const times = seen.length / (to - from);
    for (const [i, pixel] of strip.entries())
      if (isPersistentSnow(countSeen(seen, pixel - from, times), snowy[i]!)) refused.add(pixel);
  }
  if (refused.size === 0) return events;
  return replaceEvents(events, (i) => (refused.has(fieldAt(events, i, 'pixel')) ? null : undefined));
}

/** Number of values of one pixel, without missing values. `values` has `count` values for each pixel. */
function countSeen(values: ArrayLike<number>, pixel: number, count: number): number {
  let seen = 0;
  for (let i = pixel * count; i < (pixel + 1) * count; i++) if (!Number.isNaN(values[i]!)) seen++;
  return seen;
}
