/** One delivery handed to one worker for a while. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Names this claim: when the lease ran out and another worker claimed the delivery, it no longer holds. */
  readonly lease: string;
  readonly accountId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly url: string;
  /** JSON text, sent and signed byte for byte in UTF-8. */
  readonly body: string;
  /** Every secret that is live now: two while one replaces the other. */
  readonly secrets: readonly string[];
  /** Which attempt this is, from 1, since its schedule began: it begins anew when somebody asks to send it again. */
  readonly attempt: number;
  /** First failure of the endpoint since it last took anything, ms since the Unix epoch; null when there is none. */
  readonly failingSinceMs: number | null;
}

/** What happened in one attempt, for the delivery log. */
export interface Attempt {
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** HTTP status; null when no whole answer came. */
  readonly status: number | null;
  /** First kilobyte of the answer; holds no NUL. */
  readonly answer: string;
  /** Why there was no success, in words for the endpoint's owner; null after one. */
  readonly error: string | null;
}

/** What an attempt leads to. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly dueAtMs: number }
  /** The schedule is spent: kept, and sent again only when somebody asks. */
  | { readonly kind: 'dead' }
  /** The endpoint gets nothing more, and this delivery is kept like a dead one. */
  | { readonly kind: 'disable'; readonly reason: 'gone' | 'failing' };

export interface Settlement {
  readonly delivery: ClaimedDelivery;
  readonly attempt: Attempt;
  readonly verdict: Verdict;
  /** How long the endpoint asked to be left alone [ms]; undefined when it did not. */
  readonly pauseMs?: number | undefined;
}

/** How much a worker can take. */
export interface ClaimRequest {
  readonly limit: number;
  readonly leaseMs: number;
  /** Deliveries of one endpoint, at most. */
  readonly perEndpoint: number;
  /** Endpoints of which it can take fewer or more, down to 0. */
  readonly room: ReadonlyMap<string, number>;
  /** Accounts of which it takes none. */
  readonly heldAccounts: readonly string[];
}

/** Deliveries that are due, shared by any number of workers. Each settlement takes effect whole or not at all. */
export interface DeliveryQueue {
  /**
   * Leases deliveries that are due, of enabled endpoints only, and never one that is leased. Accounts take turns, within
   * an account its endpoints, and within an endpoint the longest due comes first. A lease that runs out makes its
   * delivery due again, the attempt uncounted.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /**
   * Records attempts and what they lead to. A success clears `failingSinceMs` of its endpoint, a failure sets it when
   * it is null; `disable` ends the endpoint with its reason where its owner sees it, tells of it by an event, and what
   * waits for it is kept as dead. A settlement whose lease no longer holds, or whose endpoint is gone, changes nothing and is no error.
   */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** Gives leases back: due at once, the attempt uncounted. */
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
}
