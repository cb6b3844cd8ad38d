/** Maximum time for which work may block the event loop before waiting callbacks run [ms]. */
export const SLICE_MS = 10;

/** Lets waiting callbacks run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
