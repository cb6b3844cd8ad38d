import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
  SchemaObject,
} from '../../contract/openapi/document.ts';
import { isStream, pythonExample, typescriptExample } from './client-examples.ts';
import { curlExample } from './curl-example.ts';
import { descriptionHtml } from './description.ts';
import { escapeHtml } from './html.ts';
import { laidOut } from './laid-out.ts';
import { fieldCount, rangeHtml, resolveSchema, schemaName, schemaTable, typeName } from './schema-table.ts';

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);

/** Returns the given parameter, or the shared parameter that it references. */
function parameterOf(given: ParameterObject | Reference, document: OpenApiDocument): ParameterObject {
  return 'name' in given ? given : document.components.parameters[nameOf(given.$ref)]!;
}

function parametersHtml(declared: OperationObject, document: OpenApiDocument): string {
  if (!declared.parameters) return '';
  const { schemas } = document.components;
  const rows = declared.parameters.map((given) => {
    const p = parameterOf(given, document);
    const range = rangeHtml(p.schema, schemas);
    const need = p.required ? '<span class="req">required</span>' : '<span class="opt">optional</span>';
    const meaning = [descriptionHtml(p.description ?? ''), range].filter((part) => part !== '').join('<br>');
    return `<tr><th scope="row"><code>${escapeHtml(p.name)}</code> ${need}</th><td>${p.in}</td><td>${escapeHtml(typeName(p.schema, schemas))}</td><td>${meaning}</td></tr>`;
  });
  return `<h4>Parameters</h4><div class="scroll"><table class="params"><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning and range</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** Renders the fields of a schema. For a large object, shows the top level; the table of all fields is collapsed. */
function fieldsHtml(schema: SchemaObject, document: OpenApiDocument): string {
  const MANY = 14; // maximum number of rows that fit on a screen together with the next part of the page
  const { schemas } = document.components;
  const table = schemaTable(schema, schemas);
  if (table === '') return `<p class="media">${escapeHtml(typeName(schema, schemas))}</p>`;
  const count = fieldCount(schema, schemas);
  if (count <= MANY) return table;
  return `${schemaTable(schema, schemas, 0)}<details><summary>All ${count} fields, with the nested ones</summary>${table}</details>`;
}

function bodyHtml(declared: OperationObject, document: OpenApiDocument): string {
  return Object.entries(declared.requestBody?.content ?? {})
    .map(([media, { schema }]) => {
      const { description } = resolveSchema(schema, document.components.schemas);
      const text = description === undefined ? '' : `<p>${descriptionHtml(description)}</p>`;
      return `<h4>Body <span class="media">${escapeHtml(media)}</span></h4>${text}${fieldsHtml(schema, document)}`;
    })
    .join('');
}

function answerHtml(status: string, answer: ResponseObject, document: OpenApiDocument): string {
  const headers = Object.keys(answer.headers ?? {}).filter((name) =>
    ['Location', 'Link', 'Deprecation', 'Sunset'].includes(name),
  );
  const sends =
    headers.length === 0 ? '' : ` Sends ${headers.map((name) => `<code>${name}</code>`).join(', ')}.`;
  const content = Object.entries(answer.content ?? {}).map(([media, { schema }]) => {
    const name = schemaName(schema);
    const label = name === undefined ? '' : `<a href="#schema-${name}">${name}</a> `;
    return `<p>${label}<span class="media">${escapeHtml(media)}</span></p>${fieldsHtml(schema, document)}`;
  });
  return `<p><span class="status">${status}</span> ${descriptionHtml(answer.description)}${sends}</p>${content.join('')}`;
}

function responsesHtml(declared: OperationObject, document: OpenApiDocument): string {
  const given = Object.entries(declared.responses);
  const answers = given.flatMap(([status, answer]) =>
    '$ref' in answer ? [] : [answerHtml(status, answer, document)],
  );
  const fails = given.flatMap(([status, answer]) => {
    if (!('$ref' in answer)) return [];
    const shared = document.components.responses[nameOf(answer.$ref)]!;
    const example = shared.content?.['application/json']?.example as { error: { code: string } };
    return [`<li><a href="#errors">${status}</a> <code>${escapeHtml(example.error.code)}</code></li>`];
  });
  const failed = fails.length === 0 ? '' : `<h4>Errors</h4><ul class="fails">${fails.join('')}</ul>`;
  return `<h4>Answers</h4>${answers.join('')}${failed}`;
}

function scopesHtml(declared: OperationObject): string {
  const people = declared.security?.flatMap((needed) => needed['session'] ?? []) ?? [];
  const scopes = declared.security?.flatMap((needed) => needed['bearer'] ?? needed['session'] ?? []) ?? [];
  const list = scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(' and ');
  const of = people.length > 0 ? 'the role of a signed-in person' : 'an API key or an OAuth access token';
  return `<p class="scopes">Scope: ${list === '' ? 'any valid credential' : list}, of ${of}</p>`;
}

/** The call of an operation in each language; the reader chooses one at the top of the page. */
function callHtml(server: string, method: string, path: string, declared: OperationObject): string {
  const calls = {
    curl: curlExample(server, method, path, declared),
    typescript: typescriptExample(path, declared),
    python: pythonExample(method, path, declared),
  };
  const shown = Object.entries(calls).map(([language, text]) =>
    text === undefined
      ? `<p class="in-${language} media">There is no example in this language: use curl.</p>`
      : `<pre class="in-${language}" tabindex="0"><code>${escapeHtml(text)}</code></pre>`,
  );
  return `<h4>Example</h4>${shown.join('')}`;
}

const example = (title: string, text: string) =>
  `<h4>${title}</h4><pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;

/** Renders one operation: description, scopes, parameters, body, answers, and an example call. */
export function operationHtml(
  document: OpenApiDocument,
  server: string,
  method: string,
  path: string,
  declared: OperationObject,
): string {
  const [first] = Object.values(declared.responses);
  const answer = first && 'content' in first ? first.content?.['application/json']?.example : undefined;
  return `<article id="${declared.operationId}"${isStream(declared) ? '' : ` data-method="${method}" data-path="${escapeHtml(path)}"`}>
<header><h3 class="call"><span class="verb ${method}">${method.toUpperCase()}</span> ${escapeHtml(path)}</h3><span class="summary">${descriptionHtml(declared.summary)}</span></header>
${declared.deprecated ? '<p class="deprecated">Deprecated: see the Deprecation and Sunset headers.</p>' : ''}
<div class="two"><div>
${declared.description === undefined ? '' : `<p>${descriptionHtml(declared.description)}</p>`}${scopesHtml(declared)}
${parametersHtml(declared, document)}${bodyHtml(declared, document)}${responsesHtml(declared, document)}
</div><div>
${callHtml(server, method, path, declared)}${answer === undefined ? '' : example('Answer', laidOut(answer))}
</div></div>
</article>`;
}

/** Renders one event type: when it is sent, and the body of its delivery. */
export function eventHtml(document: OpenApiDocument, type: string, declared: OperationObject): string {
  const [body] = Object.values(declared.requestBody?.content ?? {});
  return `<article id="event-${type.replaceAll('.', '-')}">
<header><h3 class="call">${escapeHtml(type)}</h3><span class="summary">${descriptionHtml(declared.summary)}</span></header>
<div class="two"><div><h4>Body</h4>${body ? fieldsHtml(body.schema, document) : ''}</div><div>
${body?.example === undefined ? '' : example('Delivery', laidOut(body.example))}
</div></div>
</article>`;
}
