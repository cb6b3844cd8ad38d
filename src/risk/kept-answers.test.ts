import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptAnswers } from './kept-answers.ts';

const answer = (riskScore: number) => ({ riskScore, confidence: 0.5, expectedAnnualDamageRatio: 0.001 });

test('an answer is found by both of its numbers, NaN included; old answers leave when there are very many', () => {
  const kept = new KeptAnswers();
  const first = kept.keep(15, Number.NaN, answer(0.1));
  kept.keep(Number.NaN, 15, answer(0.2));
  assert.equal(kept.get(15, Number.NaN), first);
  assert.equal(kept.get(Number.NaN, 15)?.riskScore, 0.2);
  assert.equal(kept.get(15, 15), undefined);
  let found = 0;
  for (let i = 0; i < 20_000; i++) kept.keep(15, i, answer(i));
  for (let i = 0; i < 20_000; i++) if (kept.get(15, i)?.riskScore === i) found++;
  assert.ok(found > 0 && found <= 4096, `${found} answers`);
  assert.equal(kept.get(15, Number.NaN), undefined);
});
