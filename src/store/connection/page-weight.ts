import { PAGE_BYTES } from '../../contract/limits.ts';

/**
 * Returns the first rows of a page, as many as fit into `PAGE_BYTES`, at least one. A row whose large column is null was
 * left out by the query already, because the page was full.
 * @param heavy the large column of a row, as text
 */
export function wholeRows<Row>(rows: readonly Row[], heavy: (row: Row) => string | null): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    const text = heavy(row);
    if (text === null) return true;
    bytes += text.length;
    return bytes > PAGE_BYTES && i > 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
