import { type Peril, PERILS } from '../../contract/vocabulary.ts';
import type { Location } from '../../contract/risk.ts';
import type { Assessment, Assessor, Explanation, LayerReading } from '../../risk/assessment.ts';
import { RISK_MODELS } from '../../risk/models.ts';
import type { LayerColumns, LayerSnapshot } from './layer-reader.ts';

/** The locations of a batch, as columns. */
export interface Places {
  /** Peril of each place, as its index in PERILS. */
  readonly perils: Uint8Array;
  /** Latitudes [decimal degrees]. */
  readonly lats: Float64Array;
  readonly lngs: Float64Array;
}

/** Results for places, in the order of the places. */
export interface AssessedPlaces {
  readonly riskScores: Float64Array;
  readonly confidences: Float64Array;
  /** One explanation per place; null if explanations were not requested. */
  readonly explanations: readonly Explanation[] | null;
}

/** Result for one place. */
export interface AssessedPlace {
  readonly assessment: Assessment;
  readonly modelVersion: string;
  /** Explanation of the assessment; null if it was not requested. */
  readonly explanation: Explanation | null;
}

const NODATA: LayerReading = { ok: false, reason: 'nodata' };
const OUTSIDE: LayerReading = { ok: false, reason: 'outside' };

/** The risk model of one peril, together with the snapshot of the layers that it reads. */
class BoundModel {
  readonly modelVersion: string;
  readonly assessor: Assessor;
  readonly #read: LayerColumns;
  readonly #count: number;
  /** The reading of each card's map at the current place. The objects are reused for the next place. */
  readonly #readings: LayerReading[];
  readonly #values: { readonly ok: true; value: number }[];
  /** Result of the last `read`: the values of the first card at all places, then the values of the second card, etc. */
  #columns = new Float64Array(0);
  #stride = 0;

  constructor(snapshot: LayerSnapshot, peril: Peril) {
    const model = RISK_MODELS[peril];
    const cards = model.layers.flatMap((layer) => snapshot.cards(layer));
    this.modelVersion = model.modelVersion;
    this.assessor = model.prepare(cards);
    this.#read = snapshot.reader(cards);
    this.#count = cards.length;
    this.#readings = cards.map(() => NODATA);
    this.#values = cards.map(() => ({ ok: true, value: 0 }));
  }

  /** Reads the layers at places, for later calls of `readings`. */
  read(lngs: Float64Array, lats: Float64Array): void {
    this.#stride = lngs.length;
    const length = this.#count * this.#stride;
    if (this.#columns.length < length) this.#columns = new Float64Array(length);
    this.#read(lngs, lats, this.#columns);
  }

  /** Returns the readings at the i-th place of the last `read`. They are valid until the next call of `readings`. */
  readings(i: number): readonly LayerReading[] {
    for (let c = 0; c < this.#count; c++) {
      const value = this.#columns[c * this.#stride + i]!;
      if (Number.isFinite(value)) {
        const reading = this.#values[c]!;
        reading.value = value;
        this.#readings[c] = reading;
      } else this.#readings[c] = value === Infinity ? OUTSIDE : NODATA;
    }
    return this.#readings;
  }
}

/** The bound models of each snapshot. They are freed together with the snapshot. */
const bound = new WeakMap<LayerSnapshot, Map<Peril, BoundModel>>();

function bind(snapshot: LayerSnapshot, peril: Peril): BoundModel {
  let models = bound.get(snapshot);
  if (models === undefined) bound.set(snapshot, (models = new Map<Peril, BoundModel>()));
  let model = models.get(peril);
  if (model === undefined) models.set(peril, (model = new BoundModel(snapshot, peril)));
  return model;
}

const oneLng = new Float64Array(1);
const oneLat = new Float64Array(1);

/** Assesses one location. @throws RangeError when it is out of range; callers validate it first */
export function assessPlace(
  snapshot: LayerSnapshot,
  { lat, lng, peril }: Location,
  explain: boolean,
): AssessedPlace {
  const model = bind(snapshot, peril);
  oneLng[0] = lng;
  oneLat[0] = lat;
  model.read(oneLng, oneLat);
  const readings = model.readings(0);
  const explanation = explain ? model.assessor.explain(readings, lat, lng) : null;
  const assessment = explanation ?? model.assessor.assess(readings, lat, lng);
  return { assessment, modelVersion: model.modelVersion, explanation };
}

/**
 * Assesses places, all with the same snapshot of the layers. Places of one peril are read together, layer by
 * layer and in spatial order, so that each tile is read once.
 * @throws RangeError when a place is out of range; callers validate it first
 */
export function assessPlaces(snapshot: LayerSnapshot, places: Places, explain: boolean): AssessedPlaces {
  const count = places.perils.length;
  const riskScores = new Float64Array(count);
  const confidences = new Float64Array(count);
  const explanations: Explanation[] | null = explain ? Array.from({ length: count }) : null;
  const { order, starts } = byPerilAndCell(places);
  const lngs = new Float64Array(count);
  const lats = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    lngs[k] = places.lngs[order[k]!]!;
    lats[k] = places.lats[order[k]!]!;
  }
  for (let p = 0; p < PERILS.length; p++) {
    const [from, to] = [starts[p]!, starts[p + 1]!];
    if (from === to) continue;
    const model = bind(snapshot, PERILS[p]!);
    model.read(lngs.subarray(from, to), lats.subarray(from, to));
    for (let k = from; k < to; k++) {
      const readings = model.readings(k - from);
      const explanation = explain ? model.assessor.explain(readings, lats[k]!, lngs[k]!) : null;
      const { riskScore, confidence } = explanation ?? model.assessor.assess(readings, lats[k]!, lngs[k]!);
      const i = order[k]!;
      riskScores[i] = riskScore;
      confidences[i] = confidence;
      if (explanation !== null) explanations![i] = explanation;
    }
  }
  return { riskScores, confidences, explanations };
}

/** Returns the places from one index to before another, or to the last. */
export function partOf({ perils, lats, lngs }: Places, from: number, to: number): Places {
  return {
    perils: perils.subarray(from, to),
    lats: lats.subarray(from, to),
    lngs: lngs.subarray(from, to),
  };
}

/** Side of the cells by which places are sorted [degrees]. A tile of a layer at 5 arc-minutes is two cells wide. */
const CELL_DEGREES = 10;
const CELL_COLUMNS = 37; // 36 columns for 360 degrees, and one more for longitude 180
const CELLS = 19 * CELL_COLUMNS; // 18 rows for 180 degrees, and one more for latitude 90

/**
 * Sorts places by peril, then by cell, with a counting sort.
 * @returns indices of the places in that order, and where each peril starts
 */
function byPerilAndCell({ perils, lats, lngs }: Places): { order: Int32Array; starts: Int32Array } {
  const n = perils.length;
  const keys = new Int32Array(n);
  const next = new Int32Array(PERILS.length * CELLS + 1);
  for (let i = 0; i < n; i++) {
    const row = Math.floor((lats[i]! + 90) / CELL_DEGREES);
    const column = Math.floor((lngs[i]! + 180) / CELL_DEGREES);
    const key = perils[i]! * CELLS + row * CELL_COLUMNS + column;
    if (!(key >= 0 && key < next.length - 1)) throw new RangeError(`place ${lats[i]}, ${lngs[i]}`);
    keys[i] = key;
    next[key + 1]!++;
  }
  for (let key = 1; key < next.length; key++) next[key]! += next[key - 1]!;
  const starts = Int32Array.from({ length: PERILS.length + 1 }, (_, p) => next[p * CELLS]!);
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[next[keys[i]!]!++] = i;
  return { order, starts };
}
