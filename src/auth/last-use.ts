const TOUCH_MS = 60_000; // minimum time between two recorded uses of the same credential
const MAX_KEPT = 10_000; // maximum number of credentials whose last recorded use is kept in memory

/** Records the use of credentials, at most once a minute for each credential. */
export function lastUse(
  touch: (id: string, at: Date) => Promise<void>,
): (id: string, nowMs: number) => Promise<void> {
  const touched = new Map<string, number>();
  return async (id, nowMs) => {
    if (nowMs - (touched.get(id) ?? Number.NEGATIVE_INFINITY) <= TOUCH_MS) return;
    touched.set(id, nowMs);
    if (touched.size > MAX_KEPT) touched.delete(touched.keys().next().value!);
    await touch(id, new Date(nowMs));
  };
}
