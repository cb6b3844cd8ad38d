import { EventNews } from '../../app/events/event-news.ts';
import { InvalidInput, Unavailable } from '../../base/errors.ts';
import { getEvent, listEvents, positionAfter } from '../../app/events/read-events.ts';
import * as contract from '../../contract/event-list.ts';
import { eventStream } from '../answer/event-stream.ts';
import { OpenStreams } from '../answer/open-streams.ts';
import { answerText, readDrawn } from './drawn-list.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { authenticate } from '../people/authenticate.ts';
import { route, type RouteContext } from '../route.ts';

const OLDEST_FIRST: ListKind = { name: 'events', position: ['event'] };
const NEWEST_FIRST: ListKind = { name: 'newest events', position: ['event'] };

export function eventRoutes(context: RouteContext): void {
  const { app, deps, acrossAccounts, writeAnswer } = context;
  route(context, contract.listEvents, async ({ storage, principal, query, request, reply }) => {
    const newestFirst = query.order === 'desc';
    const kind = newestFirst ? NEWEST_FIRST : OLDEST_FIRST;
    const { limit, after: position } = pageRequest(kind, query);
    if (query.after !== undefined && newestFirst)
      throw new InvalidInput('order: expected asc beside after, got desc', { param: 'order' });
    if (query.after !== undefined && position !== undefined)
      throw new InvalidInput('cursor: expected either after or cursor, got both', { param: 'cursor' });
    const after = query.after ?? position?.[0];
    const param = query.after === undefined ? 'cursor' : 'after';
    const asked = { after, newestFirst, type: query.type, limit };
    const page = await readDrawn(request, () => listEvents(storage, principal, asked, param));
    const last = page.events.at(-1);
    const rest = nextPage(kind, { next: page.more && last ? [last.id] : undefined }, request, reply);
    // The stored JSON of the events is sent as it is, because parsing and serialising it again could change the bytes.
    const events = page.events.map(({ body }) => body).join(',');
    const tail = rest.next_cursor === undefined ? '' : `,"next_cursor":${JSON.stringify(rest.next_cursor)}`;
    const answer = `{"events":[${events}]${tail}}`;
    await answerText(context, answer, request, reply);
    return reply; // if the promise resolved to undefined, Fastify would send an empty body
  });
  route(context, contract.getEvent, async ({ storage, principal, params, request, reply }) => {
    const { body } = await getEvent(storage, principal, params.id);
    writeAnswer(request, reply, body);
    return reply;
  });

  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });
  const streams = new OpenStreams(deps.clock, context.accountLimits.streams);
  let news: EventNews | undefined;
  route(context, contract.streamEvents, async ({ storage, principal, query, request, reply }) => {
    const { eventLog } = storage;
    const [param, id] = resumption(request.headers['last-event-id'], query.after);
    const from =
      id === undefined ? await eventLog.end(principal) : await positionAfter(storage, principal, id, param);
    streams.enter(principal, reply);
    const gone = new AbortController();
    if (reply.raw.closed) gone.abort();
    reply.raw.once('close', () => gone.abort());
    const holds = async (): Promise<boolean> => {
      try {
        const known = authenticate(request, deps, true);
        const { scopes } = typeof known === 'function' ? await known() : known;
        return contract.streamEvents.scopes.every((scope) => scopes.has(scope));
      } catch (error) {
        if (error instanceof Unavailable) throw error;
        return false;
      }
    };
    reply.header('Cache-Control', 'no-store').header('X-Accel-Buffering', 'no'); // otherwise nginx buffers the stream
    // With keep-alive, stopping the service would wait for the idle connection after the stream.
    reply.header('Connection', 'close');
    reply.type('text/event-stream').send(
      eventStream({
        log: eventLog,
        // All streams share one EventNews, so that one database query serves the streams of all accounts.
        news: (news ??= new EventNews(acrossAccounts.eventLog)),
        owner: principal,
        type: query.type,
        from,
        holds,
        signal: AbortSignal.any([stopping.signal, gone.signal]),
      }),
    );
    // The reply is not returned, because Fastify would wait for the end of the stream.
  });
}

/**
 * Returns the event after which a stream resumes. The header has precedence, because a browser that reconnects sends
 * it along with the original URL.
 */
function resumption(
  header: string | string[] | undefined,
  after: string | undefined,
): readonly [param: string, id: string | undefined] {
  return typeof header === 'string' && header !== '' ? ['Last-Event-ID', header] : ['after', after];
}
