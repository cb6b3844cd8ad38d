/**
 * Makes a function that asks a question once for all who ask at a moment. Each gets an answer to a question that was
 * asked after they called: who comes while one is under way waits for the next.
 */
export function sharedQuestion<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const asked = ask();
      running = asked.catch(() => undefined);
      return asked;
    });
    return next;
  };
}
