import type { FastifyInstance } from 'fastify';
import { openApiDocument, type OpenApiOptions } from '../../contract/openapi/openapi.ts';
import { REFERENCE_PAGE_CSP, referencePage } from './page.ts';

/** Registers `/openapi.json` and `/docs`, both generated from the schemas of the contract. */
export function referenceRoutes(app: FastifyInstance, options: OpenApiOptions): void {
  const document = openApiDocument(options);
  const json = JSON.stringify(document);
  let page: string | undefined;
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(json));
  app.get('/docs', (_request, reply) => {
    page ??= referencePage(document);
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', REFERENCE_PAGE_CSP)
      .send(page);
  });
}
