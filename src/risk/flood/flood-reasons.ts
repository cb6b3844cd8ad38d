import type { LayerMeta, LayerReading, Reason } from '../assessment.ts';
import { isFine } from './flood-ground.ts';
import type { FloodPlan } from './flood-plan.ts';
import type { GaugeReading } from './gauged-levels.ts';
import type { CurveVersion } from '../hazard-curve.ts';
import { SEA_REACH_KM } from './terrain-flood.ts';
import { absenceOf, answeringCard, candidatesOf } from '../layer-choice.ts';
import { mapAgeYears } from './mapped-flood.ts';

/**
 * Maximum age of a map before it is reported as stale [years]: rivers, land use and climate change with time (our
 * choice).
 */
const STALE_AFTER_YEARS = 20;

/** Evidence for the answer at a point. */
export interface FloodEvidence {
  readonly river: CurveVersion | undefined;
  readonly sea: CurveVersion | undefined;
  readonly byHand: boolean;
  /** Usual levels of the coast, and gauges that speak for the point. */
  readonly coast: GaugeReading | undefined;
  readonly seaGauge: GaugeReading | undefined;
  readonly riverGauge: GaugeReading | undefined;
  readonly coastKm: number;
  /** NaN where no defence is known. */
  readonly protectionYears: number;
  readonly plan: FloodPlan;
  readonly rainDamage: number;
  /** Whether the answer has a hazard curve: false where no draw of the water levels reaches the place. */
  readonly isReached: boolean;
}

/** Returns all reasons why a flood answer is less certain than the best answer of the model. */
export function floodReasons(
  cards: readonly LayerMeta[],
  readings: readonly LayerReading[],
  evidence: FloodEvidence,
): Reason[] {
  const isMapped = evidence.river !== undefined || evidence.sea !== undefined;
  return [
    ...(isMapped ? mapReasons(cards, readings, evidence) : terrainReasons(cards, readings, evidence)),
    defenceReason(evidence, isMapped),
  ];
}

function mapReasons(
  cards: readonly LayerMeta[],
  readings: readonly LayerReading[],
  { river, sea, coastKm, plan }: FloodEvidence,
): Reason[] {
  const reasons: Reason[] = [];
  for (const map of [river, sea]) {
    if (map === undefined) continue;
    if (!isFine(map.resolutionM))
      reasons.push({ code: 'coarse', message: `depths come from cells of ${Math.round(map.resolutionM)} m` });
    const age = mapAgeYears(map.date);
    if (age > STALE_AFTER_YEARS)
      reasons.push({ code: 'stale', message: `the flood map ${map.version} is of ${map.date}` });
  }
  if (sea === undefined && !(coastKm >= SEA_REACH_KM))
    reasons.push(missingMap(cards, readings, 'coastal-flood-depth', 'the sea'));
  if (river === undefined) reasons.push(missingMap(cards, readings, 'flood-depth', 'rivers'));
  const rarest = Math.max(river?.returnPeriodsYears.at(-1) ?? 0, sea?.returnPeriodsYears.at(-1) ?? 0);
  reasons.push({
    code: 'not-modelled',
    message: `events rarer than ${rarest} years count as that of ${rarest}, more frequent than ${plan.years[0]} as none; rain and streams that no map holds are left out`,
  });
  return reasons;
}

function missingMap(
  cards: readonly LayerMeta[],
  readings: readonly LayerReading[],
  layer: string,
  cause: string,
): Reason {
  const candidates = [...cards.keys()].filter((i) => cards[i]!.layer === layer);
  const message = `no ${layer} here: floods from ${cause} are not in the score, and lower the confidence`;
  return { code: absenceOf(readings, candidates), message };
}

function terrainReasons(
  cards: readonly LayerMeta[],
  readings: readonly LayerReading[],
  { byHand, coast, seaGauge, riverGauge, rainDamage, isReached }: FloodEvidence,
): Reason[] {
  const reasons: Reason[] = [];
  for (const layer of byHand ? ['elevation'] : ['elevation', 'height-above-water']) {
    const card = answeringCard(readings, candidatesOf(cards, layer));
    if (card < 0) {
      const message = `no ${layer} here: the height is inferred from the distance to water`;
      reasons.push({ code: absenceOf(readings, candidatesOf(cards, layer)), message });
    } else if (!isFine(cards[card]!.resolutionM)) {
      const message = `${layer} comes from cells of ${Math.round(cards[card]!.resolutionM)} m, water lines from a 1:10,000,000 map`;
      reasons.push({ code: 'coarse', message });
    }
  }
  const levels = byHand
    ? 'river levels are priors by the area upstream, against the height above nearest drainage: no flood map answers here'
    : 'water levels are priors by distance and river class: no flood map answers here';
  for (const [gauge, what, whose] of [
    [coast, 'sea levels', 'usual on this coast'],
    [seaGauge, 'sea levels', 'of gauges near by'],
    [riverGauge, 'river stages', 'of gauges near by'],
  ] as const) {
    if (gauge === undefined) continue;
    const percent = Math.round(100 * gauge.weight);
    const message = `${what} are to ${percent} % those ${whose} (${gauge.version.version}), the rest is the prior`;
    reasons.push({ code: 'prior', message });
  }
  reasons.push(
    { code: 'prior', message: levels },
    {
      code: 'not-modelled',
      message: `${rainDamage.toPrecision(1)}/yr stands for rain and streams that no layer maps`,
    },
  );
  if (!isReached)
    reasons.push({
      code: 'not-modelled',
      message:
        'no hazard curve: in no draw do the rivers and the sea of the layers reach the place; rain has no mapped depth, so that no depth is known here',
    });
  return reasons;
}

function defenceReason({ plan, protectionYears }: FloodEvidence, isMapped: boolean): Reason {
  if (plan.isDefended)
    return {
      code: 'defended',
      message: `events more frequent than ${protectionYears} years are held by defences`,
    };
  return {
    code: 'not-modelled',
    message: Number.isNaN(protectionYears)
      ? isMapped
        ? 'dikes, barriers and pumps are ignored: no protection standard is known here'
        : 'dikes, barriers and pumps are a prior by country: no protection standard is known here'
      : `defences up to ${protectionYears} years change nothing at the return periods known`,
  };
}
