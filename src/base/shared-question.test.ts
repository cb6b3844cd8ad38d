import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedQuestion } from './shared-question.ts';

test('callers of a moment share a question, and none gets an answer that was asked before they came', async () => {
  let asked = 0;
  const answers: (() => void)[] = [];
  const question = sharedQuestion(async () => {
    const mine = ++asked;
    await new Promise<void>((resolve) => answers.push(resolve));
    return mine;
  });
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const first = [question(), question()];
  await tick();
  const second = [question(), question(), question()];
  await tick();
  assert.equal(asked, 1);
  answers[0]!();
  assert.deepEqual(await Promise.all(first), [1, 1]);
  await tick();
  assert.equal(asked, 2);
  answers[1]!();
  assert.deepEqual(await Promise.all(second), [2, 2, 2]);
});

test('a question that fails fails for those who asked it, and the next is asked anew', async () => {
  let asked = 0;
  const question = sharedQuestion(() =>
    ++asked === 1 ? Promise.reject(new Error('lost')) : Promise.resolve(asked),
  );
  await assert.rejects(question(), /lost/);
  assert.equal(await question(), 2);
});
