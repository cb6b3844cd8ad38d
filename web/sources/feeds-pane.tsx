import type { Feed } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { count, moment, whole } from '../format.ts';
import { Badge, Facts, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { lagText } from './lag.ts';
import { SourceTabs } from './source-tabs.tsx';

/** The feeds: followed catalogues with their progress, their lag and their last error. */
export function FeedsPane() {
  const client = useClient();
  const found = useAnswer((signal) => client.listFeeds({ signal }), []);
  const feeds = found.value?.feeds;
  return (
    <>
      <div class="heading">
        <h1>Feeds</h1>
        <button type="button" class="quiet" disabled={found.waiting} onClick={found.again}>
          Refresh
        </button>
      </div>
      <SourceTabs current="feeds" />
      <p class="note">Catalogues of satellite scenes that the service follows for your areas.</p>
      <Problem error={found.error} again={found.again} />
      {feeds === undefined && found.waiting && <Waiting for="feeds" />}
      {feeds?.length === 0 && (
        <p class="empty">
          No catalogue is followed. The operator adds one with <code>groundwatch feeds add NAME URL</code>.
          What the risk scores are made from is under <a href={routeHref({ pane: 'layers' })}>Layers</a>.
        </p>
      )}
      <ul class="rows">
        {feeds?.map((feed) => (
          <FeedRow key={feed.id} feed={feed} />
        ))}
      </ul>
    </>
  );
}

function FeedRow({ feed }: { readonly feed: Feed }) {
  const { areas, areas_served: served, areas_failing: failing } = feed;
  return (
    <li>
      <span class="line">
        <strong>{feed.name}</strong>
        {failing > 0 ? (
          <Badge kind="high">{count(failing, 'area')} failing</Badge>
        ) : (
          <Badge kind="active">{feed.asked_at === null ? 'not asked yet' : 'up to date'}</Badge>
        )}
      </span>
      <label class="progress">
        <span>
          {whole(served)} of {count(areas, 'area')} served
        </span>
        <progress value={areas === 0 ? 0 : served} max={Math.max(areas, 1)} />
      </label>
      <Facts
        of={{
          'Scenes until': feed.taken_to === null ? 'none yet' : moment(feed.taken_to),
          Lag: feed.taken_to === null ? undefined : lagText(feed.taken_to, Date.now()),
          'Last error': feed.problem,
          'Last asked': feed.asked_at === null ? 'never' : moment(feed.asked_at),
          'Asked next': moment(feed.next_at),
          'Asked every': count(feed.every_hours, 'hour'),
          'History since': moment(feed.from),
          Metrics: feed.metrics === null ? 'all of the scenes’ bands' : feed.metrics.join(', '),
          'Clouds at most': `${feed.max_cloud} %`,
          Catalogue: <span class="address">{feed.url}</span>,
        }}
      />
    </li>
  );
}
