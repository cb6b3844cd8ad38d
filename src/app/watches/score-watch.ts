import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Peril, PERILS } from '../../contract/vocabulary.ts';
import { type AreaSample, sampleArea } from '../../geo/area-sample.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { RISK_MODELS } from '../../risk/models.ts';
import { type AssessedPlaces, assessPlaces } from '../risk/assess-risk.ts';
import type { LayerSnapshot } from '../risk/layer-reader.ts';
import type { WatchScore } from './watch-store.ts';

/** How the score of an area is made; part of what scores are made from. */
const AREA_METHOD = 'area-v1.0.0';
/** Places in an area: as many as a batch of locations may have, which bounds the work. */
const MOST_PLACES = 1000;
const SHARE_M2 = 100; // a place for each pixel of 10 m, the finest that is watched from space without charge
const PLACES_A_TURN = 25; // half a millisecond once the code is compiled: the first turns are of fewer
/** A score of an area is reached or passed by so much of it. */
export const SHARE_REACHED = 0.05;

/** A score, without what a watch makes of it. */
export type Score = Omit<WatchScore, 'isAbove'>;

/** What is known of an area. */
export interface AreaScore extends Score {
  /** Places looked at, each for the same share of the area. */
  readonly places: number;
  /** Of them, those of which nothing is known. */
  readonly placesWithoutData: number;
  /** Of those with data: the highest score, and where. Null when there are none. */
  readonly highest: { readonly riskScore: number; readonly lat: number; readonly lng: number } | null;
  /** Scores of the places with data, highest first. */
  readonly scores: Float64Array;
}

const digests = new WeakMap<LayerSnapshot, Map<Peril, string>>();

/** Digest of all that scores of a peril are made from: layers, model, and how areas are scored. */
export function scoringState(snapshot: LayerSnapshot, peril: Peril): string {
  let known = digests.get(snapshot);
  if (known === undefined) digests.set(snapshot, (known = new Map()));
  let digest = known.get(peril);
  if (digest === undefined) {
    const { modelVersion, layers } = RISK_MODELS[peril];
    const made = JSON.stringify([modelVersion, AREA_METHOD, snapshot.state(layers)]);
    known.set(peril, (digest = createHash('sha256').update(made).digest('hex')));
  }
  return digest;
}

/** Assesses places few at a time, so that other work of the process is not kept waiting. */
async function assess(
  snapshot: LayerSnapshot,
  peril: Peril,
  { lats, lngs }: AreaSample,
): Promise<Pick<AssessedPlaces, 'riskScores' | 'confidences'>> {
  const riskScores = new Float64Array(lats.length);
  const confidences = new Float64Array(lats.length);
  const perils = new Uint8Array(PLACES_A_TURN).fill(PERILS.indexOf(peril));
  for (let from = 0, to = 0; from < lats.length; from = to) {
    if (from > 0) await nextTurn();
    to = Math.min(from + Math.min(from + 1, PLACES_A_TURN), lats.length);
    const places = {
      perils: perils.subarray(0, to - from),
      lats: lats.subarray(from, to),
      lngs: lngs.subarray(from, to),
    };
    const assessed = assessPlaces(snapshot, places, false);
    riskScores.set(assessed.riskScores, from);
    confidences.set(assessed.confidences, from);
  }
  return { riskScores, confidences };
}

/** Scores points. @returns in their order */
export async function scorePoints(
  snapshot: LayerSnapshot,
  peril: Peril,
  points: AreaSample,
): Promise<readonly Score[]> {
  const { riskScores, confidences } = await assess(snapshot, peril, points);
  const { modelVersion } = RISK_MODELS[peril];
  return Array.from(riskScores, (riskScore, i) => ({
    riskScore,
    confidence: confidences[i]!,
    modelVersion,
  }));
}

/** The places in an area that stand for it. */
export function placesOf({ geometry, areaM2 }: { geometry: AreaGeometry; areaM2: number }): AreaSample {
  return sampleArea(geometry, areaM2, { shareM2: SHARE_M2, most: MOST_PLACES });
}

/**
 * Scores an area by its places. Its score is the highest that at least a twentieth of the area with data reaches: one
 * wrong pixel does not decide it, and a flooded strip of a field does. Its confidence is the mean of its places', nothing
 * for those without data. Where there are data nowhere, it is the same of the priors, of confidence 0.
 */
export async function scoreArea(
  snapshot: LayerSnapshot,
  peril: Peril,
  places: AreaSample,
): Promise<AreaScore> {
  const { riskScores, confidences } = await assess(snapshot, peril, places);
  const known: number[] = [];
  let [sum, highest] = [0, -1];
  for (const [i, confidence] of confidences.entries()) {
    sum += confidence;
    if (confidence === 0) continue;
    known.push(riskScores[i]!);
    if (highest < 0 || riskScores[i]! > riskScores[highest]!) highest = i;
  }
  const ranked = Float64Array.from(known).sort().reverse();
  const told = ranked.length > 0 ? ranked : riskScores.toSorted().reverse();
  return {
    riskScore: told[Math.ceil(SHARE_REACHED * told.length) - 1]!,
    confidence: sum / confidences.length,
    modelVersion: RISK_MODELS[peril].modelVersion,
    places: confidences.length,
    placesWithoutData: confidences.length - known.length,
    highest:
      highest < 0
        ? null
        : { riskScore: riskScores[highest]!, lat: places.lats[highest]!, lng: places.lngs[highest]! },
    scores: ranked,
  };
}
