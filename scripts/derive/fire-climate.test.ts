import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BurningCountry, fitBurnedShares } from './burned-land.ts';
import { buildingRatio } from './fire-climate.ts';

test('the fit finds the shares of zones that made the burned land of countries, and the ratio of an odd one', () => {
  const shares = [0, 0.1, 0.01, 0.001];
  const countries: BurningCountry[] = Array.from({ length: 30 }, (_, i) => {
    const landKm2 = new Float64Array(32);
    landKm2[1] = 1e5 * ((i % 3) + 0.1);
    landKm2[2] = 1e5 * ((i % 5) + 0.1);
    landKm2[3] = 1e5 * ((i % 7) + 0.1);
    const burned = landKm2[1] * shares[1]! + landKm2[2] * shares[2]! + landKm2[3] * shares[3]!;
    return { numeric: i + 1, landKm2, burnedKm2: i === 7 ? burned / 10 : burned };
  });
  // A prior off by a factor of two hardly matters beside thirty countries.
  const { zones, countries: ratios } = fitBurnedShares(countries, (zone) => 2 * (shares[zone] ?? 0.01));
  for (const zone of [1, 2]) {
    const log = Math.log(zones[zone]! / shares[zone]!);
    assert.ok(Math.abs(log) < 0.4, `zone ${zone}: ${zones[zone]}`);
  }
  const odd = ratios.get(8)! / ratios.get(10)!;
  assert.ok(odd > 0.05 && odd < 0.2, `${odd}`);
  assert.equal(zones[9], 0.02, 'a zone without land keeps its prior');
});

test('buildings burn less where people are many: as burned area at first, less steeply in towns, most in grass', () => {
  assert.equal(buildingRatio(0, 0.12), 1);
  for (const loss of [0.003, 0.02, 0.12]) {
    const slope = (1 - buildingRatio(0.1, loss)) / 0.1;
    assert.ok(Math.abs(slope - 0.0168) < 1e-4, `${slope}`); // Knorr et al. 2014
    for (const people of [10, 100, 1000]) {
      assert.ok(buildingRatio(people, loss) > Math.exp(-0.0168 * people));
      assert.ok(buildingRatio(10 * people, loss) < buildingRatio(people, loss));
    }
  }
  assert.ok(buildingRatio(5000, 0.12) > 4 * buildingRatio(5000, 0.003));
  assert.ok(buildingRatio(10_000, 0.12) < 0.03);
});
