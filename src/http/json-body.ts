import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidInput } from '../base/errors.ts';
import type { TakeTurn } from './answer-turns.ts';
import { exceededBound, type JsonBounds } from '../base/json-bounds.ts';
import { repeatedMember } from '../base/repeated-member.ts';
import type { ReadBody } from './body-reader.ts';
import { quoteValue } from './validation.ts';

/** Maximum depth of nesting of a body; a MultiPolygon in a feature of a list has nine levels. */
const BODY_LEVELS = 64;
/** Maximum number of different names of fields in a body; all operations together know less than a tenth of it. */
const BODY_NAMES = 1000;
/**
 * Size from which each step of reading a body, and the call itself, begins in a turn of the caller's account [bytes]. A
 * step takes some 10 us per kilobyte; without turns, large bodies that arrive together are read in one go.
 */
const LARGE_BODY_BYTES = 65_536;
const BOUND_WORDS: Readonly<Record<keyof JsonBounds, string>> = {
  levels: 'levels of arrays and objects',
  containers: 'arrays and objects',
  fields: 'fields',
  names: 'different names of fields',
  texts: 'texts',
  commas: 'commas',
};

/**
 * Makes the app accept only JSON bodies. They must be UTF-8 (RFC 8259 section 8.1), which is checked, because decoding
 * would silently replace invalid bytes. An empty body of any media type counts as no body, because some libraries send
 * an empty body with every request. Large bodies are read in turns of their accounts.
 */
export function takeJsonOnly(app: FastifyInstance, readBody: ReadBody, takeTurn: TakeTurn): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const body = await readBody(request, payload);
    if (body.length === 0) return undefined;
    if (isEncoded(request)) throw refusal('Content-Encoding', 'none', request);
    // A body without a credential is never so large.
    const isLarge = body.length >= LARGE_BODY_BYTES && request.principal !== null;
    if (isLarge) await takeTurn(request);
    const scanned = request.operation?.scanBody?.(body);
    if (scanned !== undefined) return scanned;
    if (!isUtf8(body)) throw new InvalidInput('The body is not valid UTF-8');
    refuseBeyond(body, bodyBounds(request.routeOptions.bodyLimit));
    if (isLarge) await takeTurn(request);
    const text = body.toString('utf8');
    const value = await new Promise((resolve, reject) => {
      void parse(request, text, (error, parsed) =>
        error ? reject(new InvalidInput(parseProblem(text))) : resolve(parsed),
      );
    });
    if (isLarge) await takeTurn(request);
    refuseRepeated(text);
    if (isLarge) await takeTurn(request);
    return value;
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const body = await readBody(request, payload);
    if (body.length > 0) throw refusal('Content-Type', 'application/json', request);
    return undefined;
  });
}

/**
 * What a body may have that has at most `bytes`. The largest list of areas has a field for each 200 bytes, a text for
 * each 130, an array or object for each 50 and a comma for each 25.
 */
function bodyBounds(bytes: number): JsonBounds {
  return {
    levels: BODY_LEVELS,
    names: BODY_NAMES,
    fields: bytes / 128,
    texts: bytes / 64,
    containers: bytes / 32,
    commas: bytes / 16,
  };
}

/** Refuses a body that would take longer to parse and check than others should wait, before it is parsed. */
function refuseBeyond(body: Buffer, bounds: JsonBounds): void {
  const bound = exceededBound(body, bounds);
  if (bound !== undefined)
    throw new InvalidInput(`The body: expected at most ${bounds[bound]} ${BOUND_WORDS[bound]}, got more`);
}

function isEncoded({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity') !== 'identity';
}

function refusal(header: string, expected: string, { headers }: FastifyRequest): InvalidInput {
  return new InvalidInput(
    `${header}: expected ${expected}, got ${quoteValue(headers[header.toLowerCase()])}`,
  );
}

/** Refuses a member that comes twice in one object: the parser would keep the last and drop the others. */
function refuseRepeated(text: string): void {
  const param = repeatedMember(text);
  if (param !== undefined)
    throw new InvalidInput(`${param}: expected once, got twice in the same object`, { param });
}

/**
 * Returns the error message for a body that the parser refused. Usually it is the message of JSON.parse. If JSON.parse
 * accepts the text, it was refused because of a key that would pollute a prototype.
 */
function parseProblem(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message.replace(/ is not valid JSON$/, '')}`;
  }
  return 'The body: expected no field named __proto__ or constructor.prototype';
}
