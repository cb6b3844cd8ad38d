import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastVisit } from './last-visit.ts';

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}
const at = (text: string) => Date.parse(text);

test('the last visit is that of the tab before, as long as this tab is open', () => {
  const lasting = storage();
  const [monday, tuesday] = [storage(), storage()];
  assert.equal(lastVisit('acme production', at('2026-11-23T08:00Z'), lasting, monday), undefined);
  assert.equal(lastVisit('acme production', at('2026-11-23T17:00Z'), lasting, monday), undefined);
  assert.equal(
    lastVisit('acme production', at('2026-11-24T08:00Z'), lasting, tuesday),
    '2026-11-23T17:00:00.000Z',
  );
  assert.equal(
    lastVisit('acme production', at('2026-11-24T09:00Z'), lasting, tuesday),
    '2026-11-23T17:00:00.000Z',
  );
  assert.equal(lastVisit('acme sandbox', at('2026-11-24T09:00Z'), lasting, tuesday), undefined);
});

test('a browser that keeps nothing, or something else, has no last visit', () => {
  const refusing = {
    getItem: (): never => {
      throw new Error('SecurityError');
    },
    setItem: () => undefined,
  };
  assert.equal(lastVisit('acme', 0, refusing, storage()), undefined);
  const lasting = storage();
  lasting.setItem('groundwatch-visit acme', 'yesterday');
  assert.equal(lastVisit('acme', 0, lasting, storage()), undefined);
});
