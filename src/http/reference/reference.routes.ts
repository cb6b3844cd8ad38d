import type { FastifyInstance } from 'fastify';
import { openApiDocument, type OpenApiOptions } from '../../contract/openapi/openapi.ts';
import { EXAMPLE_SERVER, REFERENCE_PAGE_CSP, referencePage } from './page.ts';

/** A host name or address with an optional port, of characters that need no escaping in HTML. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Registers `/openapi.json` and `/docs`, both generated from the schemas of the contract. Where no base address is
 * set, the examples of the page have the address at which the page was asked for.
 */
export function referenceRoutes(app: FastifyInstance, options: OpenApiOptions): void {
  const document = openApiDocument(options);
  const json = JSON.stringify(document);
  let page: string | undefined;
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(json));
  app.get('/docs', (request, reply) => {
    page ??= referencePage(document, options.authServer);
    const asked = HOST.test(request.host) ? `${request.protocol}://${request.host}` : EXAMPLE_SERVER;
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', REFERENCE_PAGE_CSP)
      .send(options.server === undefined ? page.replaceAll(EXAMPLE_SERVER, asked) : page);
  });
}
