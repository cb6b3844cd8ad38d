/** Where times are kept: `localStorage` and `sessionStorage` of the browser. */
type Kept = Pick<Storage, 'getItem' | 'setItem'>;

/**
 * Returns when the console was last visited before this visit [RFC 3339], and notes this visit. A visit lasts as long as
 * the tab. Undefined at the first visit, and when the browser keeps nothing.
 * @param who account and environment, since each has incidents of its own
 * @param lasting storage that outlives the tab
 * @param visit storage of the tab
 */
export function lastVisit(who: string, nowMs: number, lasting: Kept, visit: Kept): string | undefined {
  const key = `groundwatch-visit ${who}`;
  try {
    const noted = visit.getItem(key);
    const before = noted ?? lasting.getItem(key) ?? '';
    if (noted === null) visit.setItem(key, before);
    lasting.setItem(key, new Date(nowMs).toISOString());
    return before === '' || Number.isNaN(Date.parse(before)) ? undefined : before;
  } catch {
    return undefined; // the browser refuses to store anything
  }
}
