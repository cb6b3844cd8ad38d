/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Position after the last item, for the request of the next page; undefined on the last page. */
  readonly next: readonly string[] | undefined;
}

/** A request for one page of a list. */
export interface PageRequest {
  /** Maximum number of items on the page. */
  readonly limit: number;
  /** Position that the previous page ended with; undefined for the first page. */
  readonly after: readonly string[] | undefined;
}
