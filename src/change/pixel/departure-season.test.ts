import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JULIAN_YEAR_MS } from '../../base/time.ts';
import { StateReader } from '../state/state-reader.ts';
import { StateWriter } from '../state/state-writer.ts';
import { DepartureSeason } from './departure-season.ts';

/** Returns the middle of a part of a year [ms]: part 0 is the first half of January, part 23 the last of December. */
function time(year: number, part: number): number {
  return JULIAN_YEAR_MS * (year - 1970 + (part + 0.5) / 24);
}

/** A departure of 8 noise floors in the dry season of 2020: July and August, parts 12 to 15. */
function drySeason(): DepartureSeason {
  const season = new DepartureSeason();
  for (const part of [12, 13, 14, 15]) season.sawLow(time(2020, part), 8);
  return season;
}

/** Records normal observations in the given parts of a year. */
function normal(season: DepartureSeason, year: number, parts: readonly number[]): void {
  for (const part of parts) season.sawNormal(time(year, part));
}

test('a departure of the dry season is not over in the wet season, and is over in the next dry season', () => {
  const season = drySeason();
  normal(season, 2020, [17, 18, 19, 20, 21, 22, 23]);
  normal(season, 2021, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(season.isNormalAgain(4), false);
  // A normal observation also counts for the parts before and after its own: here 12 and 13, half of the four.
  normal(season, 2021, [12]);
  assert.equal(season.isNormalAgain(4), false);
  normal(season, 2021, [13]);
  assert.equal(season.isNormalAgain(4), true);
});

test('normal observations a few weeks after low ones do not count: it is still the same season', () => {
  const season = drySeason();
  normal(season, 2020, [13, 14, 15, 16]);
  assert.equal(season.isNormalAgain(4), false);
});

test('the turn of the year divides no season', () => {
  const season = new DepartureSeason();
  season.sawLow(time(2020, 23), 8);
  normal(season, 2021, [0]);
  assert.equal(season.isNormalAgain(4), false, 'two weeks later');
  normal(season, 2022, [0]);
  assert.equal(season.isNormalAgain(4), true, 'a year later');
});

test('a season that is low once more is no longer normal again', () => {
  const season = drySeason();
  normal(season, 2021, [12, 13]);
  assert.equal(season.isNormalAgain(4), true);
  season.sawLow(time(2021, 14), 8);
  assert.equal(season.isNormalAgain(4), false);
});

test('seasons with a smaller departure than asked for do not count', () => {
  const season = drySeason();
  for (const part of [0, 1, 2, 3]) season.sawLow(time(2021, part), 3);
  normal(season, 2021, [12, 13, 14, 15]);
  assert.equal(season.isNormalAgain(4), true);
  assert.equal(season.isNormalAgain(3), false, 'four of eight parts');
});

test('low in two months and normal in two others is a part of the year; less of either is not', () => {
  const season = drySeason();
  normal(season, 2020, [18, 19, 20]);
  assert.equal(season.isPartOfYear(4), false);
  normal(season, 2021, [12, 13]);
  assert.equal(season.isPartOfYear(4), false, 'normal in the season of the departure itself');
  normal(season, 2020, [21]);
  assert.equal(season.isPartOfYear(4), true);
  assert.equal(season.isPartOfYear(9), false, 'the departure had 8 noise floors');
  season.clear();
  normal(season, 2021, [18, 19, 20, 21]);
  assert.equal(season.isPartOfYear(4), false, 'nothing remains of a cleared season');
});

test('a saved season goes on as if it had not been saved', () => {
  const season = drySeason();
  normal(season, 2020, [18, 19, 20, 21]);
  normal(season, 2021, [12]);
  const writer = new StateWriter();
  season.fields(writer);
  const loaded = new DepartureSeason();
  loaded.sawLow(time(2019, 5), 20); // state of another pixel
  loaded.fields(new StateReader(writer.written()));
  for (const each of [season, loaded]) {
    assert.equal(each.isPartOfYear(4), true);
    assert.equal(each.isNormalAgain(4), false);
    normal(each, 2021, [13]);
    assert.equal(each.isNormalAgain(4), true);
  }
});
