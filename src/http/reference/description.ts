import rendered from './rendered-markdown.json' with { type: 'json' };
import { escapeHtml } from './html.ts';

const RENDERED = new Map(Object.entries(rendered.descriptions));

/** A description or summary of the OpenAPI document as HTML. `npm run generate` renders those that contain Markdown. */
export function descriptionHtml(text: string): string {
  return RENDERED.get(text) ?? escapeHtml(text);
}
