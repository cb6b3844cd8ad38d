import type { Assessor, Explanation, LayerMeta, Peril } from '../../../src/risk/assessment.ts';
import type { EvidenceClass } from '../../../src/contract/vocabulary.ts';
import { EvidenceLadder, type EvidenceFound } from '../../../src/risk/evidence.ts';
import { RISK_MODELS } from '../../../src/risk/models.ts';
import { add, none, type Outcomes } from '../outcomes.ts';
import { Random } from '../simulated-case.ts';
import { FLOOD_WORLD } from './flood-world.ts';
import { STORM_WORLD } from './storm-world.ts';
import { SUBSIDENCE_WORLD } from './subsidence-world.ts';
import { WILDFIRE_WORLD } from './wildfire-world.ts';
import type { World } from './world.ts';

export const WORLDS: Readonly<Partial<Record<Peril, World>>> = {
  flood: FLOOD_WORLD,
  subsidence: SUBSIDENCE_WORLD,
  wildfire: WILDFIRE_WORLD,
  storm: STORM_WORLD,
};

/** One place in this number has its hazard curve checked, because its truth takes longer to compute than the answer. */
const CURVE_EVERY = 5;

/**
 * Number of blocks of places for cross-validation. A world with at least as many positions is divided by position,
 * another by the number of the place.
 */
export const BLOCKS = 5;
/** Number of places from which the positions of a world are known. */
const POSITIONS_FROM = 500;

/** All answers of one world, by the basis of the answer, and the statements of each kind of evidence. */
export interface WorldOutcomes {
  /** By basis. */
  readonly bases: ReadonlyMap<string, Outcomes>;
  /** By class of evidence, and within it by basis. */
  readonly classes: ReadonlyMap<EvidenceClass, ReadonlyMap<string, Outcomes>>;
  /** The same answers by the class of model that the truth was drawn from. */
  readonly truths: ReadonlyMap<string, Outcomes>;
  /** Statements by kind of evidence and cell size. */
  readonly kinds: ReadonlyMap<string, Statements>;
}

/** What answers of one kind of evidence and cell size stated, with the truths. */
export interface Statements {
  readonly found: EvidenceFound;
  readonly scores: number[];
  readonly confidences: number[];
  readonly truths: number[];
}

/** Shows the places of a world to its model. Answers without evidence (priors) are left out. */
export function outcomesOfWorld({ peril, place }: World, count: number, seed: number): WorldOutcomes {
  const model = RISK_MODELS[peril];
  const prepared = new Map<readonly LayerMeta[], { assessor: Assessor; ladder: EvidenceLadder }>();
  const random = new Random(seed);
  const bases = new Map<string, Outcomes>();
  const truths = new Map<string, Outcomes>();
  const kinds = new Map<string, Statements>();
  const classes = new Map<EvidenceClass, Map<string, Outcomes>>();
  const blockAt = blocksOf(place, seed);
  for (let i = 0; i < count; i++) {
    const { lat, lng, trueScore, trueIntensity, truth, views } = place(random);
    const block = blockAt(lat, lng, i);
    const known = i % CURVE_EVERY === 0 ? memoised(trueIntensity) : undefined;
    for (const { cards, readings } of views) {
      let ready = prepared.get(cards);
      if (ready === undefined) {
        const ladder = new EvidenceLadder(peril, model.evidence, cards);
        prepared.set(cards, (ready = { assessor: model.prepare(cards), ladder }));
      }
      const answer = ready.assessor.explain(readings, lat, lng);
      const { basis, class: of } = answer.evidence;
      if (basis === '') continue;
      const ofClass = entry(
        entry(classes, of, () => new Map<string, Outcomes>()),
        basis,
        none,
      );
      for (const outcome of [entry(bases, basis, none), entry(truths, truth, none), ofClass])
        add(outcome, answer, trueScore, known, block);
      const best = ready.ladder.found(readings).at(-1);
      if (best !== undefined) state(kinds, best, answer, trueScore);
    }
  }
  return { bases, classes, truths, kinds };
}

/** Returns the function from a place and its number to its block. */
function blocksOf(place: World['place'], seed: number): (lat: number, lng: number, i: number) => number {
  const random = new Random(seed);
  const positions = [
    ...new Set(
      Array.from({ length: POSITIONS_FROM }, () => {
        const { lat, lng } = place(random);
        return `${lat} ${lng}`;
      }),
    ),
  ].sort();
  if (positions.length < BLOCKS) return (_lat, _lng, i) => i % BLOCKS;
  return (lat, lng) => Math.max(0, positions.indexOf(`${lat} ${lng}`)) % BLOCKS;
}

function state(
  kinds: Map<string, Statements>,
  found: EvidenceFound,
  { riskScore, confidence }: Explanation,
  truth: number,
): void {
  const key = `${found.kind.name} ${found.resolutionM}`;
  const into = entry(kinds, key, () => ({ found, scores: [], confidences: [], truths: [] }));
  into.scores.push(riskScore);
  into.confidences.push(confidence);
  into.truths.push(truth);
}

function entry<K, T>(map: Map<K, T>, key: K, make: () => T): T {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = make()));
  return found;
}

/** The views of a place ask for the same return periods. */
function memoised(of: ((years: number) => number) | undefined): ((years: number) => number) | undefined {
  if (of === undefined) return undefined;
  const known = new Map<number, number>();
  return (years) => {
    let value = known.get(years);
    if (value === undefined) known.set(years, (value = of(years)));
    return value;
  };
}
