import type { Bbox } from '../../geo/bbox.ts';
import { wrapLongitude } from '../../geo/position.ts';
import { layerKind } from '../../risk/layer-kinds.ts';
import type { LayerCard, LayerSnapshot } from '../risk/layer-reader.ts';
import { isSameVersion, layerVersionName } from './installed-layer.ts';
import { figure } from './layer-checks.ts';

/** Rows and columns of the grid of places at which two maps are compared (our choice). */
const EDGE = 64;
/** Share by which a level may lie below one of a shorter period without being counted: roundings [1] (our choice). */
const ROUNDING = 0.01;
/** Share of the compared places from which it is told [1] (our choice): tiles that were modelled apart disagree at edges. */
const TOLD_FROM = 0.01;

/** Maps of one version that a card is compared with: those of the next shorter and the next longer return period. */
export function neighboursInPeriod(card: LayerCard, others: readonly LayerCard[]): readonly LayerCard[] {
  const own = card.returnPeriodYears;
  if (own === null || layerKind(card.layer)?.returnPeriod !== 'required') return [];
  const same = others
    .filter(({ layer, version }) => layer === card.layer && version === card.version)
    .filter(({ returnPeriodYears }) => returnPeriodYears !== null && returnPeriodYears !== own)
    .toSorted((a, b) => a.returnPeriodYears! - b.returnPeriodYears!);
  const shorter = same.findLast(({ returnPeriodYears }) => returnPeriodYears! < own);
  const longer = same.find(({ returnPeriodYears }) => returnPeriodYears! > own);
  return [shorter, longer].filter((other) => other !== undefined);
}

/**
 * Returns where the map of a longer return period lies below that of a shorter one, a sentence for each neighbour with
 * which that is so: the files may have been exchanged, or have different units. It is a note and no error, since maps of
 * separate models disagree at places.
 * @param card the map that was installed
 * @param bounds the ground of its new piece
 */
export async function disorderedPeriods(
  snapshot: LayerSnapshot,
  card: LayerCard,
  bounds: Bbox,
): Promise<readonly string[]> {
  const cards = snapshot.cards(card.layer);
  const own = cards.find((other) => isSameVersion(other, card));
  const told: string[] = [];
  for (const other of own === undefined ? [] : neighboursInPeriod(own, cards)) {
    const isShorter = other.returnPeriodYears! < own!.returnPeriodYears!;
    const [frequent, rare] = isShorter ? [other, own!] : [own!, other];
    const sentence = await comparison(snapshot, frequent, rare, bounds);
    if (sentence !== undefined) told.push(sentence);
  }
  return told;
}

async function comparison(
  snapshot: LayerSnapshot,
  frequent: LayerCard,
  rare: LayerCard,
  bounds: Bbox,
): Promise<string | undefined> {
  const [lngs, lats] = placesIn(bounds);
  const [low, high] = [await snapshot.sample(frequent, lngs, lats), await snapshot.sample(rare, lngs, lats)];
  let [compared, below, most] = [0, 0, 0];
  for (const [i, before] of low.entries()) {
    const after = high[i]!;
    // Where both are 0, nothing is compared.
    if (!before.ok || !after.ok || !(before.value > 0 || after.value > 0)) continue;
    compared += 1;
    const missing = before.value - after.value;
    if (missing <= ROUNDING * before.value) continue;
    below += 1;
    most = Math.max(most, missing);
  }
  if (below === 0 || below < TOLD_FROM * compared) return undefined;
  return (
    `${layerVersionName(rare)} lies below the map of ${frequent.returnPeriodYears} years at ${below} of ${compared} places, by up to ${figure(most)} ${rare.unit}: ` +
    'a rarer level cannot be lower. The models take the higher one. Check the return periods and units of both maps.'
  );
}

/** Centres of the cells of a grid over a box. */
function placesIn([west, south, east, north]: Bbox): readonly [lngs: Float64Array, lats: Float64Array] {
  const [lngs, lats] = [new Float64Array(EDGE * EDGE), new Float64Array(EDGE * EDGE)];
  for (let i = 0; i < lngs.length; i++) {
    lngs[i] = wrapLongitude(west + ((east - west) * ((i % EDGE) + 0.5)) / EDGE);
    lats[i] = south + ((north - south) * (Math.floor(i / EDGE) + 0.5)) / EDGE;
  }
  return [lngs, lats];
}
