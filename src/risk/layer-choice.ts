import type { LayerMeta, LayerReading } from './assessment.ts';

/** Positions in the card list of one layer (and return period), finest resolution first. */
export type Candidates = readonly number[];

/** Cards of one layer with the given return period, by default without one, finest first; ties by the newer date. */
export function candidatesOf(
  cards: readonly LayerMeta[],
  layer: string,
  returnPeriodYears: number | null = null,
): Candidates {
  return cards
    .map((_, i) => i)
    .filter((i) => cards[i]!.layer === layer && cards[i]!.returnPeriodYears === returnPeriodYears)
    .sort(
      (a, b) => cards[a]!.resolutionM - cards[b]!.resolutionM || cards[b]!.date.localeCompare(cards[a]!.date),
    );
}

/** Value of the finest candidate that has one at the point; NaN where none has. */
export function valueOf(readings: readonly LayerReading[], candidates: Candidates): number {
  const card = answeringCard(readings, candidates);
  return card < 0 ? Number.NaN : (readings[card] as { readonly value: number }).value;
}

/** Position in the card list of the finest candidate that has a value at the point; -1 where none has. */
export function answeringCard(readings: readonly LayerReading[], candidates: Candidates): number {
  for (let k = 0; k < candidates.length; k++) {
    const reading = readings[candidates[k]!];
    if (reading?.ok === true && Number.isFinite(reading.value)) return candidates[k]!;
  }
  return -1;
}

/**
 * Why no candidate has a value: `nodata` when one of them covers the point, else `outside` (also with no
 * candidates).
 */
export function absenceOf(readings: readonly LayerReading[], candidates: Candidates): 'outside' | 'nodata' {
  const covered = candidates.some((i) => {
    const reading = readings[i];
    return reading?.ok === false && reading.reason === 'nodata';
  });
  return covered ? 'nodata' : 'outside';
}
