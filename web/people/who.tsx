import { ENVIRONMENTS } from '../../src/contract/vocabulary.ts';
import { ROLE_MEANINGS } from '../../src/contract/people/roles.ts';
import { useAction } from '../answer.ts';
import { Problem } from '../problem.tsx';
import { type Route, routeHref } from '../route.ts';
import type { Person, Session } from '../session.ts';
import type { Choice } from './choice.ts';

const ACCOUNT_PANES: ReadonlySet<Route['pane']> = new Set(['account', 'members', 'audit']);

/** Right part of the header: who is signed in, with what role, about which account and environment; sign-out. */
export function Who(props: {
  readonly session: Session;
  readonly route: Route;
  readonly onChoose: (choice: Choice) => void;
  readonly onLeave: () => Promise<void>;
}) {
  const { session, route } = props;
  const { environment, account, person } = session;
  const leave = useAction(props.onLeave);
  return (
    <div class="who">
      {person === undefined ? (
        <span class={`environment ${environment}`} title={`Key ${session.callerId} of ${account.name}`}>
          {environment}
        </span>
      ) : (
        <Choices {...props} person={person} />
      )}
      <a
        href={routeHref({ pane: 'account' })}
        aria-current={ACCOUNT_PANES.has(route.pane) ? 'page' : undefined}
      >
        Account
      </a>
      <a href="docs">Reference</a>
      <button type="button" class="quiet" disabled={leave.busy} onClick={() => leave.run()}>
        Sign out
      </button>
      <Problem error={leave.error} />
    </div>
  );
}

function Choices({
  session: { account, environment },
  person: { membership, memberships },
  onChoose,
}: {
  readonly session: Session;
  readonly person: Person;
  readonly onChoose: (choice: Choice) => void;
}) {
  return (
    <>
      <span class="email">{membership.email}</span>
      <span class="badge" title={`${membership.email}: ${ROLE_MEANINGS[membership.role]}`}>
        {membership.role}
      </span>
      {memberships.length === 1 ? (
        <span class="own-account">{account.name}</span>
      ) : (
        <select
          aria-label="Account"
          value={account.id}
          onChange={(event) => onChoose({ accountId: event.currentTarget.value, environment })}
        >
          {memberships.map((one) => (
            <option key={one.id} value={one.account.id}>
              {one.account.name}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="Environment"
        class={`environment ${environment}`}
        value={environment}
        onChange={(event) => onChoose({ accountId: account.id, environment: event.currentTarget.value })}
      >
        {ENVIRONMENTS.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
