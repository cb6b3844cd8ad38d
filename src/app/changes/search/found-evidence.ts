import { alertEvidence } from '../../../change/alert/alert-evidence.ts';
import type { ChangeObject } from '../../../change/object/objects.ts';
import { noteObserved, objectEvidence } from '../../../change/object/provenance.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import type { StackSpec } from '../../../change/stack.ts';
import { runsOf } from '../../../raster/pixel-runs.ts';
import type { FoundChange } from './found-change.ts';
import type { StackReader } from './stack-reader.ts';
import type { Series } from './strip-cache.ts';

/**
 * Adds the evidence of each object, from the series of its pixels. The objects are read in order of their pixels, so
 * that a strip is read once for all objects in it.
 * @param group positions of the metrics of the objects in the task
 * @param followed what was known of these metrics; empty for an alert product
 * @returns the changes, in the order of the objects
 * @throws ScenesChanged when the scenes of a cube no longer match those of the task
 */
export async function withEvidence(
  reader: Pick<StackReader, 'read'>,
  spec: StackSpec,
  group: readonly number[],
  followed: readonly FollowedMetric[],
  objects: readonly ChangeObject[],
): Promise<readonly FoundChange[]> {
  const found = new Map<ChangeObject, FoundChange>();
  for (const object of objects.toSorted((a, b) => a.pixels[0]! - b.pixels[0]!))
    found.set(object, { ...object, evidence: await evidenceOf(reader, spec, group, followed, object) });
  return objects.map((object) => found.get(object)!);
}

async function evidenceOf(
  reader: Pick<StackReader, 'read'>,
  spec: StackSpec,
  group: readonly number[],
  followed: readonly FollowedMetric[],
  object: ChangeObject,
) {
  const times = spec.timesMs.length;
  const observed = new Uint8Array(times);
  const runs = runsOf(object.pixels);
  const seedSeries: Series[] = [];
  for (const metric of group) {
    for (let r = 0; r < runs.length; r += 2) {
      const [start, length] = [runs[r]!, runs[r + 1]!];
      const values = await reader.read(metric, start, start + length);
      for (let p = 0; p < length; p++) noteObserved(observed, values.subarray(p * times, (p + 1) * times));
    }
    seedSeries.push((await reader.read(metric, object.seed.pixel, object.seed.pixel + 1)).slice());
  }
  if (followed.length === 0) return alertEvidence(spec, object, seedSeries[0]!, observed);
  return objectEvidence(spec, followed, object, seedSeries, observed);
}
