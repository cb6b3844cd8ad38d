import type { LayerMeta, LayerReading, Peril } from '../../../src/risk/assessment.ts';
import { type Random, simulatedCard } from '../simulated-case.ts';

/** What one set of layers says about a place. */
export interface View {
  readonly cards: readonly LayerMeta[];
  readonly readings: readonly LayerReading[];
}

/**
 * A place of a simulated world with its truth, seen through several sets of layers, from little evidence to much. The
 * truth is drawn from more than one class of model. So the answers of each kind of evidence are compared with truths
 * that contradict their own model, and with the same truths as those of the other kinds.
 */
export interface Place {
  readonly lat: number;
  readonly lng: number;
  readonly trueScore: number;
  /** True intensity at a return period [years], in the unit of the hazard curve; absent where none is defined. */
  readonly trueIntensity?: (returnPeriodYears: number) => number;
  /** Class of model that the truth was drawn from. */
  readonly truth: string;
  readonly views: readonly View[];
}

/**
 * The world of a peril. A model with a new layer gets it here: in the views of the evidence class that it gives, drawn
 * from the truth with the error that the source states, never with the error that the model assumes alone.
 */
export interface World {
  readonly peril: Peril;
  readonly place: (random: Random) => Place;
}

/** One layer of a view: its name, return period [years] or null, cell size [m] and value; NaN where it has none. */
export type ViewLayer = readonly [
  layer: string,
  returnPeriodYears: number | null,
  resolutionM: number,
  value: number,
];

const NODATA: LayerReading = { ok: false, reason: 'nodata' };

/** Cards are reused, so that a model is prepared once for all views with the same cards. */
const CARDS = new Map<string, LayerMeta>();
const LISTS = new Map<string, readonly LayerMeta[]>();

/** Returns a view; views of the same layers, return periods and cell sizes share one list of cards. */
export function viewOf(layers: readonly ViewLayer[]): View {
  const keys = layers.map(([layer, years, cellM]) => `${layer} ${years} ${cellM}`);
  const key = keys.join('|');
  let cards = LISTS.get(key);
  if (cards === undefined) {
    cards = layers.map(([layer, years, cellM], i) => {
      const known = CARDS.get(keys[i]!) ?? simulatedCard(layer, years, cellM);
      CARDS.set(keys[i]!, known);
      return known;
    });
    LISTS.set(key, cards);
  }
  return {
    cards,
    readings: layers.map(([, , , value]) => (Number.isFinite(value) ? { ok: true, value } : NODATA)),
  };
}
