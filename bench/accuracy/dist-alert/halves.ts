import { createHash } from 'node:crypto';
import type { DistPixel } from './sample.ts';

/** The split whose first half the shipped model is fitted to. */
export const FROZEN_SPLIT = 1;

/** Two parts of a sample. */
export interface Halves {
  readonly fit: readonly DistPixel[];
  readonly report: readonly DistPixel[];
}

/**
 * Splits pixels into two halves. In each stratum, the pixels with and without a loss are dealt in turn to both halves,
 * in the order of a hash of `split` and their id.
 */
export function halvesOf(pixels: readonly DistPixel[], split: number): Halves {
  const orderOf = ({ id }: DistPixel): string => createHash('sha256').update(`${split}:${id}`).digest('hex');
  const groups = Map.groupBy(pixels, (pixel) => `${pixel.stratum} ${hasLoss(pixel)}`);
  const dealt = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => group.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)));
  return { fit: dealt.filter((_, i) => i % 2 === 0), report: dealt.filter((_, i) => i % 2 === 1) };
}

function hasLoss({ labels, judgedFrom }: DistPixel): boolean {
  return labels.subarray(judgedFrom).includes(1);
}
