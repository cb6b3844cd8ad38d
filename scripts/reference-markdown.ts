// Renders the Markdown of the OpenAPI document for the reference page, so that the service needs no Markdown parser.
import { Lexer, Marked, Renderer } from 'marked';
import type { OpenApiDocument } from '../src/contract/openapi/document.ts';
import { anchorOf, escapeHtml } from '../src/http/reference/html.ts';

const LINK_TARGET = /^(https:\/\/|\/|#)/;

/** CommonMark with tables. Raw HTML is shown as text, and links lead only to `https:`, `/` and `#`. */
const marked = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
    },
    link: ({ href, raw }) => (LINK_TARGET.test(href) ? false : escapeHtml(raw)),
    image: ({ raw }) => escapeHtml(raw),
    table(token) {
      return `<div class="scroll">${Renderer.prototype.table.call(this, token)}</div>`;
    },
    tablecell({ tokens, header }) {
      const text = this.parser.parseInline(tokens);
      return header ? `<th scope="col">${text}</th>` : `<td>${text}</td>`;
    },
  },
});

/** Renders each block as one line of HTML; code blocks keep their line breaks. */
export function blocksHtml(markdown: string): readonly string[] {
  return marked
    .lexer(markdown)
    .filter(({ type }) => type !== 'space')
    .map((token) => {
      const html = marked.parser([token]).trim();
      if (token.type === 'code') return html.replace(/\n(?=<\/code>)/, '');
      return html.replaceAll(/>\n+(?=<)/g, '>').replaceAll('\n', ' ');
    });
}

/** Renders one paragraph as HTML, without the enclosing `<p>`. */
export function inlineHtml(markdown: string): string {
  return marked.parseInline(markdown) as string;
}

/** Every description and summary in a part of the document, except in examples. */
function descriptionsIn(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value === 'string') return key === 'description' || key === 'summary' ? [value] : [];
    return key === 'example' ? [] : descriptionsIn(value);
  });
}

/** HTML of the guide in blocks, of its headings by anchor, and of each other description that contains Markdown. */
export function renderedMarkdown(document: OpenApiDocument) {
  const { info, ...rest } = document;
  const [lead = '', ...sections] = info.description.split(/(?=^## )/m);
  const headings = [...info.description.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);
  const withMarkdown = [...new Set(descriptionsIn(rest))].filter((text) =>
    Lexer.lexInline(text).some(({ type }) => type !== 'text'),
  );
  return {
    lead: inlineHtml(lead.trim()),
    headings: Object.fromEntries(headings.map((heading) => [anchorOf(heading), inlineHtml(heading)])),
    guide: blocksHtml(sections.join('\n')),
    descriptions: Object.fromEntries(withMarkdown.map((text) => [text, inlineHtml(text)])),
  };
}
