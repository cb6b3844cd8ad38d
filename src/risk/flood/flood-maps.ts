import type { LayerMeta, LayerReading } from '../assessment.ts';
import { curveVersionsOf, versionAt, type CurveVersion } from '../hazard-curve.ts';

/** Depths at one point from one version of a flood map, by return period. */
export interface MappedDepths {
  readonly version: CurveVersion;
  /** Depths [m], one for each return period of the version, never decreasing; 0 means dry. */
  readonly depthsM: Float64Array;
}

/**
 * Depth maps of one cause of floods (river or sea), one map per version and return period. At a point, all
 * depths come from the finest version that has any value there. If the map of a return period has no value
 * there, the depth is that of the map with the next shorter return period, or 0 if there is no such map.
 */
export class FloodMaps {
  readonly versions: readonly CurveVersion[];
  readonly #depths: readonly MappedDepths[];

  constructor(cards: readonly LayerMeta[], layer: string) {
    this.versions = curveVersionsOf(cards, layer);
    this.#depths = this.versions.map((version) => ({
      version,
      depthsM: new Float64Array(version.cards.length),
    }));
  }

  /**
   * Returns the depths of the finest version that has values at the point; undefined if none has. The next call
   * overwrites the returned depths: they are reused to avoid allocating memory for each query.
   */
  locate(readings: readonly LayerReading[]): MappedDepths | undefined {
    const at = versionAt(this.versions, readings);
    // Return early: JavaScript looks up a negative index as a property name, which is slow.
    if (at < 0) return undefined;
    const found = this.#depths[at]!;
    const { version, depthsM } = found;
    let deepest = 0;
    for (let i = 0; i < depthsM.length; i++) {
      const reading = readings[version.cards[i]!];
      if (reading?.ok === true && Number.isFinite(reading.value) && reading.value > deepest)
        deepest = reading.value;
      depthsM[i] = deepest;
    }
    return found;
  }
}

/**
 * Depth [m] at a return period [years]: between the maps linear in the logarithm of the return period, 0 below
 * the first return period, constant above the last.
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
