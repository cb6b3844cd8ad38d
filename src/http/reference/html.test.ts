import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorOf, escapeHtml } from './html.ts';

test('text cannot become markup', () => {
  assert.equal(escapeHtml(`<a b='c' d="e">&`), '&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;');
});

test('anchors are lower-case words', () => {
  assert.equal(anchorOf('Areas of interest (AOI)'), 'areas-of-interest-aoi');
});
