import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { Aoi } from '../src/client/index.ts';
import { type Answer, useAnswer } from './answer.ts';
import { allOf } from './all-of.ts';
import { AreasPane } from './areas/areas-pane.tsx';
import { EMPTY_MAP, type MapContent, MapContext } from './map/map-content.ts';
import { MapPane } from './map/map-pane.tsx';
import { lazyPane } from './lazy-pane.tsx';
import { goTo, parseRoute, type Route, routeHref } from './route.ts';
import { openSession, type Session, SessionContext, storedKey, storeKey } from './session.ts';
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
const EventsPane = lazyPane(async () => (await import('./events/events-pane.tsx')).EventsPane);
const WebhooksPane = lazyPane(async () => (await import('./webhooks/webhooks-pane.tsx')).WebhooksPane);
const WebhookPane = lazyPane(async () => (await import('./webhooks/webhook-pane.tsx')).WebhookPane);
const DeliveryPane = lazyPane(async () => (await import('./webhooks/delivery-pane.tsx')).DeliveryPane);
const AccountPane = lazyPane(async () => (await import('./account/account-pane.tsx')).AccountPane);

/** The console: the sign-in page; after the sign-in, a map with a pane next to it. */
export function Console() {
  const [session, setSession] = useState<Session | undefined>(undefined);
  const [reason, setReason] = useState<string | undefined>(undefined);
  const refuse = useCallback(() => {
    storeKey(undefined);
    setSession((open) => {
      if (open !== undefined) setReason('The service no longer accepts this key. Sign in with another one.');
      return undefined;
    });
  }, []);
  useEffect(() => {
    const apiKey = storedKey();
    if (apiKey !== undefined) setSession(openSession(apiKey, refuse));
  }, []);
  if (session === undefined)
    return (
      <SignIn
        reason={reason}
        onRefused={refuse}
        onSignedIn={(apiKey, opened) => {
          storeKey(apiKey);
          setReason(undefined);
          setSession(opened);
        }}
      />
    );
  const workspace = (
    <Workspace
      session={session}
      onSignOut={() => {
        storeKey(undefined);
        setReason(undefined);
        setSession(undefined);
      }}
    />
  );
  return (
    <SessionContext.Provider value={session}>
      {session.environment === 'sandbox' ? <RegionProvider>{workspace}</RegionProvider> : workspace}
    </SessionContext.Provider>
  );
}

/** Links at the top of the page. `panes`: panes for which the link is marked as current. */
const SECTIONS: readonly {
  readonly name: string;
  readonly to: Route;
  readonly panes: readonly Route['pane'][];
}[] = [
  { name: 'Areas', to: { pane: 'areas' }, panes: ['areas', 'new-area', 'area', 'change'] },
  { name: 'Place', to: { pane: 'place', at: undefined }, panes: ['place'] },
  { name: 'Watches', to: { pane: 'watches' }, panes: ['watches', 'watch'] },
  { name: 'Anomalies', to: { pane: 'anomalies' }, panes: ['anomalies', 'anomaly'] },
  { name: 'Events', to: { pane: 'events' }, panes: ['events'] },
  { name: 'Webhooks', to: { pane: 'webhooks' }, panes: ['webhooks', 'webhook', 'delivery'] },
];

function Workspace({ session, onSignOut }: { readonly session: Session; readonly onSignOut: () => void }) {
  const route = useRoute();
  const areas = useAnswer((signal) => allOf(session.client.aois({}, { signal })), []);
  const [content, setContent] = useState<MapContent>(EMPTY_MAP);
  const show = useCallback((part: Partial<MapContent>) => setContent((old) => ({ ...old, ...part })), []);
  const onMap = useMemo(() => ({ content, show }), [content]);
  useEffect(() => {
    show({ areas: areas.value ?? [] });
  }, [areas.value]);
  return (
    <MapContext.Provider value={onMap}>
      <header class="top">
        <a class="skip" href="#pane" onClick={(event) => (event.preventDefault(), focusPane())}>
          Skip to content
        </a>
        <a class="brand" href="#/areas" aria-label="Groundwatch">
          <img src="./favicon.svg" alt="" width="24" height="24" /> <span>Groundwatch</span>
        </a>
        <nav aria-label="Sections">
          {SECTIONS.map(({ name, to, panes }) => (
            <a key={name} href={routeHref(to)} aria-current={panes.includes(route.pane) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <div class="who">
          <span class={`environment ${session.environment}`} title={`Key ${session.keyId}`}>
            {session.environment}
          </span>
          <a
            href={routeHref({ pane: 'account' })}
            aria-current={route.pane === 'account' ? 'page' : undefined}
          >
            Account
          </a>
          <a href="docs">Reference</a>
          <button type="button" class="quiet" onClick={onSignOut}>
            Sign out
          </button>
        </div>
      </header>
      <SandboxBar />
      <div class="workspace">
        <main id="pane" class="pane" tabIndex={-1}>
          <Pane route={route} areas={areas} />
        </main>
        <MapPane
          onPick={(at) => goTo({ pane: 'place', at })}
          onArea={(id) => goTo({ pane: 'area', id })}
          onChange={(id) => goTo({ pane: 'change', id })}
          onStation={({ lat, lng, metrics: [metric] }) => goTo({ pane: 'place', at: { lat, lng }, metric })}
        />
      </div>
    </MapContext.Provider>
  );
}

function Pane({ route, areas }: { readonly route: Route; readonly areas: Answer<readonly Aoi[]> }) {
  switch (route.pane) {
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
    case 'events':
      return <EventsPane />;
    case 'webhooks':
      return <WebhooksPane />;
    case 'account':
      return <AccountPane />;
    case 'delivery':
      return <DeliveryPane key={route.id} webhookId={route.webhookId} id={route.id} />;
    case 'webhook':
    default:
      return <WebhookPane key={route.id} id={route.id} />;
  }
}

/** Returns the route in the address. The component renders again when the address changes. */
function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = (): void => {
      setRoute(parseRoute(location.hash));
      focusPane();
    };
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
