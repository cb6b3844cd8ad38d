import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MapAccuracy, type LabelledUnit } from './map-accuracy.ts';
import { interval95, stratifiedRatio } from './ratio-estimator.ts';

const near = (got: number, expected: number, within: number): void =>
  assert.ok(Math.abs(got - expected) <= within, `${got}, expected ${expected} within ${within}`);

test('accuracies and intervals equal the worked example of Olofsson et al. 2014 (table 8 and page 54)', () => {
  const classes = ['deforestation', 'forest gain', 'stable forest', 'stable non-forest'];
  const counts = [
    [66, 0, 5, 4],
    [0, 55, 8, 12],
    [1, 0, 153, 11],
    [2, 1, 9, 313],
  ];
  const sizes = new Map(classes.map((name, i) => [name, [200_000, 150_000, 3_200_000, 6_450_000][i]!]));
  const units: LabelledUnit[] = counts.flatMap((row, i) =>
    row.flatMap((count, j) =>
      Array.from({ length: count }, () => ({
        stratum: classes[i]!,
        mapped: classes[i]!,
        reference: classes[j]!,
      })),
    ),
  );
  const accuracy = new MapAccuracy(units, sizes);
  const printed = [
    { users: [0.88, 0.07], producers: [0.75, 0.21], hectares: [21_158, 6158] },
    { users: [0.73, 0.1], producers: [0.85] },
    { users: [0.93, 0.04], producers: [0.93, 0.03] },
    { users: [0.96, 0.02], producers: [0.96] },
  ];
  near(accuracy.overall().value, 0.95, 0.005);
  near(1.96 * accuracy.overall().standardError, 0.02, 0.005);
  for (const [i, { users, producers, hectares }] of printed.entries()) {
    const found = accuracy.of(classes[i]!);
    near(found.users.value, users[0]!, 0.005);
    near(1.96 * found.users.standardError, users[1]!, 0.005);
    near(found.producers.value, producers[0]!, 0.005);
    if (producers.length > 1) near(1.96 * found.producers.standardError, producers[1]!, 0.005);
    if (hectares === undefined) continue;
    const total = 10_000_000 * 0.09; // [ha]; a 30 m pixel has 0.09 ha
    near(found.area.value * total, hectares[0]!, 1);
    near(1.96 * found.area.standardError * total, hectares[1]!, 1);
  }
});

test('strata that are not the classes of the map give the results of Stehman 2014 (table 2 and pages 4932 to 4936)', () => {
  const spell = (text: string): string[] => text.split('');
  const strata = spell('AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDD');
  const mapped = spell('AAAAAAABBBABBBBBBBBBBBCCCCCCBBDDDDDDDDDD');
  const reference = spell('AAAAACBABCABBBBBAABBCCCCCDDBBADDDDDDDCCB');
  const units = strata.map((stratum, i) => ({ stratum, mapped: mapped[i]!, reference: reference[i]! }));
  const sizes = new Map([
    ['A', 40_000],
    ['B', 30_000],
    ['C', 20_000],
    ['D', 10_000],
  ]);
  const accuracy = new MapAccuracy(units, sizes);
  const b = accuracy.of('B');
  near(accuracy.overall().value, 0.63, 0.0005);
  near(accuracy.overall().standardError, 0.085, 0.0005);
  near(accuracy.of('A').area.value, 0.35, 0.0005);
  near(accuracy.of('A').area.standardError, 0.082, 0.0005);
  near(accuracy.of('C').area.value, 0.2, 0.0005);
  near(accuracy.of('C').area.standardError, 0.064, 0.0005);
  near(b.users.value, 0.574, 0.0005);
  near(b.users.standardError, 0.125, 0.001);
  near(b.producers.value, 0.794, 0.0005);
  near(b.producers.standardError, 0.114, 0.003);
});

test('score intervals of 81 of 263, 15 of 148, 0 of 20 and 1 of 29 equal Newcombe 1998 (table I, method 3)', () => {
  for (const [hits, units, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const) {
    const value = hits / units;
    const ends = interval95({ value, standardError: Math.sqrt((value * (1 - value)) / units), units });
    near(ends[0], low, 0.00005);
    near(ends[1], high, 0.00005);
  }
});

test('a class without units has no accuracy; a single unit has no standard error and a wide interval', () => {
  assert.ok(Number.isNaN(stratifiedRatio([{ size: 1, y: [0, 0], x: [0, 0] }]).value));
  const single = stratifiedRatio([
    { size: 1, y: [1], x: [1] },
    { size: 1, y: [0, 0], x: [0, 0] },
  ]);
  assert.deepEqual([single.value, single.units, Number.isNaN(single.standardError)], [1, 1, true]);
  assert.ok(interval95(single)[0] < 0.25 && interval95(single)[1] === 1);
  assert.throws(
    () => new MapAccuracy([{ stratum: 'x', mapped: 'a', reference: 'a' }], new Map()),
    /stratum x/,
  );
});
