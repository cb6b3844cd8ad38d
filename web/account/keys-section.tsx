import { useState } from 'preact/hooks';
import type { Key } from '../../src/client/index.ts';
import { type Answer, useAction } from '../answer.ts';
import { count, day, moment } from '../format.ts';
import { Badge, ConfirmButton, SecretsOnce, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { useClient, useSession } from '../session.ts';
import { KEY_DAYS } from '../../src/contract/limits.ts';
import { CredentialForm, type NewCredential } from './credential-form.tsx';
import { Needs } from '../people/needs.tsx';

const FIRST_DAYS = String(KEY_DAYS.default); // preselected lifetime of a new key [days]
/** Choices for the time during which a replaced key stays valid [h]. */
const OVERLAPS = [
  [24, 'a day'],
  [168, 'a week'],
  [1, 'an hour'],
  [0, 'no longer'],
] as const;

/** Lists the API keys that are not revoked and creates new ones. A new key is shown once, above the list. */
export function KeysSection({ keys }: { readonly keys: Answer<readonly Key[]> }) {
  const client = useClient();
  const [made, setMade] = useState<string | undefined>(undefined);
  const [days, setDays] = useState(FIRST_DAYS);
  const { callerId, scopes } = useSession();
  const make = useAction(
    (asked: NewCredential) => client.createKey({ ...asked, expires_in_days: Number(days) }),
    ({ key }) => {
      setMade(key);
      keys.again();
    },
  );
  return (
    <section aria-labelledby="keys-heading">
      <h2 id="keys-heading">API keys</h2>
      <Problem error={keys.error} again={keys.again} />
      {keys.value === undefined && keys.waiting && <Waiting for="keys" />}
      {made !== undefined && <SecretsOnce secrets={{ 'API key': made }} onKept={() => setMade(undefined)} />}
      <ul class="rows">
        {keys.value?.map((key) => (
          <KeyRow
            key={key.id}
            of={key}
            isOwn={key.id === callerId}
            onReplaced={(successor) => {
              setMade(successor);
              keys.again();
            }}
            onRevoked={keys.again}
          />
        ))}
      </ul>
      <Needs to="createKey">
        <details>
          <summary>New API key</summary>
          <CredentialForm id="key" label={make.busy ? 'Making …' : 'Make the key'} held={scopes} make={make}>
            <div>
              <label for="key-days">Days until it expires</label>
              <input
                id="key-days"
                type="number"
                inputMode="numeric"
                required
                min={1}
                max={365}
                step={1}
                value={days}
                onInput={(event) => setDays(event.currentTarget.value)}
              />
            </div>
          </CredentialForm>
        </details>
      </Needs>
    </section>
  );
}

function KeyRow(props: {
  readonly of: Key;
  readonly isOwn: boolean;
  readonly onReplaced: (successor: string) => void;
  readonly onRevoked: () => void;
}) {
  const client = useClient();
  const { id, name, status, scopes, limit, created_at, expires_at, last_used_at } = props.of;
  const [replacing, setReplacing] = useState(false);
  const [overlap, setOverlap] = useState<number>(OVERLAPS[0][0]);
  const rotate = useAction(
    () => client.rotateKey(id, { overlap_hours: overlap }),
    ({ key }) => {
      setReplacing(false);
      props.onReplaced(key);
    },
  );
  const revoke = useAction(() => client.revokeKey(id), props.onRevoked);
  return (
    <li>
      <span class="line">
        <strong>{name ?? 'Unnamed'}</strong>
        <span>
          {props.isOwn && <Badge kind="own">this key</Badge>} <Badge kind={status}>{status}</Badge>
        </span>
      </span>
      <small class="block">
        <code>{id}</code>
      </small>
      <small class="block">
        {limit === 0 ? 'Unlimited' : `${count(limit, 'unit')} a minute`} · since {day(created_at)}
        {expires_at !== null && ` · ends ${moment(expires_at)}`} ·{' '}
        {last_used_at === null ? 'never used' : `last used ${moment(last_used_at)}`}
      </small>
      <details class="small">
        <summary>{count(scopes.length, 'scope')}</summary>
        <small>{scopes.join(', ')}</small>
      </details>
      <Needs to="createKey" quiet>
        {replacing ? (
          <div class="row">
            <label class="inline">
              <span>The old key still works for</span>
              <select value={overlap} onChange={(event) => setOverlap(Number(event.currentTarget.value))}>
                {OVERLAPS.map(([hours, text]) => (
                  <option key={hours} value={hours}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
            <button type="button" disabled={rotate.busy} onClick={() => rotate.run()}>
              Rotate
            </button>
            <button type="button" onClick={() => setReplacing(false)}>
              Cancel
            </button>
          </div>
        ) : (
          <div class="row">
            <button type="button" class="quiet" onClick={() => setReplacing(true)}>
              Rotate
            </button>
            <ConfirmButton
              label="Revoke"
              question={
                props.isOwn ? 'You are signed in with it: this signs you out.' : 'It stops working at once.'
              }
              busy={revoke.busy}
              onConfirm={() => revoke.run()}
            />
          </div>
        )}
      </Needs>
      <Problem error={rotate.error ?? revoke.error} />
    </li>
  );
}
