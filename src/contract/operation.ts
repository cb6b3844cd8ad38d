import type { TObject, TSchema } from 'typebox';
import type { Column } from './fields.ts';
import type { Scope } from './scopes.ts';
import type { Tag } from './openapi/tags.ts';

/** Headers that only some operations send. */
export const OWN_HEADERS = [
  'X-Suspected-Omitted',
  'X-Features-Omitted',
  'X-Heights-Omitted',
  'X-Read-From',
] as const;
export type OwnHeader = (typeof OWN_HEADERS)[number];

/** One answer that an operation can give when it succeeds. */
export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Schema of the body; absent for an answer without a body. */
  readonly body?: TSchema;
  /** Media type of `body` where it is not `application/json`. */
  readonly bodyType?:
    | 'application/geo+json'
    | 'application/vnd.oai.openapi+json'
    | 'application/prs.coverage+json';
  /** Schema of the same resource as `application/geo+json`. */
  readonly geojson?: TSchema;
  /** Media type of a body of bytes, such as a picture, instead of JSON. */
  readonly media?: 'image/png' | 'image/tiff' | 'application/vnd.mapbox-vector-tile';
  /** Media type of the same bytes in the other format that a caller may ask for. */
  readonly otherMedia?: 'image/webp';
  /** Columns of the same list as a table: `text/csv`, or `application/vnd.apache.parquet`. */
  readonly table?: readonly Column[];
  /** Headers of this answer, besides those that every answer has. */
  readonly headers?: readonly OwnHeader[];
  /** Whether the answer is a stream of server-sent events (`text/event-stream`) instead of a body. */
  readonly eventStream?: true;
}

/** A worked example of an operation: values that pass its schemas. */
export interface OperationExample {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Body of the first answer in `answers`. */
  readonly answer?: unknown;
}

/** One operation of the interface: its path, parameters, body, answers, and the scopes that it requires. */
interface OperationParts {
  readonly id: string;
  /** Path in the form of OpenAPI, such as `/v1/changes/{id}`. */
  readonly path: string;
  /** Chapter of the reference. */
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The credential must have all of these scopes. If empty, any valid credential may call the operation. */
  readonly scopes: readonly Scope[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Maximum size of the body, where it is not `BODY_BYTES` [bytes]. */
  readonly bodyBytes?: number;
  readonly answers: readonly Answer[];
  /** Whether the operation creates a resource and therefore accepts `Idempotency-Key`. */
  readonly creates?: boolean;
  /**
   * Whether the answer contains a secret. A repeated `Idempotency-Key` then returns the answer again only to the same
   * credential.
   */
  readonly givesSecret?: true;
  /** Whether a replica of the database may answer it: a list that writes nothing. */
  readonly onReplica?: true;
  /** Whether the operation is about all environments of the account. The audit log then names no environment. */
  readonly wholeAccount?: true;
  readonly example: OperationExample;
}

/**
 * Every operation that is not a GET declares whether its success is recorded in the audit log. A GET is never
 * recorded.
 */
export type Operation = OperationParts &
  (
    | { readonly method: 'GET'; readonly recorded?: false }
    | { readonly method: 'POST' | 'PATCH' | 'DELETE'; readonly recorded: boolean }
  );

/** Declares an operation, keeping the exact types of its schemas for handlers and clients. */
export function operation<const T extends Operation>(declared: T): T {
  return declared;
}
