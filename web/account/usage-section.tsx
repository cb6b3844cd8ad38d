import { USAGE_DAYS } from '../../src/contract/limits.ts';
import { useAnswer } from '../answer.ts';
import { count, whole } from '../format.ts';
import { Facts, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { useClient, useSession } from '../session.ts';
import { spentUntil } from './spent.ts';

// Number of characters shown, from the end of an identifier. Its first characters encode the time, so they look alike.
const END_CHARS = 8;

/**
 * Remaining rate limit of the user's key or membership, and units spent by each credential. `names` contains the known
 * names of credentials by their identifiers.
 */
export function UsageSection({ names }: { readonly names: ReadonlyMap<string, string | null> }) {
  const client = useClient();
  const found = useAnswer((signal) => client.getUsage({ signal }), []);
  const usage = found.value;
  const own = useSession().person === undefined ? 'This key' : 'You';
  const rows = usage && spentUntil(new Date().toISOString().slice(0, 10), usage.days);
  return (
    <section aria-labelledby="usage-heading">
      <div class="heading">
        <h2 id="usage-heading">Usage</h2>
        <button type="button" class="quiet" disabled={found.waiting} onClick={found.again}>
          Refresh
        </button>
      </div>
      <Problem error={found.error} again={found.again} />
      {usage === undefined && found.waiting && <Waiting for="usage" />}
      {usage && (
        <Facts
          of={{
            [own]: <code>{usage.credential_id}</code>,
            Limit: usage.limit === 0 ? 'none' : `${count(usage.limit, 'unit')} a minute`,
            'Left now':
              usage.limit === 0 ? undefined : (
                <>
                  {count(usage.remaining, 'unit')}
                  <meter
                    class="bar"
                    min={0}
                    max={usage.limit}
                    value={usage.remaining}
                    aria-label="Units left"
                  />
                </>
              ),
          }}
        />
      )}
      {rows?.length === 0 && <p class="note">No units were spent in the last {USAGE_DAYS} days.</p>}
      {rows !== undefined && rows.length > 0 && (
        <div class="scroll" role="region" aria-label="Units spent" tabIndex={0}>
          <table class="numbers">
            <caption>Units spent. A call costs one unit, a batch one unit per 50 locations.</caption>
            <thead>
              <tr>
                <th scope="col">Key, client or member</th>
                <th scope="col">Today</th>
                <th scope="col">7 days</th>
                <th scope="col">{USAGE_DAYS} days</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ credentialId, today, week, month }) => (
                <tr key={credentialId}>
                  <th scope="row">
                    {names.get(credentialId) ?? (
                      <code title={credentialId}>…{credentialId.slice(-END_CHARS)}</code>
                    )}
                    {credentialId === usage?.credential_id && ` (${own.toLowerCase()})`}
                  </th>
                  <td>{whole(today)}</td>
                  <td>{whole(week)}</td>
                  <td>{whole(month)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
