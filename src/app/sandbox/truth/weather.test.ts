import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { LIVE_FROM } from '../../../sandbox/events.ts';
import { dayOf, makeWeather, SPELLS } from '../../../sandbox/weather.ts';
import { makeWorld } from '../../../sandbox/world.ts';
import { type AnomalyJudgement, judgeAnomalies, plantedSpells, type TrueSpell } from './anomalies.ts';
import { rareWeather } from './weather.ts';
import { stationAnomalies } from '../../../../test/fakes/simulated-station-anomalies.ts';

const SEED = 7;

let spells: readonly TrueSpell[];
before(() => {
  spells = rareWeather(SEED, LIVE_FROM);
});

describe('rare weather of the simulated region', () => {
  const of = (metric: string, side: 1 | -1): readonly TrueSpell[] =>
    spells.filter(({ signs }) => signs[metric] === side);
  const daysOf = (some: readonly TrueSpell[]): number =>
    some.reduce((days, { from, to }) => days + to! - from + 1, 0);

  test('a day is rare when fewer than 1 % of the days around its date in thirty years are more extreme', () => {
    const [first] = of('gust', 1);
    const date = (day: number): number => (day - dayOf(2022, 1, 1) + 0.5) % 365.25;
    const near = makeWeather(SEED, 0, dayOf(1992, 1, 1))
      .map(({ gustMps }, i) => ({ gustMps, apart: Math.abs(date(first!.from - dayOf(1992, 1, 1) - i)) }))
      .filter(({ apart }) => Math.min(apart, 365.25 - apart) <= 15.6);
    const gust = makeWeather(SEED, first!.from + 1)[first!.from]!.gustMps;
    const beyond = near.filter(({ gustMps }) => gustMps >= gust).length / near.length;
    assert.ok(beyond <= 0.011, `${beyond} of ${near.length} days`);
    // About 1 % of the days of three years are expected to be that windy, including the two days of the planted storm.
    assert.ok(daysOf(of('gust', 1)) > 4 && daysOf(of('gust', 1)) < 30, `${daysOf(of('gust', 1))} days`);
  });

  test('planted weather is rare in the metrics that it affects', () => {
    for (const [what, metric, side] of [
      ['heat', 'temperature', 1],
      ['storm', 'gust', 1],
      ['storm', 'wind', 1],
      ['deluge', 'precipitation', 1],
      ['deluge', 'river_flow', 1],
      ['drought', 'fwi', 1],
      ['cold', 'temperature', -1],
    ] as const)
      for (const { from, to } of SPELLS.filter((spell) => spell.what === what))
        assert.ok(
          of(metric, side).some((spell) => spell.from <= to && spell.to! >= from),
          `${what} in ${metric}`,
        );
  });

  test('a dry day is never rare, but a month without rain may be', () => {
    assert.deepEqual(of('precipitation', -1), []);
    assert.ok(of('precipitation_30d', -1).length > 0);
  });
});

describe('anomalies at the stations of the simulated region', () => {
  let judged: AnomalyJudgement;
  before(() => {
    const world = makeWorld(SEED, LIVE_FROM);
    judged = judgeAnomalies(
      plantedSpells([], LIVE_FROM),
      spells,
      stationAnomalies(world, LIVE_FROM).filter(({ metric }) => !metric.startsWith('displacement')),
    );
  });

  test('at least four in five match a planted spell or rare weather', () => {
    const { anomalies, onPlanted, onRareWeather, falseShare } = judged.claims;
    assert.ok(anomalies >= 20, `${anomalies} anomalies`);
    assert.ok(onPlanted >= 0.3 * anomalies, `${onPlanted} of ${anomalies} on something planted`);
    assert.ok(falseShare! <= 0.2, `${anomalies - onPlanted - onRareWeather} of ${anomalies} on neither`);
  });

  test('every planted spell after the first year of the series is found', () => {
    const missed = judged.planted.filter(({ whyNot }) => whyNot !== null);
    assert.deepEqual(
      missed.map(({ what }) => what),
      ['cold'],
    );
    assert.match(missed[0]!.whyNot!, /341 days after the start of the series/);
  });
});
