import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlationSeenAs, doubted, freedomInDoubt, spectrum } from './red-noise.ts';
import { redDraws } from './simulated-feed.ts';

test('the spectrum of a first-order process spreads its variance over the angles, most at 0', () => {
  for (const r of [0, 0.3, 0.7, 0.9]) {
    let sum = 0;
    for (let k = 0; k < 3600; k++) sum += spectrum(r, Math.cos((Math.PI * (k + 0.5)) / 3600)) / 3600;
    assert.ok(Math.abs(sum - 1) < 1e-6, `${r}: ${sum}`);
    assert.ok(Math.abs(spectrum(r, 1) - (1 + r) / (1 - r)) < 1e-9);
  }
});

test('the correlation of a process is found from residuals that a fit made less correlated', () => {
  assert.ok(Math.abs(correlationSeenAs(0.4, 100, []) - 0.4) < 1e-3, 'nothing fitted, nothing lost');
  // Means of 30 in a row taken out of a process of .6: what is left shows less, and tells .6 all the same.
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
  const found = correlationSeenAs(seen, n, [0]);
  assert.ok(Math.abs(found - 0.6) < 0.02, `${found} from ${seen}`);
});

test('doubt raises a correlation the more the fewer pairs tell it, none that is not there, and never to certainty', () => {
  assert.equal(doubted(0, 50), 0);
  assert.ok(doubted(0.6, 20) > doubted(0.6, 200) && doubted(0.6, 200) > 0.6);
  assert.ok(doubted(0.89, 5) <= 0.9);
});

test('a spread that rests on an uncertain correlation has fewer degrees of freedom, white noise those it had', () => {
  const with_ = (r: number, count: number) =>
    freedomInDoubt(20, { r, pairs: count - 1, count, angles: [0, 0, 0.27, 0.27] });
  assert.equal(with_(0, 40), 20);
  assert.ok(with_(0.7, 40) < 12, `${with_(0.7, 40)}`);
  assert.ok(with_(0.7, 400) > 19, `${with_(0.7, 400)}`);
  assert.ok(with_(0.3, 40) > with_(0.7, 40));
});
