import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meansOf, noiseSeenAs, possibleNoise, spectrum, worthOf } from './red-noise.ts';
import { redDraws } from '../../test/fakes/simulated-metric-series.ts';

test('the spectrum of red noise distributes its variance over the angles, most at 0', () => {
  for (const r of [0, 0.3, 0.7, 0.9])
    for (const steps of [1, 5]) {
      const noise = meansOf(r, steps);
      let sum = 0;
      for (let k = 0; k < 3600; k++) sum += spectrum(noise, Math.cos((Math.PI * (k + 0.5)) / 3600)) / 3600;
      assert.ok(Math.abs(sum - 1) < 1e-6, `${r}: ${sum}`);
      if (steps === 1) assert.ok(Math.abs(spectrum(noise, 1) - (1 + r) / (1 - r)) < 1e-9);
    }
});

test('means of five steps of a first-order process are correlated like simulated ones', () => {
  const draw = redDraws(77, 0.9);
  const means = Array.from({ length: 100_000 }, () => (draw() + draw() + draw() + draw() + draw()) / 5);
  const at = (lag: number) => {
    let [products, squares] = [0, 0];
    for (let i = lag; i < means.length; i++) {
      products += means[i]! * means[i - lag]!;
      squares += means[i]! ** 2;
    }
    return products / squares;
  };
  const { next, decay } = meansOf(0.9 ** 5, 5);
  for (const [lag, expected] of [
    [1, next],
    [2, next * decay],
    [3, next * decay * decay],
  ] as const)
    assert.ok(Math.abs(at(lag) - expected) < 0.02, `${lag}: ${at(lag)} is not ${expected}`);
});

test('the correlation of a process is recovered from residuals that a fit made less correlated', () => {
  assert.ok(Math.abs(noiseSeenAs(0.4, 100, [], 1).next - 0.4) < 1e-3, 'nothing fitted, nothing lost');
  // Each run subtracts the mean of 30 values from a process with correlation .6. The residuals have a lower
  // correlation, from which .6 is recovered.
  const [n, runs] = [30, 4000];
  let [products, squares] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const draw = redDraws(900 + run, 0.6);
    const values = Array.from({ length: n }, draw);
    const mean = values.reduce((a, b) => a + b) / n;
    for (let i = 1; i < n; i++) products += (values[i]! - mean) * (values[i - 1]! - mean);
    for (const value of values) squares += (value - mean) ** 2;
  }
  const seen = products / (n - 1) / (squares / n);
  assert.ok(seen < 0.57, `${seen}`);
  const found = noiseSeenAs(seen, n, [0], 1).next;
  assert.ok(Math.abs(found - 0.6) < 0.02, `${found} from ${seen}`);
});

const ANGLES = [0, 0, 0.27, 0.27];
const meanOf = (found: ReturnType<typeof possibleNoise>) =>
  found.reduce((sum, { weight, swallowed }) => sum + weight * swallowed, 0);

test('a fit absorbs its share of coefficients in white noise and more in red noise, where the residuals are also worth less', () => {
  const white = worthOf(meansOf(0, 1), 40, ANGLES);
  assert.deepEqual([white.swallowed, white.independence], [0.1, 0.9]);
  const red = worthOf(meansOf(0.7, 1), 40, ANGLES);
  assert.ok(red.swallowed > 0.4 && red.swallowed < 0.75, `${red.swallowed}`);
  assert.ok(red.independence < (1 - red.swallowed) * 0.4, `${red.independence}`);
});

test('many residuals determine their correlation, few leave it open, and an observed correlation of 0 does not exclude one', () => {
  const [few, many] = [possibleNoise(0.2, 29, 30, ANGLES, 1), possibleNoise(0.2, 2999, 3000, ANGLES, 1)];
  for (const found of [few, many])
    assert.ok(Math.abs(found.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-5);
  assert.ok(many.length <= 4, `${many.length}`);
  assert.ok(few.length > 6 && few[0]!.weight > 0.1, `${few.length}, ${few[0]!.weight}`);
  assert.ok(
    meanOf(few) > worthOf(meansOf(0.2, 1), 30, ANGLES).swallowed,
    'for all it tells, it may be far more',
  );
  const unseen = possibleNoise(-0.05, 29, 30, ANGLES, 1);
  assert.ok(unseen[0]!.weight > 0.5, 'two to one, and it looks like it');
  assert.ok(meanOf(unseen) > worthOf(meansOf(0, 1), 30, ANGLES).swallowed);
});

test('a fit with as many columns as residuals leaves no information', () => {
  assert.deepEqual(possibleNoise(0, 3, 4, ANGLES, 1), []);
});
