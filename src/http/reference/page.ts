import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenApiDocument, OperationObject } from '../../contract/openapi/document.ts';
import { descriptionHtml } from './description.ts';
import { beginnings } from './client-examples.ts';
import { anchorOf, escapeHtml } from './html.ts';
import { eventHtml, operationHtml } from './operation.ts';
import guide from './rendered-markdown.json' with { type: 'json' };
import { REFERENCE_STYLE } from './style.ts';
import { schemaTable } from './schema-table.ts';

/** Address in the examples when the document has no absolute server address. */
export const EXAMPLE_SERVER = 'https://localhost:8443';

/** Script of the page: it searches the contents and tries calls. Without it the page is complete. */
const SCRIPT = readFileSync(new URL('page-script.js', import.meta.url), 'utf8');

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The strictest Content-Security-Policy under which the page works: it allows the page's own style sheet and script,
 * and calls to the service itself.
 */
export const REFERENCE_PAGE_CSP = [
  "default-src 'none'",
  `style-src ${hashOf(REFERENCE_STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  'img-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Call {
  readonly method: string;
  readonly path: string;
  readonly declared: OperationObject;
}

function callsOf(document: OpenApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, declared]) => ({ method, path, declared })),
  );
}

const tagAnchor = (tag: string) => `tag-${anchorOf(tag)}`;
const navList = (items: readonly string[]) => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;

function navigation(document: OpenApiDocument, calls: readonly Call[]): string {
  const headings = Object.entries(guide.headings).map(
    ([anchor, heading]) => `<a href="#${anchor}">${heading}</a>`,
  );
  const tags = document.tags.map(({ name }) => {
    const links = calls
      .filter(({ declared }) => declared.tags.includes(name))
      .map(
        ({ method, path, declared }) =>
          `<a href="#${declared.operationId}"><span class="verb ${method}">${method.toUpperCase()}</span><span class="path">${escapeHtml(path.replace('/v1', '')).replaceAll('/', '<wbr>/')}</span></a>`,
      );
    return `<h2><a href="#${tagAnchor(name)}">${escapeHtml(name)}</a></h2>${navList(links)}`;
  });
  const events = Object.keys(document.webhooks).map(
    (type) => `<a href="#event-${type.replaceAll('.', '-')}">${escapeHtml(type)}</a>`,
  );
  return `<nav aria-label="Contents"><div class="brand">${escapeHtml(document.info.title)} <small>API reference v${escapeHtml(document.info.version)}</small></div>
${LANGUAGE_CHOICE}<p class="search" hidden><label>Search <input type="search" id="search" autocomplete="off"></label></p>
<h2>Guide</h2>${navList(['<a href="#first-call">First call</a>', ...headings])}${tags.join('')}
<h2>Event bodies</h2>${navList(events)}
<h2>More</h2>${navList(['<a href="#schemas">Schemas</a>', '<a href="/openapi.json">openapi.json</a>'])}</nav>`;
}

/** Chooses the language of all examples; the style sheet hides the others. */
const LANGUAGE_CHOICE = `<fieldset class="languages"><legend>Examples in</legend>${(
  [
    ['curl', 'curl'],
    ['typescript', 'TypeScript'],
    ['python', 'Python'],
  ] as const
)
  .map(
    ([language, name], i) =>
      `<label><input type="radio" name="language" id="in-${language}" value="${language}"${i === 0 ? ' checked' : ''}> ${name}</label>`,
  )
  .join('')}</fieldset>`;

function firstCall(server: string): string {
  const lines = [
    'CA=/path/to/ca.pem   # the local authority; its path is printed at the start',
    'KEY=gw_sandbox_...   # an API key; the first start prints one',
    `curl --cacert "$CA" -H "Authorization: Bearer $KEY" "${server}/v1/risk?lat=52.37&lng=4.89&peril=flood"`,
  ];
  const { typescript, python } = beginnings(server);
  return `<h2 id="first-call">First call</h2>
<p>Every example on this page uses these two variables; those in TypeScript and Python read them from the environment. Where the service has a certificate from a public authority, leave <code>--cacert</code> out. Identifiers such as <code>$AOI_ID</code> are what earlier answers gave you.</p>
<pre class="in-curl" tabindex="0"><code>${escapeHtml(lines.join('\n'))}</code></pre>
<pre class="in-typescript" tabindex="0"><code>${escapeHtml(typescript)}</code></pre>
<pre class="in-python" tabindex="0"><code>${escapeHtml(python)}</code></pre>`;
}

function schemasHtml(document: OpenApiDocument): string {
  const { schemas } = document.components;
  return Object.entries(schemas)
    .map(([name, schema]) => {
      const text = schema.description === undefined ? '' : `<p>${descriptionHtml(schema.description)}</p>`;
      return `<details id="schema-${name}"><summary><code>${escapeHtml(name)}</code></summary>${text}${schemaTable(schema, schemas)}</details>`;
    })
    .join('\n');
}

/**
 * Renders the OpenAPI document as one static HTML page. The page has one inline style sheet, one inline script
 * and no external resources. Serve it with {@link REFERENCE_PAGE_CSP}.
 * @param authServer address of the token endpoint; default: that of the service
 */
export function referencePage(document: OpenApiDocument, authServer = EXAMPLE_SERVER): string {
  const [first] = document.servers;
  const server = first && /^https?:/.test(first.url) ? first.url.replace(/\/$/, '') : EXAMPLE_SERVER;
  const calls = callsOf(document);
  const sections = document.tags.map(({ name, description }) => {
    const articles = calls
      .filter(({ declared }) => declared.tags.includes(name))
      .map(({ method, path, declared }) => operationHtml(document, server, method, path, declared));
    return `<section aria-labelledby="${tagAnchor(name)}"><h2 id="${tagAnchor(name)}">${escapeHtml(name)}</h2><p>${descriptionHtml(description)}</p>
${articles.join('\n')}</section>`;
  });
  const events = Object.entries(document.webhooks).map(([type, { post }]) => eventHtml(document, type, post));
  const page = `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} API reference</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${navigation(document, calls)}
<main id="main">
<h1>${escapeHtml(document.info.title)} API</h1>
<p class="lead">${guide.lead}</p>
${firstCall(server)}
${guide.guide.join('\n')}
${sections.join('\n')}
<section aria-labelledby="event-bodies"><h2 id="event-bodies">Event bodies</h2><p>What a delivery carries, by the type of its event. <a href="#events">When each is sent</a>, and <a href="#signatures">how to verify it</a>.</p>
${events.join('\n')}</section>
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${schemasHtml(document)}</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
  // Also in the answers of examples and in the guide.
  return page.replaceAll('{auth_url}', authServer).replaceAll(EXAMPLE_SERVER, server);
}
