import assert from 'node:assert/strict';
import { test } from 'node:test';
import { europeanStock, type Figure, publishedFigures } from './figures.ts';
import { hasShared } from './tables.ts';

const SETS = [
  'europe-flood-losses',
  'cyclone-damage-by-region',
  'us-expected-annual-loss',
  'us-billion-dollar-disasters',
];
const skip = SETS.every(hasShared) ? false : 'the shared data sets are absent';

/** The figures of a peril by name. */
function figuresOf(peril: string): Map<string, Figure> {
  return new Map(
    publishedFigures().flatMap((figure) => (figure.peril === peril ? [[figure.name, figure]] : [])),
  );
}

function assertNear(found: number | undefined, expected: number, share = 0.01): void {
  assert.ok(Math.abs(found! / expected - 1) <= share, `${found}, expected ${expected}`);
}

test(
  'the ratios of the United States are those that the sets state (per mille of all building value)',
  { skip },
  () => {
    assertNear(figuresOf('flood').get('United States')!.high, (0.901 + 0.013) / 1000);
    assertNear(figuresOf('flood').get('United States')!.low, 4.51e9 / 69.89e12);
    assertNear(figuresOf('wildfire').get('California')!.high, 0.22 / 1000);
    assertNear(figuresOf('wildfire').get('Florida')!.high, 0.027 / 1000, 0.02);
    assertNear(figuresOf('wildfire').get('United States')!.high, 5.37e9 / 69.89e12);
    assertNear(figuresOf('storm').get('United States')!.high, 34.28e9 / 69.89e12);
  },
);

test(
  'cyclone regions have the reported share of their assets, and the countries of the fit',
  { skip },
  () => {
    const storm = figuresOf('storm');
    assertNear(storm.get('Philippines')!.low, 1.75 / 1000);
    assertNear(storm.get('USA and Canada')!.low, 0.3167 / 1000);
    assert.deepEqual(storm.get('Philippines')!.members, ['PHL']);
    assert.equal(storm.get('North West Pacific')!.members.length, 5);
  },
);

test(
  'floods of Europe are joined by their own country codes, and means that miss losses are lower bounds',
  { skip },
  () => {
    const flood = figuresOf('flood');
    assert.deepEqual(flood.get('United Kingdom')!.members[0], 'GBR');
    assert.deepEqual(flood.get('Greece')!.members, ['GRC']);
    for (const name of ['Greece', 'Portugal', 'Serbia'])
      assert.equal(flood.get(name)!.standing, 'lower bound');
    for (const name of ['Italy', 'Germany', 'Czechia']) assert.equal(flood.get(name)!.standing, 'test');
    assertNear(flood.get('Germany')!.low, 0.7715 / europeanStock().get('DEU')!);
  },
);

test("Ireland's stock is near the net stock that its statistical office states (1,014 billion euro in 2019)", () => {
  assertNear(europeanStock().get('IRL'), 1014, 0.5);
});
