import type { LayerMeta, LayerReading } from '../assessment.ts';
import { curveVersionsOf, versionAt, type CurveVersion } from '../hazard-curve.ts';

/** Depths at one point from one version of a flood map, by return period. */
export interface MappedDepths {
  readonly version: CurveVersion;
  /** [m], one for each return period of the version, never falling; 0 is dry. */
  readonly depthsM: Float64Array;
}

/**
 * The return-period depth maps of one cause of floods, river or sea. At a point the finest version with any value
 * gives the whole curve. Where one of its maps has no value, the depth is that of the next more frequent map; 0 if
 * there is none.
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
   * Depths of the version that has values at the point; undefined where none has. The next call overwrites the depths:
   * a query allocates nothing here.
   */
  locate(readings: readonly LayerReading[]): MappedDepths | undefined {
    const at = versionAt(this.versions, readings);
    // An index below 0 would be looked up as a property name, which is slow.
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
 * Depth [m] at a return period [years]: linear in its logarithm between the maps, 0 below the first, constant
 * above the last.
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
