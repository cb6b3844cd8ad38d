import type { LayerMeta, LayerReading } from '../assessment.ts';
import { curveVersionsOf, versionAt, type CurveVersion } from '../hazard-curve.ts';

/** Depth that a version of a hazard map gives at one point, by return period. */
export interface MappedDepths {
  readonly version: CurveVersion;
  /** [m], one for each return period of the version, never falling; 0 is dry. */
  readonly depthsM: Float64Array;
}

/**
 * The return-period depth maps of one cause of floods, river or sea. At a point the finest version that says anything
 * gives the whole curve; a map of it that says nothing there is dry when a rarer one is wet, and as deep as the next more
 * frequent one otherwise.
 */
export class FloodMaps {
  readonly versions: readonly CurveVersion[];
  readonly #depths: readonly MappedDepths[];
  #at = -1;

  constructor(cards: readonly LayerMeta[], layer: string) {
    this.versions = curveVersionsOf(cards, layer);
    this.#depths = this.versions.map((version) => ({
      version,
      depthsM: new Float64Array(version.cards.length),
    }));
  }

  /** Looks at one point; index of the version that answers there, -1 where none does. */
  locate(readings: readonly LayerReading[]): number {
    this.#at = versionAt(this.versions, readings);
    if (this.#at < 0) return -1;
    const { version, depthsM } = this.#depths[this.#at]!;
    let deepest = 0;
    for (let i = 0; i < depthsM.length; i++) {
      const reading = readings[version.cards[i]!];
      if (reading?.ok === true && Number.isFinite(reading.value) && reading.value > deepest)
        deepest = reading.value;
      depthsM[i] = deepest;
    }
    return this.#at;
  }

  /** What the point looked at last was told; undefined where no map spoke. */
  get found(): MappedDepths | undefined {
    // An index below 0 would be looked up as a name, by a call out of compiled code.
    return this.#at < 0 ? undefined : this.#depths[this.#at];
  }
}

/**
 * Depth [m] at a return period [years]: linear in its logarithm between the maps, 0 more often than the first, held
 * beyond the last.
 */
export function depthAt({ version, depthsM }: MappedDepths, returnPeriodYears: number): number {
  const years = version.returnPeriodsYears;
  if (returnPeriodYears < years[0]!) return 0;
  for (let i = 1; i < years.length; i++) {
    if (returnPeriodYears >= years[i]!) continue;
    const t = Math.log(returnPeriodYears / years[i - 1]!) / Math.log(years[i]! / years[i - 1]!);
    return depthsM[i - 1]! + t * (depthsM[i]! - depthsM[i - 1]!);
  }
  return depthsM[years.length - 1]!;
}
