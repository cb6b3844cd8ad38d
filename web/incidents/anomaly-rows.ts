import type { WholeIncident } from '../../src/client/index.ts';

type Member = WholeIncident['anomalies'][number];

const ASCENDING: readonly Member['severity'][] = ['low', 'medium', 'high', 'critical'];

/** Anomalies of one metric: their highest severity, and from when to when they lasted; `to` is null while one lasts. */
export interface AnomalyRow {
  readonly metric: string;
  readonly severity: Member['severity'];
  readonly from: string;
  readonly to: string | null;
  readonly members: readonly Member[];
}

/** Gathers anomalies by their metrics, the most severe first. */
export function anomalyRows(anomalies: readonly Member[]): readonly AnomalyRow[] {
  const rank = ({ severity }: Pick<Member, 'severity'>): number => ASCENDING.indexOf(severity);
  return [...Map.groupBy(anomalies, ({ metric }) => metric)]
    .map(([metric, members]): AnomalyRow => {
      const ends = members.flatMap(({ ended_at: ended }) => ended ?? []);
      return {
        metric,
        severity: ASCENDING[Math.max(...members.map(rank))]!,
        from: members.map(({ started_at: started }) => started).toSorted()[0]!,
        to: ends.length < members.length ? null : ends.toSorted().at(-1)!,
        members,
      };
    })
    .toSorted((a, b) => rank(b) - rank(a) || (a.from < b.from ? -1 : 1));
}
