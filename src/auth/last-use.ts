const TOUCH_MS = 60_000; // resolution of last-used times
const MAX_KEPT = 10_000; // credentials

/** Records the use of credentials, at most once a minute for each. */
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
