import { routeHref } from '../route.ts';
import { useSession } from '../session.ts';

/** The pages about the account; those that the user may not read are not shown. */
const TABS = [
  { pane: 'account', name: 'Usage and credentials', scope: undefined },
  { pane: 'members', name: 'Members', scope: 'members:read' },
  { pane: 'audit', name: 'Audit log', scope: 'audit:read' },
] as const;

/** Links between the pages about the account. */
export function AccountTabs({ current }: { readonly current: (typeof TABS)[number]['pane'] }) {
  const { scopes } = useSession();
  return (
    <nav class="tabs" aria-label="Account">
      {TABS.filter(({ scope }) => scope === undefined || scopes.includes(scope)).map(({ pane, name }) => (
        <a key={pane} href={routeHref({ pane })} aria-current={pane === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
