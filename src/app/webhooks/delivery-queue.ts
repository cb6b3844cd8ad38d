/** How the deliveries to an endpoint are sent. */
export type EndpointKind = 'webhook' | 'mail';

/** A delivery that is leased to one worker. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Id of the lease. It becomes invalid when the lease expires and another worker claims the delivery. */
  readonly lease: string;
  readonly accountId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly url: string;
  /** JSON text of the event. Its UTF-8 bytes are sent and signed. */
  readonly body: string;
  /** All valid signing secrets: two during a rotation. Of an e-mail address one, the JSON text of its `MailBox`. */
  readonly secrets: readonly string[];
  /** Number of this attempt, from 1. A request to send the delivery again restarts the count. */
  readonly attempt: number;
  /** First failure of the endpoint since its last success [ms since the Unix epoch]; null when there was none. */
  readonly failingSinceMs: number | null;
  /** Header `traceparent` of what caused the event; null when no traces were made. */
  readonly traceparent: string | null;
}

/** Result of one attempt, for the delivery log. */
export interface Attempt {
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** HTTP status, or reply code of the mail server; null when no complete response arrived. */
  readonly status: number | null;
  /** First kilobyte of the response, without NUL characters. */
  readonly answer: string;
  /** Error message for the endpoint's owner; null after a success. */
  readonly error: string | null;
}

/** Decision on a delivery after an attempt. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly dueAtMs: number }
  /** The retry schedule is exhausted. The delivery is kept and sent again only on request. */
  | { readonly kind: 'dead' }
  /** The endpoint is disabled, and the delivery is kept as dead. */
  | { readonly kind: 'disable'; readonly reason: 'gone' | 'failing' | 'refused' };

export interface Settlement {
  readonly delivery: ClaimedDelivery;
  readonly attempt: Attempt;
  readonly verdict: Verdict;
  /** Pause that the endpoint requested [ms]; undefined when it requested none. */
  readonly pauseMs?: number | undefined;
}

/** Limits for the deliveries that a worker claims in one call. */
export interface ClaimRequest {
  readonly limit: number;
  readonly leaseMs: number;
  /** Maximum number of deliveries per endpoint. */
  readonly perEndpoint: number;
  /** Maximum number of deliveries by endpoint id, for the endpoints to which `perEndpoint` does not apply. */
  readonly room: ReadonlyMap<string, number>;
  /** Accounts whose deliveries are not claimed. */
  readonly heldAccounts: readonly string[];
}

/** Queue of due deliveries of one kind, shared by any number of workers. Each settlement is atomic. */
export interface DeliveryQueue {
  /**
   * Leases due deliveries of enabled endpoints that are not leased already. Accounts take turns, then the
   * endpoints of an account; within an endpoint the delivery that has been due longest comes first. When a
   * lease expires, the delivery is due again and the attempt does not count.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /**
   * Records attempts and applies their verdicts. A success sets `failingSinceMs` of the endpoint to null. A failure
   * sets it to the time of the attempt if it is null. `disable` disables the endpoint, shows the reason to its
   * owner, emits an event, and marks the waiting deliveries of the endpoint as dead. A settlement with an invalid lease
   * or a deleted endpoint is ignored.
   */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** Gives leased deliveries back to the queue. They are due at once, and the attempts do not count. */
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
}
