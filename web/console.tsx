import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Scope } from '../src/contract/scopes.ts';
import type { Aoi } from '../src/client/index.ts';
import { type Answer, useAnswer } from './answer.ts';
import { allOf } from './all-of.ts';
import { AreasPane } from './areas/areas-pane.tsx';
import { MapContext } from './map/map-content.ts';
import { useMapOfPage } from './map/map-of-page.ts';
import { MapPane } from './map/map-pane.tsx';
import { lazyPane } from './lazy-pane.tsx';
import { goTo, parseRoute, type Route, routeHref } from './route.ts';
import { Waiting } from './parts.tsx';
import type { Choice } from './people/choice.ts';
import { useEntry } from './people/entry.ts';
import { Who } from './people/who.tsx';
import { Problem } from './problem.tsx';
import { type Session, SessionContext } from './session.ts';
import { useShownName } from './shown-name.ts';
import { RegionProvider } from './sandbox/region-provider.tsx';
import { SandboxBar } from './sandbox/sandbox-bar.tsx';
import { SignIn } from './sign-in.tsx';

// The code of all panes except the first pane loads on demand.
const AreaPane = lazyPane(async () => (await import('./areas/area-pane.tsx')).AreaPane);
const NewAreaPane = lazyPane(async () => (await import('./areas/new-area-pane.tsx')).NewAreaPane);
const ChangePane = lazyPane(async () => (await import('./changes/change-pane.tsx')).ChangePane);
const PlacePane = lazyPane(async () => (await import('./place/place-pane.tsx')).PlacePane);
const WatchesPane = lazyPane(async () => (await import('./watches/watches-pane.tsx')).WatchesPane);
const WatchPane = lazyPane(async () => (await import('./watches/watch-pane.tsx')).WatchPane);
const AnomaliesPane = lazyPane(async () => (await import('./anomalies/anomalies-pane.tsx')).AnomaliesPane);
const AnomalyPane = lazyPane(async () => (await import('./anomalies/anomaly-pane.tsx')).AnomalyPane);
const IncidentPane = lazyPane(async () => (await import('./incidents/incident-pane.tsx')).IncidentPane);
const EventsPane = lazyPane(async () => (await import('./events/events-pane.tsx')).EventsPane);
const WebhooksPane = lazyPane(async () => (await import('./webhooks/webhooks-pane.tsx')).WebhooksPane);
const WebhookPane = lazyPane(async () => (await import('./webhooks/webhook-pane.tsx')).WebhookPane);
const DeliveryPane = lazyPane(async () => (await import('./webhooks/delivery-pane.tsx')).DeliveryPane);
const AccountPane = lazyPane(async () => (await import('./account/account-pane.tsx')).AccountPane);
const MembersPane = lazyPane(async () => (await import('./people/members-pane.tsx')).MembersPane);
const FeedsPane = lazyPane(async () => (await import('./sources/feeds-pane.tsx')).FeedsPane);
const LayersPane = lazyPane(async () => (await import('./sources/layers-pane.tsx')).LayersPane);
const ModelsPane = lazyPane(async () => (await import('./sources/models-pane.tsx')).ModelsPane);
const AuditPane = lazyPane(async () => (await import('./people/audit-pane.tsx')).AuditPane);

/** The console: the sign-in page; after the sign-in, a map with a pane next to it. */
export function Console() {
  const { entry, enterByKey, choose, leave, again } = useEntry();
  if (entry.at === 'door')
    return <SignIn withProvider={entry.withProvider} reason={entry.reason} onKey={enterByKey} />;
  if (entry.at !== 'inside')
    return (
      <main class="sign-in">
        {entry.at === 'loading' ? (
          <Waiting for="the console" />
        ) : (
          <Problem error={entry.error} again={again} />
        )}
      </main>
    );
  const { session } = entry;
  const { account, environment, person } = session;
  const workspace = <Workspace session={session} onChoose={choose} onLeave={leave} />;
  return (
    // All panes load again for another account, another environment and another role.
    <SessionContext.Provider key={`${account.id} ${environment} ${person?.membership.role}`} value={session}>
      {environment === 'sandbox' ? <RegionProvider>{workspace}</RegionProvider> : workspace}
    </SessionContext.Provider>
  );
}

/**
 * Links at the top of the page. `panes`: panes for which the link is marked as current. `scopes`: scopes that read what
 * is there; without any of them the link is not shown.
 */
const SECTIONS: readonly {
  readonly name: string;
  readonly to: Route;
  readonly panes: readonly Route['pane'][];
  readonly scopes: readonly Scope[];
}[] = [
  {
    name: 'Overview',
    to: { pane: 'areas' },
    panes: ['areas', 'new-area', 'area', 'change'],
    scopes: ['aois:read'],
  },
  {
    name: 'Place',
    to: { pane: 'place', at: undefined },
    panes: ['place'],
    scopes: ['risk:read', 'historical:read'],
  },
  { name: 'Watches', to: { pane: 'watches' }, panes: ['watches', 'watch'], scopes: ['risk:read'] },
  {
    name: 'Incidents',
    to: { pane: 'anomalies' },
    panes: ['anomalies', 'anomaly', 'incident'],
    scopes: ['anomalies:read'],
  },
  {
    name: 'Sources',
    to: { pane: 'feeds' },
    panes: ['feeds', 'layers', 'models'],
    scopes: ['feeds:read'],
  },
  { name: 'Events', to: { pane: 'events' }, panes: ['events'], scopes: ['webhooks:read'] },
  {
    name: 'Webhooks',
    to: { pane: 'webhooks' },
    panes: ['webhooks', 'webhook', 'delivery'],
    scopes: ['webhooks:read'],
  },
];

function Workspace(props: {
  readonly session: Session;
  readonly onChoose: (choice: Choice) => void;
  readonly onLeave: () => Promise<void>;
}) {
  const { session } = props;
  const sections = SECTIONS.filter(({ scopes }) => scopes.some((scope) => session.scopes.includes(scope)));
  const route = useRoute(sections[0]?.to ?? { pane: 'account' });
  const found = useAnswer((signal) => allOf(session.client.aois({}, { signal })), []);
  const shownName = useShownName();
  const areas = useMemo(
    () => ({ ...found, value: found.value?.map((one) => ({ ...one, name: shownName(one.name) })) }),
    [found.value, found.error, found.waiting],
  );
  const { onMap, hasMap } = useMapOfPage(route, areas.value);
  const links = useRef<HTMLElement>(null);
  // On a phone the links are wider than the screen.
  useEffect(() => {
    links.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [route.pane]);
  const [hadMap, setHadMap] = useState(false);
  useLayoutEffect(() => {
    if (hasMap) setHadMap(true);
  }, [hasMap]);
  return (
    <MapContext.Provider value={onMap}>
      <header class="top">
        <a class="skip" href="#pane" onClick={(event) => (event.preventDefault(), focusPane())}>
          Skip to content
        </a>
        <a class="brand" href="#/areas" aria-label="Groundwatch">
          <img src="./favicon.svg" alt="" width="24" height="24" /> <span>Groundwatch</span>
        </a>
        <nav aria-label="Sections" ref={links}>
          {sections.map(({ name, to, panes }) => (
            <a key={name} href={routeHref(to)} aria-current={panes.includes(route.pane) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <Who
          session={session}
          route={route}
          onChoose={(choice) => {
            goTo(listOf(route));
            props.onChoose(choice);
          }}
          onLeave={props.onLeave}
        />
      </header>
      <SandboxBar />
      <div class={hasMap ? 'workspace' : 'workspace without-map'}>
        <main id="pane" class="pane" tabIndex={-1}>
          <Pane route={route} areas={areas} />
        </main>
        {(hasMap || hadMap) && (
          <MapPane
            onPick={(at) => goTo({ pane: 'place', at })}
            onArea={(id) => goTo({ pane: 'area', id })}
            onChange={(id) => goTo({ pane: 'change', id })}
            onStation={({ lat, lng, metrics: [metric] }) => goTo({ pane: 'place', at: { lat, lng }, metric })}
          />
        )}
      </div>
    </MapContext.Provider>
  );
}

function Pane({ route, areas }: { readonly route: Route; readonly areas: Answer<readonly Aoi[]> }) {
  switch (route.pane) {
    case 'unknown':
      return <NoPage />;
    case 'areas':
      return <AreasPane areas={areas} />;
    case 'new-area':
      return <NewAreaPane onCreated={areas.again} />;
    case 'area':
      return <AreaPane key={route.id} id={route.id} onChanged={areas.again} />;
    case 'change':
      return <ChangePane key={route.id} id={route.id} areas={areas.value ?? []} />;
    case 'place':
      return <PlacePane at={route.at} metric={route.metric} />;
    case 'watches':
      return <WatchesPane areas={areas} />;
    case 'watch':
      return <WatchPane key={route.id} id={route.id} areas={areas.value ?? []} />;
    case 'anomalies':
      return <AnomaliesPane areas={areas} />;
    case 'anomaly':
      return <AnomalyPane key={route.id} id={route.id} areas={areas.value ?? []} />;
    case 'incident':
      return <IncidentPane key={route.id} id={route.id} areas={areas.value ?? []} />;
    case 'events':
      return <EventsPane />;
    case 'webhooks':
      return <WebhooksPane />;
    case 'account':
      return <AccountPane />;
    case 'members':
      return <MembersPane />;
    case 'audit':
      return <AuditPane />;
    case 'feeds':
      return <FeedsPane />;
    case 'layers':
      return <LayersPane />;
    case 'models':
      return <ModelsPane />;
    case 'delivery':
      return <DeliveryPane key={route.id} webhookId={route.webhookId} id={route.id} />;
    case 'webhook':
    default:
      return <WebhookPane key={route.id} id={route.id} />;
  }
}

function NoPage() {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        The address of this page is wrong, or from another version of the console.{' '}
        <a href={routeHref({ pane: 'areas' })}>Show the overview</a>
      </p>
    </>
  );
}

/** Returns the list that a page belongs to, because ids differ between accounts and environments. */
function listOf(route: Route): Route {
  return SECTIONS.find(({ panes }) => panes.includes(route.pane))?.to ?? route;
}

/**
 * Returns the route in the address; `first` when it has none. The component renders again when the address changes.
 */
function useRoute(first: Route): Route {
  const read = (): Route => (location.hash === '' ? first : parseRoute(location.hash));
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const follow = (): void => {
      setRoute(read());
      focusPane();
    };
    setRoute(read()); // the address may have changed since the first render
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

/** Moves the keyboard focus to the start of the pane, because a change of page here does not load a page. */
function focusPane(): void {
  const pane = document.getElementById('pane');
  pane?.focus({ preventScroll: true });
  pane?.scrollTo({ top: 0 });
  scrollTo({ top: 0 }); // on a narrow screen the whole page scrolls, not the pane
}
