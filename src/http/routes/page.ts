import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeCursor, encodeCursor, type PositionPart } from '../../base/cursor.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import { PAGE_ITEMS } from '../../contract/limits.ts';
import { pathBefore } from '../host-address.ts';

/** A kind of list: its name, and the types of the values that identify a position in it. */
export interface ListKind {
  readonly name: string;
  readonly position: readonly PositionPart[];
}

/** Returns the page that a query requests. @throws InvalidInput for a cursor of another list */
export function pageRequest(
  kind: ListKind,
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): PageRequest {
  return { limit: query.limit ?? PAGE_ITEMS, after: decodeCursor(kind.name, kind.position, query.cursor) };
}

/** Returns the `next_cursor` of an answer and sets the `Link` header (RFC 8288). Does neither on the last page. */
export function nextPage(
  kind: ListKind,
  page: Pick<Page<unknown>, 'next'>,
  request: FastifyRequest,
  reply: FastifyReply,
): { next_cursor?: string } {
  const cursor = encodeCursor(kind.name, page.next);
  if (cursor === undefined) return {};
  const url = new URL(request.raw.url ?? '/', 'https://any.invalid');
  url.searchParams.set('cursor', cursor);
  const links = [reply.getHeader('Link'), `<${pathBefore(request)}${url.pathname}${url.search}>; rel="next"`];
  reply.header('Link', links.filter((link) => link !== undefined).join(', '));
  return { next_cursor: cursor };
}
