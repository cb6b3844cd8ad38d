/**
 * A page of the console. The address contains the route after `#`, so that bookmarks, links and the Back button work.
 */
export type Route =
  | { readonly pane: 'unknown' }
  | { readonly pane: 'areas' }
  | { readonly pane: 'new-area' }
  | { readonly pane: 'area'; readonly id: string }
  | { readonly pane: 'change'; readonly id: string }
  /** `metric` is the metric whose series is shown first. */
  | { readonly pane: 'place'; readonly at: Place | undefined; readonly metric?: string | undefined }
  | { readonly pane: 'watches' }
  | { readonly pane: 'watch'; readonly id: string }
  | { readonly pane: 'anomalies' }
  | { readonly pane: 'anomaly'; readonly id: string }
  | { readonly pane: 'incident'; readonly id: string }
  | { readonly pane: 'events' }
  | { readonly pane: 'webhooks' }
  | { readonly pane: 'webhook'; readonly id: string }
  | { readonly pane: 'delivery'; readonly webhookId: string; readonly id: string }
  | { readonly pane: 'account' }
  | { readonly pane: 'members' }
  | { readonly pane: 'audit' }
  | { readonly pane: 'feeds' }
  | { readonly pane: 'layers' }
  | { readonly pane: 'models' };

/** A position with the same fields as in the API [degrees]. */
export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Parses the part of an address after `#`. Without one it is the list of areas. */
export function parseRoute(hash: string): Route {
  const [pane, ...rest] = hash.replace(/^#?\/?/, '').split('/');
  const [id, part] = rest.map(decoded);
  if (pane === 'place') {
    const at = parsePlace(id);
    if (id !== undefined && at === undefined) return { pane: 'unknown' };
    return { pane, at, ...(part !== undefined && { metric: part }) };
  }
  if (pane === 'areas' && id === 'new') return { pane: 'new-area' };
  if (pane === 'areas') return id === undefined ? { pane } : { pane: 'area', id };
  if (pane === 'changes' && id !== undefined) return { pane: 'change', id };
  if (pane === 'watches') return id === undefined ? { pane } : { pane: 'watch', id };
  if (pane === 'anomalies') return id === undefined ? { pane } : { pane: 'anomaly', id };
  if (pane === 'incidents') return id === undefined ? { pane: 'anomalies' } : { pane: 'incident', id };
  if (isPlain(pane)) return { pane };
  if (pane === 'webhooks' && id !== undefined && part !== undefined)
    return { pane: 'delivery', webhookId: id, id: part };
  if (pane === 'webhooks') return id === undefined ? { pane } : { pane: 'webhook', id };
  return { pane: pane === undefined || pane === '' ? 'areas' : 'unknown' };
}

/** Returns the part of the address that {@link parseRoute} parses as the given route. */
export function routeHref(route: Route): string {
  const address = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;
  switch (route.pane) {
    case 'unknown':
    case 'areas':
    case 'watches':
    case 'anomalies':
    case 'events':
    case 'webhooks':
    case 'account':
    case 'members':
    case 'audit':
    case 'feeds':
    case 'layers':
    case 'models':
      return address(route.pane);
    case 'new-area':
      return address('areas', 'new');
    case 'place': {
      if (route.at === undefined) return '#/place';
      const place = `#/place/${route.at.lat},${route.at.lng}`;
      return route.metric === undefined ? place : `${place}/${encodeURIComponent(route.metric)}`;
    }
    case 'area':
      return address('areas', route.id);
    case 'change':
      return address('changes', route.id);
    case 'watch':
      return address('watches', route.id);
    case 'anomaly':
      return address('anomalies', route.id);
    case 'incident':
      return address('incidents', route.id);
    case 'delivery':
      return address('webhooks', route.webhookId, route.id);
    case 'webhook':
    default:
      return address('webhooks', route.id);
  }
}

export function goTo(route: Route): void {
  location.hash = routeHref(route);
}

/** Parses a position from `lat,lng`; undefined when it is invalid. */
export function parsePlace(text: string | undefined): Place | undefined {
  const match = /^\s*(-?\d+(?:\.\d+)?)\s*[,;]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text ?? '');
  if (match === null) return undefined;
  const [lat, lng] = [Number(match[1]), Number(match[2])];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
}

/** Pages whose address is only their name. */
const PLAIN = ['events', 'account', 'members', 'audit', 'feeds', 'layers', 'models'] as const;

function isPlain(pane: string | undefined): pane is (typeof PLAIN)[number] {
  return PLAIN.some((one) => one === pane);
}

function decoded(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
