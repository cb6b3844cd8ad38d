/** The three worlds a credential can belong to; nothing crosses between them. */
export type Environment = 'sandbox' | 'staging' | 'production';

/** Whose rows a query may touch. Every query on owned rows takes one; there is no other way to reach them. */
export interface Owner {
  readonly accountId: string;
  readonly environment: Environment;
}

/** One page of a list, and where the next begins. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Undefined when nothing is left. */
  readonly next: readonly string[] | undefined;
}

/** Which page of a list: how many items, after the position that an earlier page ended with. */
export interface PageRequest {
  readonly limit: number;
  readonly after: readonly string[] | undefined;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}
