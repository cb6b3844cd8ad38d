import type { TObject, TSchema } from 'typebox';
import type { Scope } from './scopes.ts';
import type { Tag } from './openapi/tags.ts';

/** One answer an operation can give when it succeeds. */
export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent for an answer without a body. */
  readonly body?: TSchema;
  /** The same resource as `application/geo+json`. */
  readonly geojson?: TSchema;
  /** It is a stream of server-sent events (`text/event-stream`) instead. */
  readonly eventStream?: true;
}

/** A worked example of an operation: values that pass its schemas. */
export interface OperationExample {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Of its first answer. */
  readonly answer?: unknown;
}

/** One operation of the interface: its path, what it takes, what it answers, and who may call it. */
interface OperationParts {
  readonly id: string;
  /** OpenAPI form: `/v1/changes/{id}`. */
  readonly path: string;
  /** Chapter of the reference. */
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Scopes the credential must hold, all of them; none: any valid credential. */
  readonly scopes: readonly Scope[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly answers: readonly Answer[];
  /** Takes `Idempotency-Key`. */
  readonly creates?: boolean;
  /** Its answer holds a secret, so that an `Idempotency-Key` gives it again only to the credential that asked. */
  readonly givesSecret?: true;
  readonly example: OperationExample;
}

/** Whether a success is an act for the audit log is decided for each operation that is not a GET; a GET never is. */
export type Operation = OperationParts &
  (
    | { readonly method: 'GET'; readonly recorded?: false }
    | { readonly method: 'POST' | 'PATCH' | 'DELETE'; readonly recorded: boolean }
  );

/** Declares an operation, keeping the exact types of its schemas for handlers and clients. */
export function operation<const T extends Operation>(declared: T): T {
  return declared;
}
