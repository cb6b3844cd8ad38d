import type { TObject, TSchema } from 'typebox';
import type { Scope } from './scopes.ts';

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

/** One operation of the interface: its path, what it takes, what it answers, and who may call it. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** OpenAPI form: `/v1/changes/{id}`. */
  readonly path: string;
  readonly tag: string;
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
}

/** Declares an operation, keeping the exact types of its schemas for handlers and clients. */
export function operation<const T extends Operation>(declared: T): T {
  return declared;
}
