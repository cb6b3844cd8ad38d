import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Explanation, LayerMeta, LayerReading, RiskModel } from '../../src/risk/assessment.ts';
import { layerKind } from '../../src/risk/layer-kinds.ts';

/** Number of cases for each model; larger than the number of branches of any model. */
const CASES = 80;
/**
 * Number of sparse cases for each model, in which most layers are absent. They test each kind of evidence without the
 * others, with readings near the thresholds of the model's rules.
 */
const SPARSE_CASES = 160;
/** Share of the layers that are present in the sparse cases [1]. */
const PRESENT = 0.35;
/** Values near thresholds of rules, by layer. In the sparse cases, about half of the readings have such a value. */
const EDGES: Readonly<Record<string, readonly number[]>> = {
  'coast-distance': [-3.6, 0.5, 5, 10.5, 40, 80],
  'lake-distance': [0, 0, 0, 3.4, 3.6],
  'water-distance': [-6.7, 2, 5, 9, 62],
  'major-river-distance': [2, 7, 25, 62],
  'permanent-water': [0.51, 0],
  elevation: [-2, 0.5, 3],
  'height-above-water': [0.2, 1, 4],
  hand: [0.2, 1.5, 4],
  'flood-depth': [0],
  'coastal-flood-depth': [0],
};
/** Country codes (ISO 3166-1) that occur in the cases, one of each continent and some cyclone regions. */
const COUNTRY_CODES = [840, 484, 250, 508, 356, 608, 156, 36] as const;
/** Return periods of the hazard layers in all cases [years]. */
const RETURN_PERIODS = [2, 10, 50, 100, 500] as const;
/** Number of significant digits in the pins. The logarithms of different platforms differ only in later digits. */
const DIGITS = 10;
/** Land cover codes (ESA WorldCover) that occur in the cases. */
const COVER_CODES = [10, 20, 30, 40, 50, 60, 80, 90] as const;

/** Numbers of a pinned answer: score, confidence, expected annual damage ratio, and a checksum of the hazard curve. */
export type PinnedAnswer = readonly number[];

const FILE = join(import.meta.dirname, 'risk-answers.csv');
const HEADER = 'model_version,risk_score,confidence,expected_annual_damage_ratio,curve';

/** Reads the pinned answers of all models, by model version. */
export function readPins(): Map<string, PinnedAnswer[]> {
  const rows = readFileSync(FILE, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  return new Map(
    [...Map.groupBy(rows, ([version]) => version!)].map(([version, group]) => [
      version,
      group.map((row) => row.slice(1).map(Number)),
    ]),
  );
}

export function writePins(pins: ReadonlyMap<string, readonly PinnedAnswer[]>): void {
  const rows = [...pins].flatMap(([version, answers]) =>
    answers.map((answer) => [version, ...answer].join(',')),
  );
  writeFileSync(FILE, `${[HEADER, ...rows].join('\n')}\n`);
}

/**
 * Computes the answers of a model for fixed fictional places. In the first cases, all layers of the model are
 * installed: the coarse version, and in every second case also the fine version. Each reading is outside the layer,
 * nodata or a plausible value. In the sparse cases, most layers are not installed. The pins only show whether answers
 * have changed, not whether they are right.
 */
export function answersOf(model: RiskModel): PinnedAnswer[] {
  const sparse = model.layers.flatMap((layer) => cardsOf(layer, 0));
  const cards = [...sparse, ...model.layers.flatMap((layer) => cardsOf(layer, 1))];
  const coarseOnly = model.prepare(sparse);
  const all = model.prepare(cards);
  const full = Array.from({ length: CASES }, (_, i) => {
    const isFine = i % 2 === 1;
    const given = (isFine ? cards : sparse).map((card, c) => readingOf(card, i, c));
    const [lat, lng] = [-60 + 140 * fraction(i, 0.618), -180 + 360 * fraction(i, 0.414)];
    return pinned((isFine ? all : coarseOnly).explain(given, lat, lng));
  });
  return [...full, ...Array.from({ length: SPARSE_CASES }, (_, i) => sparseAnswer(model, i))];
}

/** Computes the answer of sparse case `i`: most layers are not in the catalogue at all. */
function sparseAnswer(model: RiskModel, i: number): PinnedAnswer {
  const version = i % 2;
  const cards = model.layers
    .filter((layer) => fraction(i * 11 + name(layer), 0.7321) < PRESENT || layer === 'coast-distance')
    .flatMap((layer) => cardsOf(layer, version))
    // In every fourth case, the hazard curve consists of a single map, for a return period of 50 years.
    .filter(({ returnPeriodYears }) => i % 4 < 3 || returnPeriodYears === null || returnPeriodYears === 50);
  const given = cards.map((card, c): LayerReading => {
    const edges = EDGES[card.layer];
    const isEdge = fraction(i * 5 + name(card.layer), 0.6181) < 0.5;
    if (edges === undefined || !isEdge) return readingOf(card, i + CASES, c);
    return { ok: true, value: edges[Math.floor(edges.length * fraction(i * 3 + name(card.layer), 0.2361))]! };
  });
  const [lat, lng] = [-50 + 110 * fraction(i, 0.318), -180 + 360 * fraction(i, 0.741)];
  return pinned(model.prepare(cards).explain(given, lat, lng));
}

function pinned({
  riskScore,
  confidence,
  expectedAnnualDamageRatio,
  hazardCurve,
}: Explanation): PinnedAnswer {
  const curve = hazardCurve.reduce(
    (sum, { returnPeriodYears, intensity, low, high, damageRatio }, k) =>
      sum + (k + 1) * (Math.log(returnPeriodYears) + intensity + 0.3 * low + 0.7 * high + 10 * damageRatio),
    0,
  );
  const [score, sure, damage, sum] = [riskScore, confidence, expectedAnnualDamageRatio, curve].map((value) =>
    Number(value.toPrecision(DIGITS)),
  );
  return [score!, sure!, damage!, sum!];
}

function cardsOf(layer: string, version: number): LayerMeta[] {
  const kind = layerKind(layer)?.returnPeriod ?? 'none';
  const mapped = kind === 'none' ? [] : RETURN_PERIODS;
  return [...(kind === 'required' ? [] : [null]), ...mapped].map((returnPeriodYears) => ({
    layer,
    version: `pinned-${version}`,
    unit: layerKind(layer)?.unit ?? '1',
    returnPeriodYears,
    resolutionM: version === 0 ? 9277 : 30,
    date: version === 0 ? '1990-06-01' : '2023-06-01',
    licence: 'none',
    source: 'made up',
  }));
}

function readingOf({ layer, returnPeriodYears, version }: LayerMeta, i: number, c: number): LayerReading {
  const u = fraction(i * 7 + (version === 'pinned-0' ? 0 : 3) + name(layer), 0.7548);
  // In some cases a whole hazard curve is absent, and in a few cases a single map of a curve.
  if (u < 0.15 || fraction(i * 13 + c, 0.5698) < 0.05)
    return { ok: false, reason: i % 3 === 0 ? 'outside' : 'nodata' };
  return { ok: true, value: plausible(layer, fraction(i + name(layer), 0.3247), returnPeriodYears) };
}

function plausible(layer: string, u: number, returnPeriodYears: number | null): number {
  const rare = returnPeriodYears === null ? 0 : Math.log(returnPeriodYears);
  if (layer === 'permanent-water') return u < 0.08 ? 1 : 0;
  if (layer === 'lake-distance') return u < 0.85 ? 0 : 10 * u;
  if (layer === 'land-cover') return COVER_CODES[Math.floor(u * COVER_CODES.length)]!;
  if (layer === 'country') return COUNTRY_CODES[Math.floor(u * COUNTRY_CODES.length)]!;
  switch (layerKind(layer)?.unit) {
    case 'm':
      return returnPeriodYears === null ? 30 * u ** 3 - 0.5 : Math.max(0, 4 * u - 2.5 + 0.5 * rare);
    case 'm/s':
      return 12 + 14 * u + (2 + 3 * u) * rare;
    case 'km':
      return 84 * u - 4;
    case 'km2':
      return 10 ** (6 * u);
    case 'years':
      return 10 ** (3 * u);
    case '%':
      return 60 * u;
    case '1/yr':
      return 0.05 * u;
    case '1/(km2 yr)':
      return 0.1 * u * u;
    case 'mm/yr':
      return 40 * u - 30;
    case 'mm/yr per m':
      return 0.4 * u * u;
    case 'mm/yr2':
      return 4 * u - 2;
    case 'degree':
      return 40 * u * u;
    case undefined:
    default:
      return returnPeriodYears === null ? 20 * u : 20 * u + 5 * rare;
  }
}

/** Returns the i-th number of an additive sequence in [0, 1). */
function fraction(i: number, step: number): number {
  return (0.5 + i * step) % 1;
}

function name(layer: string): number {
  let sum = 0;
  for (const letter of layer) sum = (sum * 31 + letter.codePointAt(0)!) % 997;
  return sum;
}
