import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Peril, PERILS } from '../../contract/vocabulary.ts';
import { type AreaSample, sampleArea } from '../../geo/area-sample.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { RISK_MODELS } from '../../risk/models.ts';
import { type AssessedPlaces, assessPlaces } from '../risk/assess-risk.ts';
import type { LayerSnapshot } from '../risk/layer-reader.ts';
import type { WatchScore } from './watch-store.ts';

/** Version of the method that scores areas; part of the scoring state. */
const AREA_METHOD = 'area-v1.0.0';
/** Maximum number of sampled places in an area, the same as the maximum size of a batch of locations. */
const MOST_PLACES = 1000;
const SHARE_M2 = 100; // area per sampled place [m2]: one 10 m pixel, the finest free satellite imagery
/**
 * Number of places assessed in one group, after which the event loop can run other work. A group takes about 0.5 ms.
 * The first groups have fewer places, because code that the engine has not optimised yet is slower.
 */
const PLACES_A_TURN = 25;
/** Minimum share of the places with data whose score is at least the score of the area [1]. */
export const SHARE_REACHED = 0.05;

/** Score of a place, without the field `isAbove`, which belongs to a watch. */
export type Score = Omit<WatchScore, 'isAbove'>;

/** Score of an area with its details. */
export interface AreaScore extends Score {
  /** Number of sampled places; each represents the same share of the area. */
  readonly places: number;
  /** Number of sampled places without data. */
  readonly placesWithoutData: number;
  /** The highest score of the places with data, and its position; null when no place has data. */
  readonly highest: { readonly riskScore: number; readonly lat: number; readonly lng: number } | null;
  /** Scores of the places with data, highest first. */
  readonly scores: Float64Array;
}

const digests = new WeakMap<LayerSnapshot, Map<Peril, string>>();

/** Returns a digest of everything that the scores of a peril depend on: layers, model, and the method for areas. */
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

/** Assesses places in small groups, so that the process can do other work between two groups. */
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

/** Scores points. @returns one score for each point, in the order of the points */
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

/** Samples the places that represent an area. */
export function placesOf({ geometry, areaM2 }: { geometry: AreaGeometry; areaM2: number }): AreaSample {
  return sampleArea(geometry, areaM2, { shareM2: SHARE_M2, most: MOST_PLACES });
}

/**
 * Scores an area by its sampled places. The score is the highest score that at least 5 % of the places with data
 * reach. So a single wrong pixel does not determine the score, but a flooded strip of a field does. The confidence is
 * the mean over all places; places without data count as 0. In an area without any data, the score is computed in the
 * same way from the priors, with confidence 0.
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
  const relevant = ranked.length > 0 ? ranked : riskScores.toSorted().reverse();
  return {
    riskScore: relevant[Math.ceil(SHARE_REACHED * relevant.length) - 1]!,
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
