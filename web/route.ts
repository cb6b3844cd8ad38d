/** What the console shows; the address after `#`, so that a page can be kept, sent and gone back from. */
export type Route =
  | { readonly pane: 'areas' }
  | { readonly pane: 'new-area' }
  | { readonly pane: 'area'; readonly id: string }
  | { readonly pane: 'change'; readonly id: string }
  | { readonly pane: 'place'; readonly at: Place | undefined }
  | { readonly pane: 'anomalies' }
  | { readonly pane: 'anomaly'; readonly id: string }
  | { readonly pane: 'events' }
  | { readonly pane: 'webhooks' }
  | { readonly pane: 'webhook'; readonly id: string };

/** A position as the interface takes it [degrees]. */
export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Reads an address; one that means nothing shows the areas. */
export function parseRoute(hash: string): Route {
  const [pane, rest] = hash.replace(/^#?\/?/, '').split('/', 2);
  const id = decoded(rest);
  if (pane === 'place') return { pane, at: parsePlace(id) };
  if (pane === 'areas' && id === 'new') return { pane: 'new-area' };
  if (pane === 'areas') return id === undefined ? { pane } : { pane: 'area', id };
  if (pane === 'changes' && id !== undefined) return { pane: 'change', id };
  if (pane === 'anomalies') return id === undefined ? { pane } : { pane: 'anomaly', id };
  if (pane === 'events') return { pane };
  if (pane === 'webhooks') return id === undefined ? { pane } : { pane: 'webhook', id };
  return { pane: 'areas' };
}

/** The address that {@link parseRoute} reads as this route. */
export function routeHref(route: Route): string {
  switch (route.pane) {
    case 'areas':
    case 'anomalies':
    case 'events':
    case 'webhooks':
      return `#/${route.pane}`;
    case 'new-area':
      return '#/areas/new';
    case 'place':
      return route.at === undefined ? '#/place' : `#/place/${route.at.lat},${route.at.lng}`;
    case 'area':
      return `#/areas/${encodeURIComponent(route.id)}`;
    case 'change':
      return `#/changes/${encodeURIComponent(route.id)}`;
    case 'anomaly':
      return `#/anomalies/${encodeURIComponent(route.id)}`;
    case 'webhook':
    default:
      return `#/webhooks/${encodeURIComponent(route.id)}`;
  }
}

export function goTo(route: Route): void {
  location.hash = routeHref(route);
}

/** A position from `lat,lng`; undefined when it is none. */
export function parsePlace(text: string | undefined): Place | undefined {
  const match = /^\s*(-?\d+(?:\.\d+)?)\s*[,;]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text ?? '');
  if (match === null) return undefined;
  const [lat, lng] = [Number(match[1]), Number(match[2])];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
