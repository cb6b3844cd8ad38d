import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flatGround, testApp } from '../../../test/fixtures/test-app.ts';

const PERILS = ['flood', 'storm', 'wildfire', 'subsidence'];
const locations = Array.from({ length: 1000 }, (_, i) => ({
  lat: ((i * 7.3) % 160) - 80,
  lng: ((i * 13.7) % 360) - 180,
  peril: PERILS[i % 4]!,
}));

test('a large explained batch is computed in many turns, and answers what its parts do', async () => {
  await using app = await testApp({ layers: flatGround });
  const batch = async (places: readonly object[]): Promise<readonly unknown[]> => {
    const payload = { locations: places };
    const answer = await app.call({ method: 'POST', url: '/v1/risk/batch?explain=true', payload, key: 'x' });
    assert.equal(answer.status, 200, answer.text);
    return answer.json()['results'] as readonly unknown[];
  };
  await batch(locations);
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const whole = await batch(locations);
  isOver = true;
  assert.ok(turns >= 13, `${turns} turns`);
  assert.equal(whole.length, locations.length);
  for (const from of [0, 150, 990]) {
    const some = locations.slice(from, from + 10);
    assert.deepEqual(await batch(some), whole.slice(from, from + 10));
  }
});
