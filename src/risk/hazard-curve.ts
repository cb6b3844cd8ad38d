import type { LayerMeta, LayerReading } from './assessment.ts';

/**
 * The maps of one version of a hazard layer, one map per return period. Together they form one curve. Maps of
 * different versions are never combined.
 */
export interface CurveVersion {
  readonly version: string;
  readonly resolutionM: number;
  readonly date: string;
  /** Return periods [years], ascending, each above 1. */
  readonly returnPeriodsYears: readonly number[];
  /** For each return period, the index of its map in the card list. */
  readonly cards: readonly number[];
}

/**
 * Returns the versions of a layer that have return periods, finest resolution first and, at equal resolution, the
 * newest first. Maps with a return period of a year or less are left out, because yearly maxima have no such
 * return period.
 */
export function curveVersionsOf(cards: readonly LayerMeta[], layer: string): readonly CurveVersion[] {
  const found = [...cards.keys()].filter((i) => {
    const { layer: name, returnPeriodYears } = cards[i]!;
    return name === layer && returnPeriodYears !== null && returnPeriodYears > 1;
  });
  const versions = [...Map.groupBy(found, (i) => cards[i]!.version)].map(([version, indices]) => {
    const ordered = indices.sort((a, b) => cards[a]!.returnPeriodYears! - cards[b]!.returnPeriodYears!);
    return {
      version,
      resolutionM: Math.max(...ordered.map((i) => cards[i]!.resolutionM)),
      date: cards[ordered[0]!]!.date,
      returnPeriodsYears: ordered.map((i) => cards[i]!.returnPeriodYears!),
      cards: ordered,
    };
  });
  return versions.sort((a, b) => a.resolutionM - b.resolutionM || b.date.localeCompare(a.date));
}

/** Index of the first version with a value at the point; -1 where none has. */
export function versionAt(versions: readonly CurveVersion[], readings: readonly LayerReading[]): number {
  for (let v = 0; v < versions.length; v++) {
    const { cards } = versions[v]!;
    for (let k = 0; k < cards.length; k++) if (isLevel(readings[cards[k]!])) return v;
  }
  return -1;
}

function isLevel(
  reading: LayerReading | undefined,
): reading is { readonly ok: true; readonly value: number } {
  return reading?.ok === true && Number.isFinite(reading.value);
}

/** Reduced variate of the Gumbel distribution, `-ln(-ln(1 - 1/T))`: return levels are nearly linear in it. */
export function reducedVariate(returnPeriodYears: number): number {
  return -Math.log(-Math.log1p(-1 / returnPeriodYears));
}

/** Mapped levels at a point as a function of the reduced variate. Maps without a value are left out. */
export interface MappedCurve {
  count: number;
  readonly variates: Float64Array;
  /**
   * Levels, never decreasing: if the map of a rarer event has a lower level, the level of the more frequent event
   * is used.
   */
  readonly levels: Float64Array;
}

/** Returns an empty curve with capacity for all maps of any of the versions. */
export function mappedCurve(versions: readonly CurveVersion[]): MappedCurve {
  const length = Math.max(0, ...versions.map(({ cards }) => cards.length));
  return { count: 0, variates: new Float64Array(length), levels: new Float64Array(length) };
}

/** Reads a version's levels at the point into a curve; negative levels count as 0. */
export function readCurve(
  { cards }: CurveVersion,
  variates: ArrayLike<number>,
  readings: readonly LayerReading[],
  into: MappedCurve,
): void {
  let floor = 0;
  into.count = 0;
  for (let k = 0; k < cards.length; k++) {
    const reading = readings[cards[k]!];
    if (!isLevel(reading)) continue;
    if (reading.value > floor) floor = reading.value;
    into.variates[into.count] = variates[k]!;
    into.levels[into.count++] = floor;
  }
}

/**
 * Returns the level of a non-empty curve at a reduced variate: linear between the maps, constant beyond the first
 * and the last.
 */
export function levelAt({ count, variates, levels }: MappedCurve, variate: number): number {
  if (variate <= variates[0]!) return levels[0]!;
  for (let k = 1; k < count; k++) {
    if (variate > variates[k]!) continue;
    const t = (variate - variates[k - 1]!) / (variates[k]! - variates[k - 1]!);
    return levels[k - 1]! + t * (levels[k]! - levels[k - 1]!);
  }
  return levels[count - 1]!;
}
