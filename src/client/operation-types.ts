import type { Static, TSchema } from 'typebox';

type AnswerOf<T> = T extends { readonly answers: readonly (infer A)[] } ? A : never;

/** Body of an operation's answer. */
export type ResultOf<T> =
  AnswerOf<T> extends infer A
    ? A extends { readonly body: infer S extends TSchema }
      ? Static<S>
      : never
    : never;

/** Body of an operation's answer in GeoJSON. */
export type GeoJsonOf<T> =
  AnswerOf<T> extends infer A
    ? A extends { readonly geojson: infer S extends TSchema }
      ? Static<S>
      : never
    : never;

/** Body that an operation takes. */
export type BodyOf<T> = T extends { readonly body: infer S extends TSchema } ? Static<S> : never;

/** Parameters that hold a time: a `Date` will do for them. */
type Moments = 'since' | 'published_since' | 'from' | 'to';
type Given<Q> = { readonly [K in keyof Q]: K extends Moments ? Q[K] | Date : Q[K] };

/** Query of an operation, in plain JSON form. */
export type QueryOf<T> = T extends { readonly query: infer S extends TSchema }
  ? Given<Omit<Static<S>, 'f'>>
  : never;

/** Query of an iterator: without what paging itself sets. */
export type ItemsQueryOf<T> = Omit<QueryOf<T>, 'cursor'>;

/** Asks for GeoJSON. */
export type AsGeoJson = { readonly f: 'geojson' };

/** Asks for plain JSON, as nothing does too. */
export type AsJson = { readonly f?: 'json' };
