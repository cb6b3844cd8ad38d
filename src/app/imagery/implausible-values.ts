import { InvalidInput } from '../../base/errors.ts';
import { metricCard } from '../series/metrics.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Samples } from '../series/cube-store.ts';
import { MISSING_INT16 } from './collection-writer.ts';

/** How the raw samples of a collection are stored. Value = raw * scale + offset. */
type Storage = Pick<Collection, 'scale' | 'offset' | 'sampleType'>;

/** Scales by which indices are usually stored as whole numbers, largest first. */
const USUAL_SCALES = [0.1, 0.01, 0.001, 0.0001];
/** Share of the clear pixels of a band that a scale must bring into the range of the metric to be named [1] (own choice). */
const LEAST_FITTING = 0.99;
/** Share of the clear pixels of a band that may be exactly 0 without a question [1] (own choice). */
const ACCEPTED_ZEROS = 0.01;
/**
 * Values so near to 0 are compared with the zeros [share of the highest value] (own choice). An index that is stored in
 * whole hundredths has four other values there, so its zeros are some quarter of their number.
 */
const NEAR_ZERO = 0.02;

/**
 * Refuses a band when most of its values are outside the range of the metric, for example because a scale is missing. A
 * few values outside the range are accepted as noise.
 * @param place file and band, for the message
 * @throws InvalidInput that names a value, and the scale by which the band would fit
 */
export function refuseOutOfRange(place: string, metric: string, samples: Samples, storage: Storage): void {
  const [low, high] = metricCard(metric).range;
  if (low === undefined || high === undefined) return;
  const margin = (high - low) / 4;
  const isOutside = (value: number): boolean => value < low - margin || value > high + margin;
  const { clear, counted, example } = countValues(samples, storage, isOutside);
  if (counted * 2 <= clear) return;
  const { scale, offset } = storage;
  const isWithin = (value: number): boolean => value >= low && value <= high;
  const usual =
    scale === 1 && offset === 0
      ? USUAL_SCALES.find((usualScale) => {
          const scaled = { ...storage, scale: usualScale };
          return countValues(samples, scaled, isWithin).counted >= clear * LEAST_FITTING;
        })
      : undefined;
  throw new InvalidInput(
    `${place}: ${counted} of ${clear} pixels are no ${metric}, which lies in [${low}, ${high}]; got for example ` +
      `${Number(example.toPrecision(6))}, by scale ${scale} and offset ${offset}: ` +
      (usual === undefined ? '' : `give --scale ${usual} if these are whole numbers of ${usual}. Else `) +
      'give --unit, --scale, --offset or --nodata, or another --metric',
    { param: 'scale' },
  );
}

/**
 * Refuses a band in which more samples are exactly 0 than near 0, where the file states no nodata value: programs fill
 * with 0 what lies outside of a scene, and it would be taken for an observation. Only for metrics with values on both
 * sides of 0, such as NDVI and backscatter; no rain is an observation.
 * @param place file and band, for the message
 * @throws InvalidInput that counts the zeros
 */
export function refuseUnexplainedZeros(
  place: string,
  metric: string,
  samples: Samples,
  storage: Storage,
): void {
  const [low, high] = metricCard(metric).range;
  if (low === undefined || high === undefined || low >= 0 || high <= 0) return;
  let zeros = 0;
  for (let i = 0; i < samples.length; i++) if (samples[i] === 0) zeros++;
  if (zeros === 0) return;
  const { offset } = storage;
  const isNear = (value: number): boolean => value !== offset && Math.abs(value - offset) <= NEAR_ZERO * high;
  const { clear, counted: near } = countValues(samples, storage, isNear);
  if (zeros <= clear * ACCEPTED_ZEROS || zeros <= near) return;
  throw new InvalidInput(
    `${place}: ${zeros} of ${clear} pixels that are not masked have the value 0 and only ${near} are near it, which usually ` +
      'means that nothing was observed; the file states no nodata value. Give --nodata 0, or --nodata with another ' +
      'number if 0 is an observation',
    { param: 'nodata' },
  );
}

/** Counts the clear samples, and those whose value passes a test, with the last of these values. */
function countValues(
  samples: Samples,
  { scale, offset, sampleType }: Storage,
  passes: (value: number) => boolean,
): { readonly clear: number; readonly counted: number; readonly example: number } {
  let [clear, counted, example] = [0, 0, Number.NaN];
  for (const raw of samples) {
    if (sampleType === 'int16' ? raw === MISSING_INT16 : Number.isNaN(raw)) continue;
    clear++;
    const value = raw * scale + offset;
    if (!passes(value)) continue;
    counted++;
    example = value;
  }
  return { clear, counted, example };
}
