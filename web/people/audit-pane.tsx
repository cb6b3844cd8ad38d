import { useEffect, useState } from 'preact/hooks';
import type { AuditRecord } from '../../src/client/index.ts';
import { useAction, useAnswer } from '../answer.ts';
import { moment, whole } from '../format.ts';
import { Badge, Facts, Waiting } from '../parts.tsx';
import { ExportButtons } from '../export/export-buttons.tsx';
import { Problem } from '../problem.tsx';
import { useClient, useSession } from '../session.ts';
import { AccountTabs } from './account-tabs.tsx';
import { actionWords, actorWords } from './audit-words.ts';

const PAGE = 50; // number of records loaded at a time

/** Lists what was done and refused in the account, newest first. */
export function AuditPane() {
  const client = useClient();
  const { environment, scopes } = useSession();
  const first = useAnswer((signal) => client.listAudit({ limit: PAGE }, { signal }), []);
  const [older, setOlder] = useState<readonly AuditRecord[]>([]);
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  useEffect(() => {
    setOlder([]);
    setCursor(first.value?.next_cursor);
  }, [first.value]);
  const more = useAction(
    (from: string) => client.listAudit({ limit: PAGE, cursor: from }),
    ({ records, next_cursor }) => {
      setOlder([...older, ...records]);
      setCursor(next_cursor);
    },
  );
  // Members are named by their address where the user may read it; the log itself has only ids.
  const members = useAnswer(
    async (signal) =>
      scopes.includes('members:read') ? (await client.listMembers({}, { signal })).members : [],
    [],
  );
  const names = new Map(members.value?.map(({ id, email }) => [id, email]));
  const records = [...(first.value?.records ?? []), ...older];
  return (
    <>
      <div class="heading">
        <h1>Audit log</h1>
        <button type="button" class="quiet" disabled={first.waiting} onClick={first.again}>
          Refresh
        </button>
      </div>
      <AccountTabs current="audit" />
      <p class="note">
        What was done in {environment} and in the whole account, and what was refused. Refusals may come ten
        seconds late.
      </p>
      <Problem error={first.error} again={first.again} />
      {first.value === undefined && first.waiting && <Waiting for="the audit log" />}
      {first.value?.records.length === 0 && <p class="empty">Nothing is recorded yet.</p>}
      <ul class="rows">
        {records.map((record, i) => (
          <RecordRow key={`${record.at} ${i}`} of={record} names={names} />
        ))}
      </ul>
      <Problem error={more.error} />
      {cursor !== undefined && (
        <button type="button" disabled={more.busy} onClick={() => more.run(cursor)}>
          {more.busy ? 'Loading …' : 'Older records'}
        </button>
      )}
      {records.length > 0 && <ExportButtons list="/v1/audit" name="audit log" formats={['csv', 'parquet']} />}
    </>
  );
}

function RecordRow({ of, names }: { readonly of: AuditRecord; readonly names: ReadonlyMap<string, string> }) {
  const { at, actor, action, target, environment, address, request_id, result, count } = of;
  const about = target === null ? undefined : names.get(target);
  return (
    <li>
      <span class="line">
        <strong>
          {actionWords(action)}
          {about !== undefined && `: ${about}`}
        </strong>
        {result === 'done' ? (
          count > 1 && <Badge kind="count">{whole(count)} times</Badge>
        ) : (
          <Badge kind="disabled">{count > 1 ? `refused ${whole(count)} times` : 'refused'}</Badge>
        )}
      </span>
      <small class="block">
        {actorWords(actor, names)} · {moment(at)} · {environment ?? 'whole account'}
      </small>
      {result !== 'done' && <small class="block">{result}</small>}
      <details class="small">
        <summary>Details</summary>
        <Facts
          of={{
            Action: <code>{action}</code>,
            Actor: <code>{actor}</code>,
            Target: target === null ? undefined : <code>{target}</code>,
            Address: address ?? undefined,
            Request: request_id === null ? undefined : <code>{request_id}</code>,
          }}
        />
      </details>
    </li>
  );
}
