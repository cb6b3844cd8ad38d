import type { Api, Change, Event, Location, NewKey } from './api-types.ts';

type Operations = Api['operations'];
type Id = keyof Operations;
type PartOf<O, Part extends string> = O extends { readonly [P in Part]: infer Found } ? Found : never;

/** Response body of an operation. */
export type ResultOf<O extends Id> = PartOf<Operations[O], 'answer'>;

/** Response body of an operation in GeoJSON. */
export type GeoJsonOf<O extends Id> = PartOf<Operations[O], 'geojson'>;

/** Request body of an operation. */
export type BodyOf<O extends Id> = PartOf<Operations[O], 'body'>;

/** Names of the query parameters that are times. Callers may also pass a `Date` for them. */
type Moments = 'since' | 'published_since' | 'from' | 'to';
type Given<Q> = { readonly [K in keyof Q]: K extends Moments ? Q[K] | Date : Q[K] };

/** Query parameters of an operation, without the response format `f`. */
export type QueryOf<O extends Id> = Given<Omit<PartOf<Operations[O], 'query'>, 'f'>>;

/** Query parameters of an iterator over a list; the iterator sets `cursor` itself. */
export type ItemsQueryOf<O extends Id> = Omit<QueryOf<O>, 'cursor'>;

/** Query parameter that requests GeoJSON. */
export type AsGeoJson = { readonly f: 'geojson' };

/** Query parameter that requests plain JSON, the default. */
export type AsJson = { readonly f?: 'json' };

export type ChangeStatus = Change['status'];
export type ChangeType = Change['type'];
export type EventType = Event['type'];
export type Peril = Location['peril'];
export type Scope = NewKey['scopes'][number];
