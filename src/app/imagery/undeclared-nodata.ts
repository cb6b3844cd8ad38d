import { InvalidInput } from '../../base/errors.ts';
import { isFillValue } from '../../raster/fill-values.ts';
import { MISSING_INT16 } from './collection-writer.ts';
import type { Samples, SampleType } from '../series/cube-store.ts';

/**
 * Share of the clear pixels of a band that may equal one fill value [1] (own choice). Edges of a scene and clouds are
 * more; a real value that happens to be a fill value is less.
 */
const ACCEPTED_SHARE = 0.001;
/** Number of bands of a stack on a server that are checked before anything is written (own choice). */
const BANDS_AHEAD = 4;

/**
 * Numbers of the bands that are checked before anything is written: all of them, so that nothing is half-written. Of a
 * stack that is fetched from a server, only some, evenly spread from the first to the last, since each would be fetched
 * twice.
 */
export function bandsAhead(bandCount: number, isFetched: boolean): readonly number[] {
  const count = isFetched ? Math.min(bandCount, BANDS_AHEAD) : bandCount;
  return Array.from({ length: count }, (_, i) =>
    count === 1 ? 0 : Math.round((i * (bandCount - 1)) / (count - 1)),
  );
}

/**
 * Refuses a band whose clear pixels have a common fill value that neither the file nor the caller states as nodata: it
 * would be taken for an observation, and then for a change.
 * @param place file and band, for the message
 * @param samples raw samples of the band, in which masked pixels and those of nodata are already missing
 * @param declared nodata value that the file states; null: none
 * @throws InvalidInput that names the value
 */
export function refuseFillValues(
  place: string,
  samples: Samples,
  sampleType: SampleType,
  declared: number | null,
): void {
  const counts = new Map<number, number>();
  let clear = 0;
  for (let i = 0; i < samples.length; i++) {
    const raw = samples[i]!;
    if (sampleType === 'int16' ? raw === MISSING_INT16 : Number.isNaN(raw)) continue;
    clear++;
    if (isFillValue(raw)) counts.set(raw, (counts.get(raw) ?? 0) + 1);
  }
  for (const [value, count] of counts) {
    if (count <= clear * ACCEPTED_SHARE) continue;
    throw new InvalidInput(
      `${place}: ${count} of ${clear} pixels that are not masked have the value ${value}, which usually means that nothing was ` +
        `observed; ${declared === null ? 'the file states no nodata value' : `the file states ${declared} for that`}. Give --nodata ${value}, ` +
        `or --nodata with ${declared ?? 'another number'} if ${value} is an observation`,
      { param: 'nodata' },
    );
  }
}
