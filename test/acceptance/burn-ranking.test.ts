import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import {
  blockOf,
  coefficientsOf,
  countsOf,
  gammaShape,
  posteriorOf,
  ratesOf,
  standardErrors,
  USE_MEANS,
} from '../../scripts/fire/burn-fit.ts';
import { expectedFires } from '../../scripts/fire/fire-rate-fit.ts';
import type { Fire, FireRecord } from '../../scripts/fire/fire-record.ts';
import { readFireRecord } from '../../scripts/fire/fire-record.ts';
import { areaUnderCurveInterval } from '../../scripts/fire/ranking-skill.ts';
import { MONTH_SHARES } from '../fixtures/fire-months.ts';

const SHARED = join(import.meta.dirname, '../../../shared/data');

/** Reads the record of fires in Castilla-La Mancha. If it is absent, skips the test and returns null. */
function fireRecord(t: TestContext): FireRecord | null {
  const folder = join(SHARED, 'castilla-la-mancha-fires');
  if (existsSync(folder)) return readFireRecord(folder);
  t.skip(`${folder} is absent`);
  return null;
}

test('held-back fires of 2004-2007 are ranked by the fires of 1998-2003 (Castilla-La Mancha, spatstat.data clmfires)', (t) => {
  const record = fireRecord(t);
  if (record === null) return;
  const { cells } = record;
  const isEarly = (fire: Fire): boolean => fire.year < 2004;
  const isLate = (fire: Fire): boolean => !isEarly(fire);
  const errors = standardErrors(cells, 30, (drawn) => coefficientsOf(drawn, isEarly));
  const beliefs = posteriorOf(coefficientsOf(cells, isEarly), errors, USE_MEANS);
  const seen = countsOf(cells, isEarly);
  const rates = ratesOf(
    beliefs,
    cells,
    seen.reduce((sum, n) => sum + n, 0),
    6,
  );
  const shape = gammaShape(cells, rates, 6, isEarly);
  const late = countsOf(cells, isLate);
  const place = (cell: (typeof cells)[number], c: number): number => {
    const expected = expectedFires(cell, rates, 6);
    return (expected * (shape + seen[c]!)) / (shape + expected);
  };
  const items = cells.map((cell, c) => ({
    score: place(cell, c),
    fires: late[c]!,
    land: 1,
    block: blockOf(cell),
  }));
  const history = areaUnderCurveInterval(items, 200);
  assert.ok(history.low > 0.7, `AUC ${JSON.stringify(history)}`);
  t.diagnostic(`land use, slope and burn history: AUC ${JSON.stringify(history)}`);

  // The monthly shares of fires in the shipped table come from the whole decade. This test derives shares from the early years only.
  const early = cells.flatMap((cell) => cell.fires.filter(isEarly));
  const share = (month: number): number => early.filter((fire) => fire.month === month).length / early.length;
  const byMonth = cells.flatMap((cell) =>
    Array.from({ length: 12 }, (_, m) => ({
      score: share(m + 1),
      fires: cell.fires.filter((fire) => isLate(fire) && fire.month === m + 1).length,
      land: 1,
      block: blockOf(cell),
    })),
  );
  const months = areaUnderCurveInterval(byMonth, 200);
  assert.ok(months.low > 0.58, `AUC ${JSON.stringify(months)}`);
  t.diagnostic(`months: AUC ${JSON.stringify(months)}`);
  assert.ok(Math.abs(MONTH_SHARES.reduce((a, b) => a + b) - 1) < 2e-3);
  for (let month = 1; month <= 12; month++)
    assert.ok(Math.abs(share(month) - MONTH_SHARES[month - 1]!) < 0.035, `month ${month}`);
});

test('the shares of months rank the mapped fires of another country and year (Portugal 2020, eo-learn)', (t) => {
  const path = join(SHARED, 'portugal-burned-areas/burned_areas.geojson');
  if (!existsSync(path)) {
    t.skip(`${path} is absent`);
    return;
  }
  const { features } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly features: readonly { readonly properties: { readonly start_date: string } }[];
  };
  const fires = Array.from(
    { length: 12 },
    (_, m) => features.filter(({ properties }) => Number(properties.start_date.slice(5, 7)) === m + 1).length,
  );
  const items = fires.map((count, m) => ({
    score: MONTH_SHARES[m]!,
    fires: count,
    land: 1,
    block: `${m}`,
  }));
  const { auc, low, high } = areaUnderCurveInterval(items, 500);
  assert.ok(auc > 0.7, `${auc}`);
  t.diagnostic(
    `months of ${features.length} fires: AUC ${auc.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
  );
});
