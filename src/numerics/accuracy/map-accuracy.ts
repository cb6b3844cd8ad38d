import { stratifiedRatio, type Estimate, type StratumSample } from './ratio-estimator.ts';

/** One place of the sample: the stratum that it was drawn from, what the map says and what is true. */
export interface LabelledUnit {
  readonly stratum: string;
  readonly mapped: string;
  readonly reference: string;
}

/** How far the map is right on one class; shares of area. */
export interface ClassAccuracy {
  /** Share of what is mapped as the class that is of the class. */
  readonly users: Estimate;
  /** Share of what is of the class that is mapped as it. */
  readonly producers: Estimate;
  /** Share of the whole that is of the class, whatever is mapped. */
  readonly area: Estimate;
}

/** Accuracy of a map from a stratified random sample. */
export class MapAccuracy {
  readonly #units: ReadonlyMap<string, readonly LabelledUnit[]>;
  readonly #sizes: ReadonlyMap<string, number>;

  /**
   * @param sizes size of each stratum: pixels, area or a share
   * @throws RangeError when a unit's stratum has no size
   */
  constructor(units: readonly LabelledUnit[], sizes: ReadonlyMap<string, number>) {
    this.#units = Map.groupBy(units, ({ stratum }) => stratum);
    this.#sizes = sizes;
    for (const stratum of this.#units.keys())
      if (!sizes.has(stratum)) throw new RangeError(`stratum ${stratum}: expected its size, got none`);
  }

  /** Share of the whole on which map and reference agree. */
  overall(): Estimate {
    return this.#ratio(
      (unit) => unit.mapped === unit.reference,
      () => true,
    );
  }

  of(label: string): ClassAccuracy {
    const isMapped = (unit: LabelledUnit): boolean => unit.mapped === label;
    const isTrue = (unit: LabelledUnit): boolean => unit.reference === label;
    const isRight = (unit: LabelledUnit): boolean => isMapped(unit) && isTrue(unit);
    return {
      users: this.#ratio(isRight, isMapped),
      producers: this.#ratio(isRight, isTrue),
      area: this.#ratio(isTrue, () => true),
    };
  }

  #ratio(y: (unit: LabelledUnit) => boolean, x: (unit: LabelledUnit) => boolean): Estimate {
    const strata: StratumSample[] = [];
    for (const [stratum, units] of this.#units)
      strata.push({
        size: this.#sizes.get(stratum)!,
        y: units.map((unit) => (y(unit) ? 1 : 0)),
        x: units.map((unit) => (x(unit) ? 1 : 0)),
      });
    return stratifiedRatio(strata);
  }
}
