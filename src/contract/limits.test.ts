import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as limits from './limits.ts';

const ROOT = join(import.meta.dirname, '../..');

const WORDS: Readonly<Record<string, number>> = { five: 5, ten: 10, fifteen: 15, thirty: 30, sixty: 60 };

/** Matches a number in the documentation: digits with commas, or a word. */
const NUMBER = String.raw`(\d[\d,]*(?:\.\d+)?|${Object.keys(WORDS).join('|')})`;

/** Phrases in which the documentation states a limit, each with the numbers that it may state. `#` marks the number. */
const STATED: readonly (readonly [phrase: string, ...allowed: number[]])[] = [
  ['batch of # locations', limits.BATCH_LOCATIONS],
  ['within # days is logged', limits.KEY_WARNING_DAYS],
  ['warning # days before', limits.KEY_WARNING_DAYS],
  ['tokens [^.]*last # minutes', limits.ACCESS_TOKEN_S / 60],
  ['deliveries of the last # days', limits.EVENT_DAYS],
  ['stored event, up to # days', limits.EVENT_DAYS],
  ['expire after # days', limits.KEY_DAYS.default],
  ['bodies over # MiB', limits.BODY_BYTES / 2 ** 20],
  ['bodies of up to # MiB pass', Math.max(limits.BODY_BYTES, limits.AREA_BATCH.bytes) / 2 ** 20],
  ['deliveries are kept for # days', limits.EVENT_DAYS],
  ['enabled again within # days', limits.EVENT_DAYS],
  ['watches its area at # for', limits.SUBSCRIPTION_THRESHOLD],
  ['(?:for|after) # days of failures', limits.FAILING_DAYS],
  ['One timeout\\.\\*\\* # seconds', limits.DELIVERY_TIMEOUT_S],
  ['at most # event streams', limits.OPEN_STREAMS],
  ['confidence of # or above', limits.SUSPICION_CONFIDENCE],
  ['newest # changes of an account', limits.EXPERIENCE_CHANGES],
  ['only fails for # days', limits.FAILING_DAYS],
  ['once, for # hours, and needs', limits.CONFIRM_HOURS],
  ['at most # requests to confirm', limits.MAILS_A_DAY.confirmations.ofAddress],
  ['gets no other for # days', limits.REFUSED_DAYS],
];

const PAGES = ['README.md', 'SECURITY.md', 'docs/*.md', 'docs/methods/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT }),
);

test('where the pages state a limit of the interface, they state the one that holds', () => {
  const text = PAGES.map((page) => [page, readFileSync(join(ROOT, page), 'utf8')] as const);
  for (const [phrase, ...allowed] of STATED)
    for (const [page, content] of text)
      for (const found of content.matchAll(new RegExp(phrase.replace('#', NUMBER), 'gi'))) {
        const stated = WORDS[found[1]!.toLowerCase()] ?? Number(found[1]!.replaceAll(',', ''));
        assert.ok(allowed.includes(stated), `${page}: "${found[0]}", expected ${allowed.join(' or ')}`);
      }
});

test('each phrase that is looked for is still written somewhere', () => {
  const text = PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
  const unused = STATED.filter(([phrase]) => !new RegExp(phrase.replace('#', NUMBER), 'i').test(text));
  assert.deepEqual(
    unused.map(([phrase]) => phrase),
    [],
  );
});

test('code takes the limits from here: no other file says them again', () => {
  const again: readonly RegExp[] = [
    new RegExp(limits.DELIVERY_SCHEDULE),
    /five days of|last 24 hours|last 30 days/,
    /\b(?:RATE_LIMIT|UNITS)\w* = 600\b/,
    /\b(?:TOKEN|LIFE)\w* = 3600\b/,
    /\b\w*VERTICES\w* = \d/,
    /\b\w*(?:KEEP|RETENTION|LIFE|AHEAD|PATIENCE|DELETION)\w* = (?:5|14|30|90) \* DAY_MS/i,
    /maximum: (?:1000|10_000|365|168|604_800)\b/,
  ];
  for (const file of globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: ROOT })) {
    if (file.endsWith('.test.ts') || file.endsWith('contract/limits.ts')) continue;
    for (const line of readFileSync(join(ROOT, file), 'utf8').split('\n'))
      for (const copy of again) assert.doesNotMatch(line, copy, `${file}: take it from contract/limits.ts`);
  }
});
