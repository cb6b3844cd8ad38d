import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { openApiDocument } from '../../contract/openapi/openapi.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { laidOut } from './laid-out.ts';
import { REFERENCE_PAGE_CSP, referencePage } from './page.ts';

const html = referencePage(openApiDocument());
/** Without the script, which is the page's own. */
const staticHtml = html.replace(/<script>[^]*<\/script>/, '');
const shown = html.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<');

test('every operation is there with its path, summary, scopes and a call', () => {
  for (const { id, method, path, scopes } of OPERATIONS) {
    const start = html.indexOf(`<article id="${id}"`);
    assert.ok(start > 0, id);
    const [article = ''] = html.slice(start).split('</article>', 1);
    assert.ok(article.includes(`${method}</span> ${path}</h3>`), id);
    for (const scope of scopes) assert.ok(article.includes(`<code>${scope}</code>`), `${id} ${scope}`);
    assert.ok(article.includes('curl --cacert'), id);
    if (path.startsWith('/v1/')) assert.ok(article.includes(`groundwatch.${id}(`), id);
    assert.ok(html.includes(`<a href="#${id}">`), `${id} is not in the contents`);
  }
});

test('the example calls can be run in a shell', () => {
  const risk =
    'curl --cacert "$CA" -H "Authorization: Bearer $KEY" \\\n  "https://localhost:8443/v1/risk?lat=52.37&lng=4.89&peril=flood"';
  assert.ok(shown.includes(risk));
  assert.ok(shown.includes('  -X DELETE "https://localhost:8443/v1/aois/$AOI_ID"'));
  assert.ok(shown.includes('{"aoi_id": "$AOI_ID", "perils": ["flood", "wildfire"]}\nJSON'));
  assert.doesNotMatch(shown, /-X (GET|POST) "https:\/\/[^"]+" \\\n {2}-H "Content-Type/);
});

test('the examples call the absolute address of the document', () => {
  const page = referencePage(openApiDocument({ server: 'https://risk.example.com/' }));
  assert.ok(page.includes('https://risk.example.com/v1/models'));
  assert.ok(!page.includes('localhost'));
});

test('every link inside the page has its target, and every id is unique', () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
  assert.deepEqual(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    [],
  );
  const known = new Set(ids);
  for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(known.has(target!), `#${target!}`);
});

test('the page loads nothing, and its policy allows its own style sheet and script alone', () => {
  assert.doesNotMatch(staticHtml, /<script|<link|<img|<iframe| src=| style=| on[a-z]+=|@import|url\(/);
  const style = /<style>([^]*?)<\/style>/.exec(html)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  assert.ok(REFERENCE_PAGE_CSP.includes(`style-src 'sha256-${hash}'`));
  const script = /<script>([^]*?)<\/script>/.exec(html)![1]!;
  const scriptHash = createHash('sha256').update(script).digest('base64');
  assert.ok(REFERENCE_PAGE_CSP.includes(`script-src 'sha256-${scriptHash}';`));
  assert.match(REFERENCE_PAGE_CSP, /default-src 'none'/);
});

test('elements are closed in order', () => {
  const empty = new Set(['meta', 'br', 'wbr', 'input', '!doctype']);
  const open: string[] = [];
  for (const [, slash, name] of staticHtml
    .replace(/<style>[^]*?<\/style>/, '')
    .matchAll(/<(\/?)([!a-z][a-z0-9]*)/g)) {
    if (empty.has(name!)) continue;
    if (slash === '') open.push(name!);
    else assert.equal(open.pop(), name);
  }
  assert.deepEqual(open, []);
});

test('the guide covers authentication, errors, limits, events, signatures and every release', () => {
  for (const id of ['authentication', 'errors', 'limits', 'events', 'signatures', 'versioning'])
    assert.ok(html.includes(`<h2 id="${id}">`), id);
  for (const release of ['v1.3.0', 'v1.2.0', 'v1.1.0', 'v1.0.0'])
    assert.ok(html.includes(`<td>${release}</td>`));
});

test('JSON is laid out for reading without changing its value', () => {
  const value = { a: [1, 2], text: 'x: [1,2]', long: ['a'.repeat(50), 'b'.repeat(50)], none: null };
  assert.deepEqual(JSON.parse(laidOut(value)), value);
  assert.equal(laidOut({ a: 'b:c,d', e: [1, 2] }), '{"a": "b:c,d", "e": [1, 2]}');
});
