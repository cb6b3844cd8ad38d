import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksHtml, inlineHtml, renderedMarkdown } from '../../../scripts/reference-markdown.ts';
import { openApiDocument } from '../../contract/openapi/openapi.ts';
import { descriptionHtml } from './description.ts';
import rendered from './rendered-markdown.json' with { type: 'json' };

test('the committed HTML is that of the current contract (npm run generate)', () => {
  assert.deepEqual(renderedMarkdown(openApiDocument()), rendered);
});

test('a description with code is rendered, one without is escaped', () => {
  const [[text, html] = []] = Object.entries(rendered.descriptions);
  assert.equal(descriptionHtml(text!), html);
  assert.equal(descriptionHtml('a < b'), 'a &lt; b');
});

test('raw HTML is shown as text, and a link to a script is not a link', () => {
  assert.equal(inlineHtml('a <script> `<b>`'), 'a &lt;script&gt; <code>&lt;b&gt;</code>');
  assert.deepEqual(blocksHtml('<script>\nalert(1)\n</script>'), ['&lt;script&gt; alert(1) &lt;/script&gt;']);
  for (const text of ['[x](javascript:alert(1))', '![x](https://c.example)'])
    assert.doesNotMatch(inlineHtml(text), /<(a|img)/, text);
  assert.equal(
    inlineHtml('**a** [b](https://c.example/d?e=1&f) `**g**`'),
    '<strong>a</strong> <a href="https://c.example/d?e=1&amp;f">b</a> <code>**g**</code>',
  );
});

test('headings have anchors, tables scroll, and code keeps its blank lines', () => {
  const markdown = [
    '## Two words',
    'one\nline',
    '- a\n- b',
    '| H | I |\n| --- | --- |\n| j | `k` |',
    '```\nl\n\nm < n\n```',
  ];
  assert.deepEqual(blocksHtml(markdown.join('\n\n')), [
    '<h2 id="two-words">Two words</h2>',
    '<p>one line</p>',
    '<ul><li>a</li><li>b</li></ul>',
    '<div class="scroll"><table><thead><tr><th scope="col">H</th><th scope="col">I</th></tr></thead><tbody><tr><td>j</td><td><code>k</code></td></tr></tbody></table></div>',
    '<pre><code>l\n\nm &lt; n</code></pre>',
  ]);
});
