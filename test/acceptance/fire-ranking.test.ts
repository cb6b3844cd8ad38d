import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFireRecord, LAND_USES, FIRST_YEAR } from '../../scripts/fire/fire-record.ts';
import { areaUnderCurveInterval, type Scored } from '../../scripts/fire/ranking-skill.ts';
import { blockOf } from '../../scripts/fire/burn-fit.ts';
import { burnRate } from '../../src/risk/wildfire/burn-rate.ts';
import { fuelOf } from '../../src/risk/wildfire/fire-fuel.ts';
import { MONTH_SHARES } from '../fixtures/fire-months.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/data/castilla-la-mancha-fires');

/** CORINE codes of the land uses, in the order of the record. */
const CORINE = [112, 211, 231, 311, 312, 313, 321, 322, 324];
/** Number of years at the start of the record that this test uses as the fire history. */
const EARLY_YEARS = 6;
const CELL_KM2 = 100;
/**
 * Inputs of the burn rate for the fire season of La Mancha, June to September. They are the same for all cells, so they
 * do not affect the ranking.
 */
const SEVERITY = { severity: 14, severityError: 0.14, coverError: 0, recordYears: EARLY_YEARS };

test('burn rates rank the fires of 2004-2007 by what burned in 1998-2003, cover, slope and month (Castilla-La Mancha, clmfires)', (t) => {
  if (!existsSync(FOLDER)) return t.skip(`${FOLDER} is absent`);
  assert.equal(LAND_USES.length, CORINE.length);
  const { cells } = readFireRecord(FOLDER);
  const isEarly = ({ year }: { readonly year: number }): boolean => year < FIRST_YEAR + EARLY_YEARS;
  /** Returns the mean burn rate over the parts of a cell, given the fire history of the cell. */
  const rateOf = (
    cell: (typeof cells)[number],
    known: { burnHistory: number; fireFrequency: number },
  ): number =>
    cell.parts.reduce(
      (sum, { use, slope }) =>
        sum +
        burnRate({ ...SEVERITY, ...known, fuel: fuelOf(CORINE[use]!)!, slope }).mean / cell.parts.length,
      0,
    );
  const aucOf = (score: (cell: (typeof cells)[number]) => number) => {
    const scored: Scored[] = cells.flatMap((cell) =>
      Array.from({ length: 12 }, (_, m) => ({
        score: score(cell) * MONTH_SHARES[m]!,
        fires: cell.fires.filter((fire) => !isEarly(fire) && fire.month === m + 1).length,
        land: 1,
        block: blockOf(cell),
      })),
    );
    return areaUnderCurveInterval(scored, 100);
  };
  const none = { burnHistory: Number.NaN, fireFrequency: Number.NaN };
  const counted = aucOf((cell) => {
    const fires = cell.fires.filter(isEarly).length;
    return rateOf(cell, { ...none, fireFrequency: fires / CELL_KM2 / EARLY_YEARS });
  });
  const burned = aucOf((cell) => {
    const km2 = cell.fires.filter(isEarly).reduce((sum, { areaHa }) => sum + areaHa / 100, 0);
    return rateOf(cell, { ...none, burnHistory: km2 / CELL_KM2 / EARLY_YEARS });
  });
  const covered = aucOf((cell) => rateOf(cell, none));
  t.diagnostic(JSON.stringify({ counted, burned, covered }));
  assert.ok(counted.low > 0.72 && counted.auc > 0.75, `number of fires: ${JSON.stringify(counted)}`);
  assert.ok(burned.low > 0.65 && burned.auc > 0.68, `land burned: ${JSON.stringify(burned)}`);
  assert.ok(
    covered.low > 0.57 && covered.auc < burned.auc,
    `cover, slope and month: ${JSON.stringify(covered)}`,
  );
});
