import type { Page, PageRequest } from '../app/stores.ts';

/** Cuts the one row too many that was asked for, and says where the next page begins. */
export function pageOf<T>(
  rows: readonly T[],
  { limit }: PageRequest,
  position: (item: T) => readonly string[],
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined };
}
