import { stratifiedRatio, type Estimate, type StratumSample } from './ratio-estimator.ts';

/** One sampled place: the stratum it was drawn from, its class on the map and its true class. */
export interface LabelledUnit {
  readonly stratum: string;
  readonly mapped: string;
  readonly reference: string;
}

/** Accuracy of the map for one class. All values are shares of area [0, 1]. */
export interface ClassAccuracy {
  /** User's accuracy: of the area that the map shows as the class, the share that truly is the class. */
  readonly users: Estimate;
  /** Producer's accuracy: of the true area of the class, the share that the map shows as the class. */
  readonly producers: Estimate;
  /** Share of the whole area that belongs to the class. */
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

  /** Overall accuracy: share of the whole area on which map and reference agree. */
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
