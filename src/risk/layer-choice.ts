import type { LayerMeta, LayerReading } from './assessment.ts';

/** Indices, in the card list, of the cards of one layer (with one return period, if any), finest resolution first. */
export type Candidates = readonly number[];

/**
 * Returns the cards of one layer with the given return period, by default those without a return period, finest
 * resolution first and, at equal resolution, the newest first.
 */
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

/** Returns the value of the finest candidate that has a value at the point; NaN if none has. */
export function valueOf(readings: readonly LayerReading[], candidates: Candidates): number {
  const card = answeringCard(readings, candidates);
  return card < 0 ? Number.NaN : (readings[card] as { readonly value: number }).value;
}

/** Returns the index in the card list of the finest candidate that has a value at the point; -1 if none has. */
export function answeringCard(readings: readonly LayerReading[], candidates: Candidates): number {
  for (let k = 0; k < candidates.length; k++) {
    const reading = readings[candidates[k]!];
    if (reading?.ok === true && Number.isFinite(reading.value)) return candidates[k]!;
  }
  return -1;
}

/**
 * Returns why no candidate has a value at the point: `nodata` if any candidate covers the point, else `outside`.
 * Without any candidates it is `outside` too.
 */
export function absenceOf(readings: readonly LayerReading[], candidates: Candidates): 'outside' | 'nodata' {
  const covered = candidates.some((i) => {
    const reading = readings[i];
    return reading?.ok === false && reading.reason === 'nodata';
  });
  return covered ? 'nodata' : 'outside';
}
