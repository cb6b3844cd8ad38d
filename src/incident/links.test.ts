import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { farthestLink, LINKS_OF } from './links.ts';
import type { Phenomenon } from './phenomena.ts';

const NAMES: Readonly<Record<string, Phenomenon>> = {
  'moving ground': 'ground',
  buildings: 'building',
};

test('docs/incidents.md has the links of the code', () => {
  const text = readFileSync(new URL('../../docs/incidents.md', import.meta.url), 'utf8');
  const documented = new Set<string>();
  for (const [, kinds, days, km] of text.matchAll(/^\| ([a-z][^|]+?) +\| +(\d+) +\| +([\d.]+) +\|$/gm)) {
    const pairs = kinds!.startsWith('metrics') ? ['other and other'] : kinds!.split(', ');
    for (const pair of pairs) {
      const [a, b] = pair.split(' and ').map((name) => NAMES[name] ?? name);
      documented.add([`${a} ${b}`, `${b} ${a}`].toSorted()[0]! + ` ${days} ${km}`);
    }
  }
  const coded = [...LINKS_OF].flatMap(([a, links]) =>
    [...links].map(
      ([b, { gapMs, reachM }]) =>
        `${[`${a} ${b}`, `${b} ${a}`].toSorted()[0]!} ${gapMs / DAY_MS} ${reachM / 1000}`,
    ),
  );
  assert.deepEqual([...documented].toSorted(), [...new Set(coded)].toSorted());
});

test('the farthest link of a phenomenon bounds all its links', () => {
  assert.deepEqual(farthestLink('air'), { gapMs: 7 * DAY_MS, reachM: 25_000 });
  assert.deepEqual(farthestLink('fire'), { gapMs: 30 * DAY_MS, reachM: 25_000 });
});
