import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainNearestMember } from '../../../test/oracles/nearest-member.ts';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { type BankTables, nearestMember } from './bank-kernel.ts';

const WAY = { quickScenes: 12, likeClip: 0.3, minLikeShared: 6 };
const [NEVER, UNSEEN] = [0x7ffffffe, 0x7fffffff];
const TIMES = 60;

/** A bank with gaps, departures and members without a list; some of its members are equal. */
function randomBank(members: number, seed: number): BankTables {
  const next = uniform(seed);
  const size = members * TIMES;
  const [values, knownSince] = [new Float32Array(size), new Int32Array(size).fill(UNSEEN)];
  for (let t = 0; t < TIMES; t++)
    for (let b = 0; b < members; b++) {
      const seen = next();
      if (seen < 0.3) continue;
      values[t * members + b] = b % 5 === 4 ? values[t * members + b - 1]! : 0.2 + 0.6 * next();
      knownSince[t * members + b] = seen < 0.4 ? NEVER : Math.min(TIMES, t + Math.floor(5 * next()));
    }
  const firsts = Int32Array.from({ length: size }, (_, i) => {
    const t = Math.floor(i / members);
    return t < 12 || next() < 0.1 ? NEVER : Math.floor(next() * next() * t);
  });
  return { pixels: Int32Array.from({ length: members }, (_, b) => 3 * b), values, knownSince, firsts };
}

test('the kernel chooses the same member of a bank as a plain loop', () => {
  const next = uniform(5);
  const chosen = new Set<number>();
  for (const members of [1, 2, 3, 4, 7, 100, 397, 400]) {
    const bank = randomBank(members, members);
    for (let round = 0; round < 60; round++) {
      const now = Math.floor(next() * TIMES);
      const scenes = Array.from({ length: now + 1 }, (_, t) => t).filter(() => next() < 0.6);
      const near = Math.floor(next() * members);
      const own = scenes.map((t) => bank.values[t * members + near]! + (next() < 0.5 ? 0 : 0.02 * next()));
      const expected = plainNearestMember(bank, now, scenes, own, scenes.length, WAY);
      assert.equal(
        nearestMember(bank, now, scenes, own, scenes.length, WAY),
        expected,
        `${members} members, scene ${now}`,
      );
      chosen.add(expected);
    }
  }
  assert.ok(chosen.has(-1) && chosen.size > 50, `${chosen.size} members were chosen`);
});

test('values far apart, and own values beyond them, are compared as in a plain loop', () => {
  const next = uniform(11);
  for (const [range, beyond] of [
    [3, 0.5],
    [300, 1],
    [1e6, 2],
  ] as const) {
    const bank = randomBank(90, range);
    for (let i = 0; i < bank.values.length; i++) bank.values[i]! *= range;
    for (let round = 0; round < 60; round++) {
      const now = 20 + Math.floor(next() * (TIMES - 20));
      const scenes = Array.from({ length: now + 1 }, (_, t) => t).filter(() => next() < 0.6);
      const near = Math.floor(next() * 90);
      const moved = range * beyond * (next() < 0.5 ? 0 : 2 * next() - 1);
      const own = scenes.map((t) => bank.values[t * 90 + near]! + moved + 0.3 * next());
      assert.equal(
        nearestMember(bank, now, scenes, own, scenes.length, WAY),
        plainNearestMember(bank, now, scenes, own, scenes.length, WAY),
        `range ${range}, moved by ${moved}`,
      );
    }
  }
});

test('the earlier of two equal members is chosen', () => {
  const members = 12;
  const values = new Float32Array(members * TIMES).fill(0.5);
  const bank = {
    pixels: new Int32Array(members),
    values,
    knownSince: new Int32Array(members * TIMES),
    firsts: new Int32Array(members * TIMES),
  };
  for (let b = 0; b < 6; b++) for (let t = 0; t < TIMES; t++) values[t * members + b] = 0.9;
  const scenes = Array.from({ length: 20 }, (_, t) => t);
  const own = scenes.map(() => 0.51);
  assert.equal(nearestMember(bank, 30, scenes, own, 20, WAY), 6);
});

test('members that single precision cannot tell apart are compared in double precision', () => {
  const next = uniform(11);
  const members = 40;
  const chosen = new Set<number>();
  for (const scale of [0.01, 1, 30]) {
    for (let round = 0; round < 100; round++) {
      const scenes = Array.from({ length: 20 }, (_, t) => t);
      const own = scenes.map(() => scale * (0.3 + 0.5 * next()));
      const step = scale * 2 ** -24; // half a step of single precision at `scale`
      const bank = {
        pixels: new Int32Array(members),
        values: Float32Array.from({ length: members * TIMES }, (_, i) => {
          const t = Math.floor(i / members);
          return (own[t] ?? 0) + 0.05 * scale + step * Math.round(4 * next());
        }),
        knownSince: new Int32Array(members * TIMES),
        firsts: new Int32Array(members * TIMES),
      };
      const expected = plainNearestMember(bank, 30, scenes, own, 20, WAY);
      assert.equal(nearestMember(bank, 30, scenes, own, 20, WAY), expected, `scale ${scale}, round ${round}`);
      chosen.add(expected);
    }
  }
  assert.ok(chosen.size > 30, `${chosen.size} members were chosen`);
});
