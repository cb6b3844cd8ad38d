import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { collectionRecord } from '../../test/fixtures/records.ts';
import { broken, flatGround, principal, testApp } from '../../test/fixtures/test-app.ts';
import type { Storage } from '../app/storage.ts';
import { answerTurns } from './answer-turns.ts';

const callOf = (accountId: string, socket = { destroyed: false }): FastifyRequest =>
  ({ principal: principal({ accountId }), raw: { socket } }) as unknown as FastifyRequest;

test('a call whose caller left while it waited for its turn ends there', async () => {
  const takeTurn = answerTurns();
  const socket = { destroyed: false };
  await takeTurn(callOf('a'));
  const waiting = takeTurn(callOf('a', socket));
  socket.destroyed = true;
  await assert.rejects(waiting, /The connection was closed/);
});

const collection = collectionRecord();
const scene = { id: 'scn_a', key: 'S2', sha256: 'ab', clearFraction: 1 };
let described = 0;
/** Reads in no time, so that only turns spread the answers. */
const collections = {
  readableOf: () => Promise.resolve([collection]),
  scenesOf: () =>
    Promise.resolve({
      items: Array.from({ length: 250 }, () => ({
        ...scene,
        get href() {
          described++;
          return 'a.tif';
        },
        observedAt: new Date(0),
        collectionId: collection.id,
      })),
      next: undefined,
    }),
  readable: () => Promise.resolve({ items: [], next: undefined }),
};
const storage = new Proxy<Storage>(broken(), {
  get: (from, name) => (name === 'collections' ? collections : Reflect.get(from, name)),
});

const countsOf = { '/stac/search?limit=1000': () => described / 250, '/v1/collections': undefined };

for (const [url, made] of Object.entries(countsOf))
  test(`a light call of another account is answered between large answers to ${url}`, async () => {
    await using app = await testApp({
      storage,
      layers: flatGround,
      authenticator: { authenticate: (text) => principal({ accountId: text! }) },
    });
    const light = { url: '/v1/risk?lat=1&lng=1&peril=flood', key: 'b' };
    await app.call({ url, key: 'a' });
    await app.call(light);
    let answered = 0;
    described = 0;
    const large = Array.from({ length: 10 }, async () => {
      const { status, text } = await app.call({ url, key: 'a' });
      assert.equal(status, 200, text);
      answered++;
    });
    await nextTurn();
    const { status } = await app.call(light);
    assert.equal(status, 200);
    const before = made?.() ?? answered;
    assert.ok(before <= 3, `${before} of 10 were made before`);
    await Promise.all(large);
  });

test('each step of reading a large body has a turn of the event loop for itself', async () => {
  await using app = await testApp({ storage, layers: flatGround });
  const turnsFor = async (characters: number): Promise<number> => {
    let [turns, isOver] = [0, false];
    const count = (): unknown => isOver || (turns++, setImmediate(count));
    count();
    const payload = { label: 'x'.repeat(characters) };
    const answers = Array.from({ length: 20 }, () => app.call({ method: 'POST', url: '/v1/aois', payload }));
    for (const { text } of await Promise.all(answers)) assert.match(text, /label: unknown field/);
    isOver = true;
    return turns;
  };
  const [small, large] = [await turnsFor(100), await turnsFor(100_000)];
  assert.ok(small < 40 && large >= 80, `${small} and ${large} turns`);
});
