import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS, type WebhookEvent } from '../../contract/event-payloads.ts';
import * as sample from '../../contract/example-resources.ts';
import { contentOfEvent } from './event-words.ts';
import { htmlMail, plainMail } from './mail-layout.ts';

const PARTS = { base: 'https://risk.example.com', areaNames: new Map([[sample.AOI, 'Ljubljana west']]) };
const FOOTER = {
  reason: 'You get this mail because you asked for it.',
  stopLabel: 'Send me no more',
  stopUrl: 'https://risk.example.com/mail/stop/s',
};
const example = (type: WebhookEvent['type']): WebhookEvent => EVENTS[type].example as unknown as WebhookEvent;

test('each type of event has a title in words and a page of the console', () => {
  for (const type of Object.keys(EVENTS) as WebhookEvent['type'][]) {
    const content = contentOfEvent(example(type), PARTS);
    assert.match(content.title, /^[A-Z][^_]+$/, type);
    assert.doesNotMatch(content.title, /undefined|null|NaN|_/, type);
    for (const [name, value] of content.facts) assert.doesNotMatch(`${name} ${value}`, /undefined|null|NaN/);
    assert.match(
      content.action!.href,
      /^https:\/\/risk\.example\.com\/(?:#\/[a-z]+(?:\/[a-z]+_[0-9a-z]+)?)?$/,
      type,
    );
    const plain = plainMail(content, [], FOOTER);
    assert.ok(plain.includes(content.title) && plain.includes(FOOTER.stopUrl), type);
  }
});

test('a change says what, where, how large, since when and how sure', () => {
  const { kicker, title, facts, action } = contentOfEvent(example('change.detected'), PARTS);
  assert.equal(kicker, 'Change confirmed');
  assert.equal(title, 'Loss of vegetation on 0.41 ha at Ljubljana west');
  assert.deepEqual(facts, [
    ['Where', 'Ljubljana west'],
    ['How large', '0.41 ha'],
    ['Since', '12 July 2026'],
    ['Confirmed on', '31 August 2026'],
    ['How sure', '98 %'],
  ]);
  assert.equal(action!.href, `https://risk.example.com/#/changes/${sample.CHANGE}`);
  const { kicker: gone } = contentOfEvent(
    {
      ...example('change.suspected'),
      data: { ...sample.change, status: 'rejected', url: '/v1/' },
    } as WebhookEvent,
    PARTS,
  );
  assert.equal(gone, 'Change withdrawn');
});

test('a digest lists its incidents and says how many more there are', () => {
  const digest = example('incident.digest') as Extract<WebhookEvent, { type: 'incident.digest' }>;
  const { title, items, paragraphs, picturedChange } = contentOfEvent(
    { ...digest, data: { ...digest.data, incident_count: 4 } },
    PARTS,
  );
  assert.equal(title, '4 incidents began or changed at Ljubljana west');
  assert.equal(items[0]!.title, sample.incident.title);
  assert.deepEqual(paragraphs, ['3 more are in the console.']);
  assert.equal(picturedChange, sample.CHANGE);
});

test('names of areas cannot bring markup into the HTML part', () => {
  const evil = '<img src=x onerror="alert(1)"> & "quoted"';
  const content = contentOfEvent(example('change.detected'), {
    ...PARTS,
    areaNames: new Map([[sample.AOI, evil]]),
  });
  const picture = { cid: 'before@groundwatch', png: new Uint8Array(), alt: evil, caption: evil };
  const html = htmlMail(content, [picture], FOOTER);
  assert.doesNotMatch(html, /<img src=x/);
  assert.match(html, /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; &amp; &quot;quoted&quot;/);
  assert.match(html, /<img src="cid:before@groundwatch"/);
});
