import { routeHref } from '../route.ts';
import { useSession } from '../session.ts';

/** The pages about what the answers are made from; those that the user may not read are not shown. */
const TABS = [
  { pane: 'feeds', name: 'Feeds', scope: 'feeds:read' },
  { pane: 'layers', name: 'Layers', scope: 'feeds:read' },
  { pane: 'models', name: 'Models', scope: undefined },
] as const;

/** Links between the pages about feeds, layers and models. */
export function SourceTabs({ current }: { readonly current: (typeof TABS)[number]['pane'] }) {
  const { scopes } = useSession();
  return (
    <nav class="tabs" aria-label="Sources">
      {TABS.filter(({ scope }) => scope === undefined || scopes.includes(scope)).map(({ pane, name }) => (
        <a key={pane} href={routeHref({ pane })} aria-current={pane === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
