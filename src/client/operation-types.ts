import type { Static, TSchema } from 'typebox';

type AnswerOf<T> = T extends { readonly answers: readonly (infer A)[] } ? A : never;

/** Response body of an operation. */
export type ResultOf<T> =
  AnswerOf<T> extends infer A
    ? A extends { readonly body: infer S extends TSchema }
      ? Static<S>
      : never
    : never;

/** Response body of an operation in GeoJSON. */
export type GeoJsonOf<T> =
  AnswerOf<T> extends infer A
    ? A extends { readonly geojson: infer S extends TSchema }
      ? Static<S>
      : never
    : never;

/** Request body of an operation. */
export type BodyOf<T> = T extends { readonly body: infer S extends TSchema } ? Static<S> : never;

/** Names of the query parameters that are times. Callers may also pass a `Date` for them. */
type Moments = 'since' | 'published_since' | 'from' | 'to';
type Given<Q> = { readonly [K in keyof Q]: K extends Moments ? Q[K] | Date : Q[K] };

/** Query parameters of an operation, without the response format `f`. */
export type QueryOf<T> = T extends { readonly query: infer S extends TSchema }
  ? Given<Omit<Static<S>, 'f'>>
  : never;

/** Query parameters of an iterator over a list; the iterator sets `cursor` itself. */
export type ItemsQueryOf<T> = Omit<QueryOf<T>, 'cursor'>;

/** Query parameter that requests GeoJSON. */
export type AsGeoJson = { readonly f: 'geojson' };

/** Query parameter that requests plain JSON, the default. */
export type AsJson = { readonly f?: 'json' };
