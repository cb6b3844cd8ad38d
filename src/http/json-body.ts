import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidInput } from '../base/errors.ts';
import { describe } from './validation.ts';

/**
 * Takes bodies in JSON, and so in UTF-8 (RFC 8259 section 8.1): decoding alone would mend what is none in silence.
 * A body of no bytes is none, whatever the headers say of it: libraries name a media type with every request.
 */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null);
    if (isEncoded(request)) return done(refusal('Content-Encoding', 'none', request));
    const scanned = request.operation?.scanBody?.(body);
    if (scanned !== undefined) return done(null, scanned);
    if (!isUtf8(body)) return done(new InvalidInput('The body is not valid UTF-8'));
    const text = body.toString('utf8');
    void parse(request, text, (error, value) =>
      error ? done(new InvalidInput(whatIsWrong(text))) : done(null, value),
    );
  });
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, body, done) =>
    body.length === 0 ? done(null) : done(refusal('Content-Type', 'application/json', request)),
  );
}

function isEncoded({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity') !== 'identity';
}

function refusal(header: string, expected: string, { headers }: FastifyRequest): InvalidInput {
  return new InvalidInput(`${header}: expected ${expected}, got ${describe(headers[header.toLowerCase()])}`);
}

/** The engine's own words for where JSON breaks; a text that it takes was refused for a key that can do harm. */
function whatIsWrong(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message.replace(/ is not valid JSON$/, '')}`;
  }
  return 'The body: expected no field named __proto__ or constructor.prototype';
}
