import rendered from './rendered-markdown.json' with { type: 'json' };
import { escapeHtml } from './html.ts';

const RENDERED = new Map(Object.entries(rendered.descriptions));

/**
 * Returns a description or summary of the OpenAPI document as HTML. Texts with Markdown were rendered by
 * `npm run generate`.
 */
export function descriptionHtml(text: string): string {
  return RENDERED.get(text) ?? escapeHtml(text);
}
