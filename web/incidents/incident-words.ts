import type { Aoi, Incident, WholeIncident } from '../../src/client/index.ts';
import { agoInWords, area, count, day, percent, whole } from '../format.ts';

/** What an incident consists of: `3 anomalies and 1 change`. */
export function membersInWords(incident: Pick<Incident, 'anomaly_count' | 'change_count'>): string {
  const { anomaly_count: anomalies, change_count: changes } = incident;
  const parts = [
    anomalies > 0 && (anomalies === 1 ? '1 anomaly' : `${whole(anomalies)} anomalies`),
    changes > 0 && count(changes, 'change'),
  ];
  return parts.filter((part) => part !== false).join(' and ');
}

/** Changes of an incident, as far as their certainty is concerned. */
type Changes = readonly Pick<WholeIncident['changes'][number], 'area_m2' | 'confidence'>[];

/**
 * How large an incident is: the ground of its changes, `3.2 ha`; of one without changes, of which nobody knows how much
 * of its areas it concerns, `size not known, within an area of 15 km²` or `size not known, within Ridge, Plain and Town`.
 * @param areas those of the incident that are known, the main one first
 */
export function sizeInWords(
  incident: Pick<Incident, 'area_count' | 'area_m2'>,
  areas: readonly { readonly area_m2: number; readonly name: string }[],
): string {
  if (incident.area_m2 !== null) return area(incident.area_m2);
  const [main] = areas;
  if (incident.area_count === 1)
    return `size not known, within an area${main === undefined ? '' : ` of ${area(main.area_m2)}`}`;
  return `size not known, within ${namesInWords(areas, incident.area_count)}`;
}

/** Most areas that are named in a line. */
const NAMED = 4;

/** Names some areas of a number of them: `Ridge, Plain and Town`, `Ridge, Plain, Town, Bay and 7 more areas`. */
function namesInWords(areas: readonly { readonly name: string }[], of: number): string {
  const names = areas.slice(0, NAMED).map(({ name }) => name);
  if (names.length === 0) return count(of, 'area');
  const others = of - names.length;
  const last = others > 0 ? `${whole(others)} more ${others === 1 ? 'area' : 'areas'}` : names.pop()!;
  return `${names.join(', ')} and ${last}`;
}

/** The areas of an incident that are known, the main one first. */
export function areasOf(incident: Pick<Incident, 'aoi_ids'>, areas: readonly Aoi[]): readonly Aoi[] {
  return incident.aoi_ids.flatMap((id) => areas.find((one) => one.id === id) ?? []);
}

/**
 * How sure it is: of changes the confidence of the largest, `98 % sure that it lasts`; of anomalies how rarely chance alone gives the
 * most severe of them. The severities are tail probabilities, see docs/methods/anomaly.md.
 */
export function sureInWords({ severity }: Pick<Incident, 'severity'>, changes: Changes): string {
  const largest = changes.toSorted((a, b) => b.area_m2 - a.area_m2)[0];
  return largest === undefined
    ? rarityInWords(severity)
    : `${percent(largest.confidence)} sure that it lasts`;
}

/** How rarely chance alone gives a reading as unusual as an anomaly of a severity. */
export function rarityInWords(severity: Incident['severity']): string {
  return `chance alone gives such a reading less than once in ${CHANCE[severity]}`;
}

const CHANCE: Readonly<Record<Incident['severity'], string>> = {
  low: '20',
  medium: '100',
  high: '1,000',
  critical: '10,000',
};

/**
 * Whether an incident goes on, is over, or neither: nothing new happens to a clearing, and it is still there. What is not
 * over was so when it was last observed: `ongoing when last observed, 23 Nov 2024, 19 months ago`.
 * @param nowMs undefined where times are those of the simulated region
 */
export function stateInWords(
  { status, last_observed_at: seen }: Pick<Incident, 'status' | 'last_observed_at'>,
  nowMs?: number,
): string {
  const words = { open: 'ongoing', standing: 'still there, nothing new', closed: 'over' }[status];
  if (status === 'closed' || seen === null) return words;
  const age = nowMs === undefined ? '' : `, ${agoInWords(nowMs - Date.parse(seen))}`;
  return `${words} when last observed, ${day(seen)}${age}`;
}
