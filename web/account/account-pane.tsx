import { useEffect } from 'preact/hooks';
import { allOf } from '../all-of.ts';
import { useAnswer } from '../answer.ts';
import { useMap } from '../map/map-content.ts';
import { useClient } from '../session.ts';
import { ClientsSection } from './clients-section.tsx';
import { KeysSection } from './keys-section.tsx';
import { UsageSection } from './usage-section.tsx';

/** Account page with the usage, API keys and OAuth clients of the account in the environment of the current key. */
export function AccountPane() {
  const client = useClient();
  const { show } = useMap();
  useEffect(
    () => show({ changes: [], selectedArea: undefined, selectedChange: undefined, place: undefined }),
    [],
  );
  const keys = useAnswer((signal) => allOf(client.keys({}, { signal })), []);
  const clients = useAnswer((signal) => allOf(client.clients({}, { signal })), []);
  const names = new Map([
    ...(keys.value ?? []).map(({ id, name }) => [id, name] as const),
    ...(clients.value ?? []).map(({ client_id, name }) => [client_id, name] as const),
  ]);
  return (
    <>
      <h1>Account</h1>
      <UsageSection names={names} />
      <KeysSection keys={keys} />
      <ClientsSection clients={clients} keys={keys.value} />
    </>
  );
}
