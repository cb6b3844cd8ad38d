import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { HELD_KINDS } from '../app/held-rows.ts';
import type { Storage, Stores } from '../app/storage.ts';
import { InvalidInput } from '../base/errors.ts';
import { isId } from '../base/ids.ts';
import type { Operation } from '../contract/operation.ts';
import { answerTag, matchesTag } from './answer/answer-tag.ts';

/** Calls the handler of an operation with a storage and a query. */
export type CallOn = (
  storage: Storage,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Record<string, unknown>,
) => unknown;

type Members = Record<string, unknown>;

/** A resource as its GET answers it. */
interface Reading {
  readonly read: CallOn;
  /** The queries by which it is read, and the schema of what they answer. */
  readonly forms: readonly { readonly query: Record<string, unknown>; readonly schema: TSchema }[];
}

/**
 * The condition `If-Match` of calls that change or delete a resource (RFC 9110 section 13.1.1). The tag is compared with
 * those of the resource's GET, as JSON and as GeoJSON, without parameters. `W/` is ignored: a tag names the content of an
 * answer, and is weak only because the answer may be compressed. Strictly compared, a weak tag would never match.
 */
export class Preconditions {
  /** By path. */
  readonly #readings = new Map<string, Reading>();

  /** Takes note of an operation that reads one resource. Others are ignored. */
  add({ method, path, params, answers, query }: Operation, read: CallOn): void {
    const [answer] = answers;
    if (method !== 'GET' || params === undefined || answer?.body === undefined) return;
    const json = { query: query?.properties['f'] === undefined ? {} : { f: 'json' }, schema: answer.body };
    const { geojson } = answer;
    this.#readings.set(path, {
      read,
      forms: geojson === undefined ? [json] : [json, { query: { f: 'geojson' }, schema: geojson }],
    });
  }

  /**
   * Runs `change` if the resource is as `If-Match` says. Nobody else changes the resource in between. Without that
   * header, `change` runs at once.
   * @throws InvalidInput when the resource is another by now; NotFound when there is none
   */
  async run<T>(
    { path }: Operation,
    storage: Storage,
    request: FastifyRequest,
    reply: FastifyReply,
    change: (storage: Storage) => T | Promise<T>,
  ): Promise<T> {
    const held = request.headers['if-match'];
    const reading = this.#readings.get(path);
    if (held === undefined || reading === undefined) return change(storage);
    return storage.transaction(async (stores) => {
      const within = inTransaction(stores, storage);
      const { id } = request.params as { readonly id: string };
      for (const kind of HELD_KINDS)
        if (isId(kind, id)) await stores.heldRows.hold(request.principal!, kind, id);
      if (await isHeld(reading, held, within, request, reply)) return change(within);
      throw new InvalidInput(
        `If-Match: ${path.replace('{id}', id)} has changed since that ETag; nothing was done: expected the ETag of its GET now`,
        { param: 'If-Match' },
      );
    });
  }
}

/** Whether a tag of the header is that of the resource in one of its forms. */
async function isHeld(
  { read, forms }: Reading,
  held: string,
  storage: Storage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  for (const { query, schema } of forms) {
    const answer = await read(storage, request, reply, query);
    // The handler has set headers of an answer that is not sent.
    for (const name of ['content-type', 'vary']) reply.removeHeader(name);
    // The schema itself, because what it compiles to is kept by it.
    const text = reply.serializeInput(answer as Members, schema as Members);
    if (matchesTag(held, answerTag(text))) return true;
  }
  return false;
}

/** A storage whose stores, and whose transactions, are those of one transaction. */
function inTransaction(stores: Stores, storage: Storage): Storage {
  return { ...stores, transaction: (work) => work(stores), boundTo: (owner) => storage.boundTo(owner) };
}
