import type { Aoi, RiskWatch } from '../../src/client/index.ts';
import { allOf } from '../all-of.ts';
import { type Answer, useAnswer } from '../answer.ts';
import { percent, position, words } from '../format.ts';
import { Badge, ScoreBar, Waiting } from '../parts.tsx';
import { ExportButtons } from '../export/export-buttons.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useClient } from '../session.ts';
import { standingOf } from './watch-crossings.ts';
import { WatchForm } from './watch-form.tsx';
import { Needs } from '../people/needs.tsx';

/** Lists the risk watches with their state, and creates new risk watches. */
export function WatchesPane({ areas }: { readonly areas: Answer<readonly Aoi[]> }) {
  const client = useClient();
  const found = useAnswer((signal) => allOf(client.riskWatches({}, { signal })), []);
  return (
    <>
      <h1>Risk watches</h1>
      <p class="note">
        A watch looks at a risk score again whenever a layer or a model changes, and tells when it rises to a
        threshold. Every anomaly subscription brings one for each of its perils.
      </p>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="watches" />}
      {found.value?.length === 0 && (
        <NothingYet what="watches">
          <p class="empty">Nothing is watched yet.</p>
        </NothingYet>
      )}
      <ul class="cards">
        {found.value?.toSorted(byNearness).map((watch) => (
          <WatchCard key={watch.id} watch={watch} areas={areas.value ?? []} />
        ))}
      </ul>
      {found.value !== undefined && found.value.length > 0 && (
        <ExportButtons list="/v1/risk/watches" name="watches" formats={['csv', 'parquet']} />
      )}
      <h2>Watch a risk</h2>
      <Needs to="createRiskWatch">
        {areas.value === undefined && areas.waiting ? (
          <Waiting for="areas" />
        ) : (
          <WatchForm areas={areas.value ?? []} />
        )}
      </Needs>
    </>
  );
}

/** Those above their threshold first, then by how near they are to it. */
function byNearness(a: RiskWatch, b: RiskWatch): number {
  return Number(b.above) - Number(a.above) || b.risk_score / b.threshold - a.risk_score / a.threshold;
}

function WatchCard({ watch, areas }: { readonly watch: RiskWatch; readonly areas: readonly Aoi[] }) {
  const { id, peril, risk_score, threshold, confidence } = watch;
  const { word, kind } = standingOf(watch);
  return (
    <li>
      <a href={routeHref({ pane: 'watch', id })}>
        <span class="line">
          <strong>
            {words(peril)}: {placeName(watch, areas)}
          </strong>
          <Badge kind={kind}>{word}</Badge>
        </span>
        <ScoreBar score={risk_score} threshold={threshold} label={`${words(peril)} risk`} />
        <span class="note">
          {risk_score.toFixed(2)}, threshold {threshold.toFixed(2)} ·{' '}
          {confidence > 0 ? `${percent(confidence)} confident` : 'nothing is known there'}
        </span>
      </a>
    </li>
  );
}

/** Returns the name of the watched area, or the watched position. */
export function placeName({ aoi_id, lat, lng }: RiskWatch, areas: readonly Aoi[]): string {
  if (lat !== undefined && lng !== undefined) return position(lat, lng);
  return areas.find(({ id }) => id === aoi_id)?.name ?? aoi_id ?? '';
}
