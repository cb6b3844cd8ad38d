import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hollandB,
  hollandBFromMaxWind,
  hollandBFromMaxWindUnclipped,
  hollandMaxWind,
  hollandWind,
  maxWindRadiusFromWindKm,
  maxWindRadiusKm,
} from './holland.ts';

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('b from the observed wind equals the reference of methods.md (Holland 2008, rho 1.15)', () => {
  near(hollandBFromMaxWindUnclipped(15, 35), 2.5529, 5e-5);
  assert.equal(hollandBFromMaxWind(15, 35), 2.5);
  near(hollandBFromMaxWind(30, 40), 1.667213, 5e-7);
});

test('the profile equals the reference of methods.md (Holland, Belanger & Fritz 2010: R 75 km, 35 m/s, b 1.75)', () => {
  const expected = [
    [0, 0],
    [75, 35],
    [220, 21.181497],
    [300, 17],
    [490, 12.103461],
  ] as const;
  for (const [r, wind] of expected) near(hollandWind(r, 75, 35, 1.75), wind, 5e-7);
});

test('b from the pressure drop follows Holland 2008, equation 11, worked by hand', () => {
  // dp 50 hPa, deepening 1 hPa/h, 20 N, 5 m/s: x = .6 (1 - 50/215) = .4604651163, 5^x = 2.0983...
  const x = 0.6 * (1 - 50 / 215);
  const byHand = -0.11 + 0.5 + 0.03 - 0.28 + 0.15 * Math.exp(x * Math.log(5)) + 1;
  near(hollandB(50, 1, 20, 5), byHand, 1e-12);
  near(byHand, 1.4547, 2e-4);
  assert.equal(hollandB(50, 1, -20, 5), hollandB(50, 1, 20, 5), 'both hemispheres alike');
  assert.equal(hollandB(1, -20, 60, 0), 1, 'clipped from below');
});

test('maximum wind and b from the wind are inverse functions', () => {
  for (const b of [1.1, 1.5, 2.4]) near(hollandBFromMaxWindUnclipped(45, hollandMaxWind(45, b)), b, 1e-12);
});

test('the radius of maximum wind passes through the fitted points of methods.md and is constant beyond them', () => {
  near(maxWindRadiusKm(872), 14.9073 * 1.852, 1e-9);
  near(maxWindRadiusKm(940), 15.7269 * 1.852, 1e-9);
  near(maxWindRadiusKm(980), 25.7421 * 1.852, 1e-9);
  near(maxWindRadiusKm(1021), 56.8565 * 1.852, 1e-9);
  assert.equal(maxWindRadiusKm(800), maxWindRadiusKm(872));
  assert.equal(maxWindRadiusKm(1040), maxWindRadiusKm(1021));
});

test('outside the radius of maximum wind the wind never rises with distance, and it rises with the storm', () => {
  for (const vmax of [18, 25, 40, 70, 85]) {
    let last = Infinity;
    for (let r = 40; r <= 600; r += 5) {
      const wind = hollandWind(r, 40, vmax, 1.6);
      assert.ok(wind <= last + 1e-9, `${wind} after ${last} at ${r} km of ${vmax} m/s`);
      assert.ok(Number.isFinite(wind) && wind >= 0 && wind <= vmax + 1e-9);
      last = wind;
    }
  }
  for (let r = 5; r < 290; r += 15) assert.ok(hollandWind(r, 40, 60, 1.6) > hollandWind(r, 40, 45, 1.6));
});

test('without a pressure the radius follows from wind and latitude (Willoughby, Darling & Rahn 2006)', () => {
  near(maxWindRadiusFromWindKm(0, 0), 46.4, 1e-12);
  near(maxWindRadiusFromWindKm(50, 20), 29.97, 0.01); // 46.4 exp(-0.775 + 0.338)
  assert.equal(maxWindRadiusFromWindKm(50, -20), maxWindRadiusFromWindKm(50, 20));
});
