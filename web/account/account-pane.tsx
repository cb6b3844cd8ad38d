import { allOf } from '../all-of.ts';
import { useAnswer } from '../answer.ts';
import { Copyable, Facts } from '../parts.tsx';
import { AccountTabs } from '../people/account-tabs.tsx';
import { Needs } from '../people/needs.tsx';
import { refusalOf } from '../people/permissions.ts';
import { useClient, useSession } from '../session.ts';
import { ClientsSection } from './clients-section.tsx';
import { KeysSection } from './keys-section.tsx';
import { UsageSection } from './usage-section.tsx';

/** Account page with the usage, API keys and OAuth clients of the account in the environment of the session. */
export function AccountPane() {
  const client = useClient();
  const session = useSession();
  const { account, callerId, person } = session;
  const mayList = refusalOf(session, 'listKeys') === undefined;
  const keys = useAnswer(async (signal) => (mayList ? allOf(client.keys({}, { signal })) : []), []);
  const clients = useAnswer(async (signal) => (mayList ? allOf(client.clients({}, { signal })) : []), []);
  const names = new Map<string, string | null>([
    ...(person === undefined ? [] : [[callerId, person.membership.email] as const]),
    ...(keys.value ?? []).map(({ id, name }) => [id, name] as const),
    ...(clients.value ?? []).map(({ client_id, name }) => [client_id, name] as const),
  ]);
  return (
    <>
      <h1>Account</h1>
      <AccountTabs current="account" />
      <Facts
        of={{
          'Signed in as': person && `${person.membership.email}, ${person.membership.role}`,
          Account: account.name,
          Identifier: <Copyable text={account.id} label="the account’s identifier" />,
        }}
      />
      <UsageSection names={names} />
      <Needs to="listKeys">
        <KeysSection keys={keys} />
        <ClientsSection clients={clients} />
      </Needs>
    </>
  );
}
