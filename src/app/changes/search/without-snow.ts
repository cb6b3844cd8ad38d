import { eventAt, eventCount, packEvents, type PixelEvents } from '../../../change/pixel/pixel-events.ts';
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
  if (snow === undefined || eventCount(events) === 0) return events;
  const all = Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i));
  const refused = new Set<number>();
  for (const strip of Map.groupBy(all, ({ pixel }) => Math.floor(pixel / STRIP_PIXELS)).values()) {
    const from = strip[0]!.pixel;
    const to = strip.at(-1)!.pixel + 1; // the events are ordered by pixel
    const { scenes, values } = await cubes.readStrip(snow.cubeId, from, to);
    if (scenes.length !== snow.digests.length || scenes.some(({ sha256 }, i) => sha256 !== snow.digests[i]))
      throw new ScenesChanged();
    const clear = await reader.read(metric, from, to);
    const times = clear.length / (to - from);
    for (const { pixel } of strip) {
      const snowy = countSeen(values, (pixel - from) * scenes.length, scenes.length);
      if (isPersistentSnow(countSeen(clear, (pixel - from) * times, times), snowy)) refused.add(pixel);
    }
  }
  if (refused.size === 0) return events;
  return packEvents(
    all.filter(({ pixel }) => !refused.has(pixel)),
    events.metrics,
  );
}

/** Number of values in `[from, from + count)`, without missing values. */
function countSeen(values: ArrayLike<number>, from: number, count: number): number {
  let seen = 0;
  for (let i = from; i < from + count; i++) if (!Number.isNaN(values[i]!)) seen++;
  return seen;
}
