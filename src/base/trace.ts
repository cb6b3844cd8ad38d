/** Role of the work that a span describes, as OpenTelemetry names it. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** Facts about the work. They never hold a secret, a body, an address of a receiver, or the text of an error. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** Work that a span is to describe. */
export interface SpanStart {
  /** One of few names, without identifiers. */
  readonly name: string;
  readonly kind: SpanKind;
  readonly facts?: SpanFacts;
  /**
   * Header `traceparent` of the work that caused this work; null: nothing is known to have caused it. Default: the work
   * that is under way here.
   */
  readonly parent?: string | null;
}

/** A span that has begun. */
export interface OpenSpan {
  /** The value of the header `traceparent` that names this span. */
  readonly traceparent: string;
  /** Calls a function. What it does, and what that causes later, is under way below this span. */
  run<T>(work: () => T): T;
  /** Adds facts, and may give the span another name. */
  note(facts: SpanFacts, name?: string): void;
  /** Ends the span. @param failure kind of the error when the work failed, such as the name of its class */
  end(failure?: string): void;
}

/** Makes spans. `src/main/metrics/trace-export.ts` sets one when traces are exported. */
export interface Tracer {
  begin(start: SpanStart): OpenSpan;
  /** Names the span that is under way, as the header `traceparent` does; undefined: none is. */
  current(): string | undefined;
  /** Records work that has just ended, below the span that is under way. Records nothing when none is. */
  record(name: string, facts: SpanFacts, durationMs: number, failure?: string): void;
}

let tracer: Tracer | undefined;

/** Sets the tracer of this process; undefined: no traces are made. It is set before anything else is opened. */
export function setTracer(given: Tracer | undefined): void {
  tracer = given;
}

/** The tracer of this process; undefined when no traces are exported. */
export const currentTracer = (): Tracer | undefined => tracer;

/** The header `traceparent` of the work that is under way; null: none, or no traces are made. */
export const currentTrace = (): string | null => tracer?.current() ?? null;

/** Does work within a span. @throws what the work throws */
export async function traced<T>(
  start: SpanStart,
  work: (span: OpenSpan | undefined) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return await work(undefined);
  const span = tracer.begin(start);
  try {
    const result = await span.run(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(failureOf(error));
    throw error;
  }
}

/** What a span tells of an error: the name of its class. Its message may hold what must not leave the process. */
export const failureOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
