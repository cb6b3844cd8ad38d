import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationError } from '../../../bench/accuracy/calibration-error.ts';
import { Random } from '../../../bench/calibration/simulated-case.ts';
import { experienceOf, movedBy } from './experience.ts';

const PRIOR = { variance: 0.6, falseStanding: 0.46 };

test('without fates nothing moves, to the bit', () => {
  assert.deepEqual(experienceOf(0, 0, Number.NaN), { claims: 0, stood: 0, stated: 0, shift: 0 });
  for (const confidence of [0, 0.003, 0.5, 0.95, 0.9999, 1]) assert.equal(movedBy(confidence, 0), confidence);
});

test('40 claims stated at .95 of which 31 stood move a confidence of .95 to .75', () => {
  const { shift, ...counts } = experienceOf(40, 31, 0.95, PRIOR);
  assert.deepEqual(counts, { claims: 40, stood: 31, stated: 0.95 });
  // Expected to stand: .95 + .05 * .46 = .973, log-odds 3.5845. The log-odds with which claims stand here are 1.7469, a
  // share of .85157. Then 3.063 claims more would stand than the 31 that did, and 1.8376 / .6 = 3.063 is the pull of the
  // prior.
  assert.ok(Math.abs(shift + 1.8376) < 1e-4, `shift ${shift}`);
  assert.ok(Math.abs(movedBy(0.95, shift) - 0.7515) < 1e-4);
});

test('as many as expected move nothing, and many claims move to the share that stood', () => {
  assert.ok(Math.abs(experienceOf(100, 73, 0.5, PRIOR).shift) < 1e-9); // .5 + .5 * .46 = .73
  const { shift } = experienceOf(1_000_000, 600_000, 0.5, PRIOR);
  assert.ok(Math.abs(shift - Math.log(0.6 / 0.4 / (0.73 / 0.27))) < 1e-4);
});

test('a confidence rises with what stood and with what the model states, and stays within its bounds', () => {
  for (const claims of [1, 5, 40, 10_000]) {
    const shifts = Array.from(
      { length: 21 },
      (_, i) => experienceOf(claims, (claims * i) / 20, 0.8, PRIOR).shift,
    );
    for (const [i, shift] of shifts.entries())
      if (i > 0) assert.ok(shift > shifts[i - 1]!, `${i} of 20 parts of ${claims}`);
  }
  const { shift } = experienceOf(1_000_000, 0, 0.99, PRIOR);
  assert.equal(movedBy(0.99, shift), 0.01);
  assert.equal(movedBy(0.9, 50), 0.99);
  assert.ok(movedBy(0.8, -1) < movedBy(0.81, -1));
});

test('more fates of the same kind move further, and one fate moves little', () => {
  const falls = [0, 1, 2, 3, 10, 100].map((n) => movedBy(0.9, experienceOf(n, 0, 0.9, PRIOR).shift));
  for (const [i, fall] of falls.entries()) if (i > 0) assert.ok(fall < falls[i - 1]!);
  assert.ok(0.9 - falls[1]! < 0.07, `one claim that passed: ${falls[1]}`);
  assert.ok(falls[5]! < 0.2, `a hundred claims that passed: ${falls[5]}`);
  assert.ok(movedBy(0.9, experienceOf(1, 1, 0.9, PRIOR).shift) - 0.9 < 0.005);
});

test('impossible counts and confidences are refused', () => {
  for (const [claims, stood, stated] of [
    [3, 4, 0.5],
    [3, -1, 0.5],
    [3, Number.NaN, 0.5],
    [3, 2, 0],
    [3, 2, 1],
    [3, 2, Number.NaN],
  ] as const)
    assert.throws(() => experienceOf(claims, stood, stated), RangeError);
});

/**
 * Calibration error of 4,000 further claims of a simulated installation, by the model alone and moved by 60 fates. The
 * model states log-odds that are wrong by `bias`, and of the false claims a share stands.
 */
function errorsOf(random: Random, bias: number, falseStanding: number): [alone: number, moved: number] {
  const claim = () => {
    const confidence = 0.2 + 0.75 * random.uniform();
    const odds = (confidence / (1 - confidence)) * Math.exp(bias);
    const isTrue = random.uniform() < odds / (1 + odds);
    return { confidence, isTrue, hasStood: isTrue || random.uniform() < falseStanding };
  };
  const old = Array.from({ length: 60 }, claim);
  const { shift } = experienceOf(
    old.length,
    old.filter(({ hasStood }) => hasStood).length,
    old.reduce((sum, { confidence }) => sum + confidence, 0) / old.length,
  );
  const further = Array.from({ length: 4000 }, claim);
  const truths = further.map(({ isTrue }) => isTrue);
  const stated = further.map(({ confidence }) => confidence);
  return [
    calibrationError(stated, truths),
    calibrationError(
      stated.map((confidence) => movedBy(confidence, shift)),
      truths,
    ),
  ];
}

test('further claims of a biased installation are better calibrated, also where more or fewer false claims stand', () => {
  const random = new Random(20_261_123);
  const rows = [-2, -1, 1].flatMap((bias) => [0.3, 0.46, 0.6].map((share) => ({ bias, share })));
  for (const { bias, share } of rows) {
    const errors = Array.from({ length: 40 }, () => errorsOf(random, bias, share));
    const [alone, moved] = [0, 1].map((i) => errors.reduce((sum, pair) => sum + pair[i]!, 0) / errors.length);
    assert.ok(
      moved! < alone!,
      `bias ${bias}, ${share} stand: ${alone!.toFixed(3)}, moved ${moved!.toFixed(3)}`,
    );
  }
});

test('an installation whose confidence was right stays about right', () => {
  const random = new Random(7);
  const errors = Array.from({ length: 40 }, () => errorsOf(random, 0, 0.46)[1]);
  const error = errors.reduce((sum, one) => sum + one, 0) / errors.length;
  assert.ok(error < 0.06, `calibration error ${error.toFixed(3)}`);
});
