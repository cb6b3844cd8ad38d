import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorOf, escapeHtml, inlineHtml, markdownHtml } from './markdown.ts';

test('text cannot become markup', () => {
  assert.equal(escapeHtml(`<a b='c' d="e">&`), '&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;');
  assert.equal(inlineHtml('a <script> `<b>`'), 'a &lt;script&gt; <code>&lt;b&gt;</code>');
  assert.equal(inlineHtml('[x](javascript:alert(1))'), '[x](javascript:alert(1))');
});

test('inline code, strong and links are marked, and nothing inside code is', () => {
  assert.equal(
    inlineHtml('**a** [b](https://c.example/d?e=1&f) `**g**`'),
    '<strong>a</strong> <a href="https://c.example/d?e=1&amp;f">b</a> <code>**g**</code>',
  );
});

test('blocks: heading, paragraph, lists, table, code with blank lines', () => {
  const html = markdownHtml(
    [
      '## Two words',
      'one\nline',
      '- a\n- b',
      '1. c\n2. d',
      '| H | I |\n| --- | --- |\n| j | `k` |',
      '```\nl\n\nm < n\n```',
      'end',
    ].join('\n\n'),
  );
  assert.equal(
    html,
    [
      '<h2 id="two-words">Two words</h2>',
      '<p>one line</p>',
      '<ul><li>a</li><li>b</li></ul>',
      '<ol><li>c</li><li>d</li></ol>',
      '<div class="scroll"><table><thead><tr><th scope="col">H</th><th scope="col">I</th></tr></thead><tbody><tr><td>j</td><td><code>k</code></td></tr></tbody></table></div>',
      '<pre><code>l\n\nm &lt; n</code></pre>',
      '<p>end</p>',
    ].join('\n'),
  );
});

test('anchors are lower-case words', () => {
  assert.equal(anchorOf('Areas of interest (AOI)'), 'areas-of-interest-aoi');
});
