import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidInput } from '../base/errors.ts';
import { nestsDeeper } from '../base/json-depth.ts';
import { repeatedMember } from '../base/repeated-member.ts';
import type { ReadBody } from './body-reader.ts';
import { quoteValue } from './validation.ts';

/** Maximum depth of nesting of a body; a MultiPolygon in a feature of a list has nine levels. */
const BODY_LEVELS = 64;

/**
 * Makes the app accept only JSON bodies. They must be UTF-8 (RFC 8259 section 8.1), which is checked, because decoding
 * would silently replace invalid bytes. An empty body of any media type counts as no body, because some libraries send
 * an empty body with every request.
 */
export function takeJsonOnly(app: FastifyInstance, readBody: ReadBody): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const body = await readBody(request, payload);
    if (body.length === 0) return undefined;
    if (isEncoded(request)) throw refusal('Content-Encoding', 'none', request);
    const scanned = request.operation?.scanBody?.(body);
    if (scanned !== undefined) return scanned;
    if (!isUtf8(body)) throw new InvalidInput('The body is not valid UTF-8');
    if (nestsDeeper(body, BODY_LEVELS))
      throw new InvalidInput(
        `The body: expected at most ${BODY_LEVELS} levels of arrays and objects, got more`,
      );
    const text = body.toString('utf8');
    const value = await new Promise((resolve, reject) => {
      void parse(request, text, (error, parsed) =>
        error ? reject(new InvalidInput(parseProblem(text))) : resolve(parsed),
      );
    });
    refuseRepeated(text);
    return value;
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const body = await readBody(request, payload);
    if (body.length > 0) throw refusal('Content-Type', 'application/json', request);
    return undefined;
  });
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
