import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeCursor, encodeCursor, type PositionPart } from '../../base/cursor.ts';
import type { Page, PageRequest } from '../../app/owner.ts';

/** One kind of list: its name, and what a position in it is made of. */
export interface ListKind {
  readonly name: string;
  readonly position: readonly PositionPart[];
}

/** The page that a query asks for. @throws InvalidInput for a cursor of another list */
export function pageRequest(
  kind: ListKind,
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): PageRequest {
  return { limit: query.limit ?? 1000, after: decodeCursor(kind.name, kind.position, query.cursor) };
}

/** `next_cursor` for the body of an answer, and the `Link` header (RFC 8288) with it; nothing when nothing is left. */
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
  const links = [reply.getHeader('Link'), `<${url.pathname}${url.search}>; rel="next"`];
  reply.header('Link', links.filter((link) => link !== undefined).join(', '));
  return { next_cursor: cursor };
}
