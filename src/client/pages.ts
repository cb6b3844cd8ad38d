/**
 * Yields every item of a paged list. Each page is requested only when its first item is needed.
 * @throws Error when a page returns the cursor with which it was requested, because the list would never end
 */
export async function* itemsOf<Page extends { readonly next_cursor?: string }, Item>(
  read: (paging: { readonly cursor?: string }) => Promise<Page>,
  items: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  for (;;) {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield* items(page);
    if (page.next_cursor === undefined) return;
    if (page.next_cursor === cursor) throw new Error('the service gave the same cursor twice');
    cursor = page.next_cursor;
  }
}
