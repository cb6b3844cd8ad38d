import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARAMETERS } from '../parameters.ts';
import { DESIGN_COLUMNS, SeasonalFit, seasonalDesign } from './seasonal-fit.ts';

const YEAR_MS = 365.25 * 86_400_000;
/** Times of the scenes: 20 per year for five years. */
const timesMs = Float64Array.from({ length: 100 }, (_, t) => (45 + t / 20) * YEAR_MS);
const design = seasonalDesign(timesMs);
const scenes = Int32Array.from({ length: 100 }, (_, t) => t);
const season = Float64Array.from(timesMs, (time) => {
  const phase = (2 * Math.PI * time) / YEAR_MS;
  return 0.6 + 0.15 * Math.cos(phase) - 0.08 * Math.sin(phase) + 0.04 * Math.cos(2 * phase);
});

test('the fit is the ridge solution: its normal equations hold', () => {
  const fit = new SeasonalFit(design);
  assert.ok(fit.fitHistory(scenes, season, 0, 100, true));
  assert.equal(fit.harmonics, 3);
  const penalties = [0, PARAMETERS.trendRidge, ...Array.from({ length: 6 }, () => PARAMETERS.ridge)];
  for (let c = 0; c < DESIGN_COLUMNS; c++) {
    let gradient = -penalties[c]! * fit.coefficients[c]!;
    for (let t = 0; t < 100; t++) {
      gradient += design[t * DESIGN_COLUMNS + c]! * (season[t]! - fit.expected(t));
    }
    // A coefficient has a relative rounding error of up to 2^-25, which affects all 100 rows.
    assert.ok(Math.abs(gradient) < 100 * 2 ** -25, `column ${c}: ${gradient}`);
  }
  assert.ok(Math.abs(fit.coefficients[0]! - 0.6) < 0.005);
  assert.ok(Math.abs(fit.coefficients[2]! - 0.15) < 0.005);
  assert.ok(Math.abs(fit.coefficients[3]! + 0.08) < 0.005);
});

test('clouds are left out: one in ten observations at zero moves the fit by less than .01', () => {
  const fit = new SeasonalFit(design);
  const clouded = season.map((value, t) => (t % 10 === 7 ? 0 : value + 0.01 * Math.sin(37 * t)));
  assert.ok(fit.fitHistory(scenes, clouded, 0, 100, false));
  assert.ok(fit.observations <= 90 && fit.observations > 80);
  assert.equal(fit.coefficients[1], 0);
  for (let t = 0; t < 100; t++) assert.ok(Math.abs(fit.expected(t) - season[t]!) < 0.01);
  assert.ok(fit.sigma < 0.012);
});

test('the leverage is the quadratic form with the inverse, by conjugate directions', () => {
  const fit = new SeasonalFit(design);
  const few = Int32Array.from([0, 3, 7, 12, 15, 18, 22, 25, 31, 36, 38, 44, 47, 52, 59]);
  assert.ok(
    fit.fitHistory(
      few,
      Float64Array.from(few, (t) => season[t]! + 0.02 * Math.cos(11 * t)),
      0,
      15,
      false,
    ),
  );
  assert.equal(fit.harmonics, 2);
  const columns = [0, 2, 3, 4, 5];
  const row = (t: number): number[] => columns.map((c) => design[t * DESIGN_COLUMNS + c]!);
  const rows = [...few].map(row);
  const apply = (x: readonly number[]): number[] =>
    x.map((value, i) => {
      const ridge = i === 0 ? 0 : PARAMETERS.ridge;
      return rows.reduce((sum, r) => sum + r[i]! * dot(r, x), ridge * value);
    });
  for (const scene of [5, 40, 77]) {
    const target = row(scene);
    assert.equal(fit.observations, 15);
    assert.ok(Math.abs(fit.leverage(scene) - dot(target, solve(apply, target))) < 1e-8);
  }
});

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

/** Computes (X'X + R)^-1 b by conjugate gradients, a different method from the tested code. */
function solve(apply: (x: readonly number[]) => number[], b: readonly number[]): number[] {
  let x = b.map(() => 0);
  let residual = [...b];
  let direction = [...b];
  for (let i = 0; i < 50 && dot(residual, residual) > 1e-24; i++) {
    const image = apply(direction);
    const before = dot(residual, residual);
    const step = before / dot(direction, image);
    x = x.map((value, j) => value + step * direction[j]!);
    residual = residual.map((value, j) => value - step * image[j]!);
    const ratio = dot(residual, residual) / before;
    direction = residual.map((value, j) => value + ratio * direction[j]!);
  }
  return x;
}

test('too few observations for a harmonic give no fit', () => {
  const fit = new SeasonalFit(design);
  assert.equal(fit.fitHistory(scenes, season, 0, 8, false), false);
  assert.equal(fit.fitHistory(scenes, season, 0, 9, false), true);
  assert.equal(fit.harmonics, 1);
});

test('the stable end of a history begins after an old shift, and is all of the history without a shift', () => {
  // The added waves have other periods than the season, so that the residuals are small but not 0.
  const noisy = season.map((value, t) => value + 0.01 * Math.sin(5 * t) + 0.008 * Math.cos(7.3 * t));
  const shifted = noisy.map((value, t) => (t < 40 ? value - 0.2 : value));
  const fit = new SeasonalFit(design);
  assert.ok(fit.fitHistory(scenes, shifted, 0, 100, false, true));
  // Backwards in time, the cumulative sum crosses its boundary only some scenes after it has passed the shift.
  assert.ok(fit.start > 20 && fit.start <= 40, `stable from scene ${fit.start}`);
  assert.ok(Math.abs(fit.expected(99) - season[99]!) < 0.02);
  assert.ok(fit.fitHistory(scenes, noisy, 0, 100, false, true));
  assert.equal(fit.start, 0);
});
