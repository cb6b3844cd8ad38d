import { useState } from 'preact/hooks';
import type { OAuthClient } from '../../src/client/index.ts';
import { type Answer, useAction } from '../answer.ts';
import { count, day, moment } from '../format.ts';
import { ConfirmButton, SecretsOnce, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { useClient, useSession } from '../session.ts';
import { CredentialForm, type NewCredential } from './credential-form.tsx';
import { Needs } from '../people/needs.tsx';

/** Lists the OAuth clients that are not revoked and creates new ones. A new secret is shown once, above the list. */
export function ClientsSection({ clients }: { readonly clients: Answer<readonly OAuthClient[]> }) {
  const client = useClient();
  const { scopes } = useSession();
  const [made, setMade] = useState<Readonly<Record<string, string>> | undefined>(undefined);
  const make = useAction(
    (asked: NewCredential) => client.createClient(asked),
    ({ client_id, client_secret }) => {
      setMade({ 'Client id': client_id, 'Client secret': client_secret! }); // a client without keys has a secret
      clients.again();
    },
  );
  return (
    <section aria-labelledby="clients-heading">
      <h2 id="clients-heading">OAuth clients</h2>
      <p class="note">
        A client exchanges its secret for access tokens, valid for an hour, at <code>POST /oauth/token</code>.
      </p>
      <Problem error={clients.error} again={clients.again} />
      {clients.value === undefined && clients.waiting && <Waiting for="clients" />}
      {made !== undefined && <SecretsOnce secrets={made} onKept={() => setMade(undefined)} />}
      {clients.value?.length === 0 && <p class="empty">No client yet.</p>}
      <ul class="rows">
        {clients.value?.map((one) => (
          <ClientRow key={one.client_id} of={one} onRevoked={clients.again} />
        ))}
      </ul>
      <Needs to="createClient" quiet>
        <details>
          <summary>New OAuth client</summary>
          <CredentialForm
            id="client"
            label={make.busy ? 'Making …' : 'Make the client'}
            held={scopes}
            make={make}
          />
        </details>
      </Needs>
    </section>
  );
}

function ClientRow({ of, onRevoked }: { readonly of: OAuthClient; readonly onRevoked: () => void }) {
  const client = useClient();
  const { client_id, name, scopes, limit, created_at, last_used_at } = of;
  const revoke = useAction(() => client.revokeClient(client_id), onRevoked);
  return (
    <li>
      <strong>{name ?? 'Unnamed'}</strong>
      <small class="block">
        <code>{client_id}</code>
      </small>
      <small class="block">
        {limit === 0 ? 'Unlimited' : `${count(limit, 'unit')} a minute`} · since {day(created_at)} ·{' '}
        {last_used_at === null ? 'never used' : `last used ${moment(last_used_at)}`}
      </small>
      <details class="small">
        <summary>{count(scopes.length, 'scope')}</summary>
        <small>{scopes.join(', ')}</small>
      </details>
      <Needs to="createClient" quiet>
        <div class="row">
          <ConfirmButton
            label="Revoke"
            question="It and all its tokens stop working at once."
            busy={revoke.busy}
            onConfirm={() => revoke.run()}
          />
        </div>
      </Needs>
      <Problem error={revoke.error} />
    </li>
  );
}
