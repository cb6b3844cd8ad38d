import type { Location } from '../contract/risk.ts';
import type { Assessment, Assessor, Explanation, LayerReading, RiskModel } from '../risk/assessment.ts';
import { RISK_MODELS } from '../risk/models.ts';
import type { LayerCard, LayerReader, LayerSnapshot } from './ports.ts';

/** A model bound to one snapshot: its cards, in the order in which it wants their readings. */
interface BoundModel {
  readonly model: RiskModel;
  readonly cards: readonly LayerCard[];
  readonly assessor: Assessor;
}

/** An answer for one location; the explanation comes only when asked for. */
export interface AssessedRisk extends Assessment {
  readonly modelVersion: string;
  readonly explanation: Explanation | undefined;
}

/** Models are bound once per snapshot and forgotten with it. */
const bound = new WeakMap<LayerSnapshot, Map<Location['peril'], BoundModel>>();

function bind(snapshot: LayerSnapshot, peril: Location['peril']): BoundModel {
  let models = bound.get(snapshot);
  if (models === undefined) bound.set(snapshot, (models = new Map<Location['peril'], BoundModel>()));
  let found = models.get(peril);
  if (found === undefined) {
    const model = RISK_MODELS[peril];
    const cards = model.layers.flatMap((layer) => snapshot.cards(layer));
    models.set(peril, (found = { model, cards, assessor: model.prepare(cards) }));
  }
  return found;
}

/**
 * Assesses locations, in their order, all from one state of the catalogue. Those of one peril are read together, layer
 * by layer and near ones after each other, so that a tile is touched once.
 * @throws RangeError when a location is out of range: validate first
 */
export async function assessRisks(
  layers: LayerReader,
  locations: readonly Location[],
  explain: boolean,
): Promise<readonly AssessedRisk[]> {
  const snapshot = layers.snapshot();
  const answers: AssessedRisk[] = Array.from({ length: locations.length });
  for (const [peril, indices] of groupsOf(locations)) {
    const { model, cards, assessor } = bind(snapshot, peril);
    const n = indices.length;
    const lngs = new Float64Array(n);
    const lats = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      const { lat, lng } = locations[indices[k]!]!;
      lngs[k] = lng;
      lats[k] = lat;
    }
    const samples: (readonly LayerReading[])[] = [];
    for (const card of cards) {
      const read = snapshot.sample(card, lngs, lats);
      samples.push(read instanceof Promise ? await read : read);
    }
    const readings: LayerReading[] = Array.from({ length: cards.length });
    for (let k = 0; k < n; k++) {
      for (let c = 0; c < cards.length; c++) readings[c] = samples[c]![k]!;
      const explanation = explain ? assessor.explain(readings, lats[k]!, lngs[k]!) : undefined;
      const { riskScore, confidence, expectedAnnualDamageRatio } =
        explanation ?? assessor.assess(readings, lats[k]!, lngs[k]!);
      answers[indices[k]!] = {
        riskScore,
        confidence,
        expectedAnnualDamageRatio,
        modelVersion: model.modelVersion,
        explanation,
      };
    }
  }
  return answers;
}

/** Side of the cells that locations are ordered by [degrees]: a tile of a layer at 5 arc-minutes spans two of them. */
const CELL_DEGREES = 10;
const CELL_COLUMNS = 37; // of 360 degrees, and the longitude 180 itself

/** Positions of the locations of each peril, those of one cell after each other. */
function groupsOf(locations: readonly Location[]): ReadonlyMap<Location['peril'], ArrayLike<number>> {
  if (locations.length === 1) return new Map([[locations[0]!.peril, [0]]]);
  const groups = new Map<Location['peril'], number[]>();
  for (let i = 0; i < locations.length; i++) {
    const { lat, lng, peril } = locations[i]!;
    let keys = groups.get(peril);
    if (keys === undefined) groups.set(peril, (keys = []));
    const row = Math.floor((lat + 90) / CELL_DEGREES);
    const column = Math.floor((lng + 180) / CELL_DEGREES);
    keys.push((row * CELL_COLUMNS + column) * locations.length + i);
  }
  const ordered = new Map<Location['peril'], ArrayLike<number>>();
  for (const [peril, keys] of groups)
    ordered.set(
      peril,
      Float64Array.from(keys)
        .sort()
        .map((key) => key % locations.length),
    );
  return ordered;
}
