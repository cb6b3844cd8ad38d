import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AnomalyEpisode } from './anomaly.ts';
import { GammaLaw } from './gamma-law.ts';
import { judge, type ObservedSeries } from './judgement.ts';
import { metricLaw } from './metric-law.ts';
import { detectAnomalies } from '../../test/fixtures/detect-anomalies.ts';

const SHARED = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const skip = (folder: string): string | false =>
  existsSync(`${SHARED}${folder}`) ? false : `skipped: the measured data of ${folder} are not here`;

const KNOTS = 0.514444; // m/s in a knot

/** Reads a CSV file; each row is an object with the column names of the first line as keys. */
function records(path: string): Record<string, string>[] {
  const [head, ...lines] = readFileSync(`${SHARED}${path}`, 'utf8').trim().split('\n');
  const names = head!.trim().split(',');
  return lines.map((line) =>
    Object.fromEntries(
      line
        .trim()
        .split(',')
        .map((value, i) => [names[i]!, value]),
    ),
  );
}

function recordSeries(
  rows: readonly Record<string, string>[],
  column: string,
  metric: string,
  unit = 1,
  time = 'date',
): ObservedSeries {
  return {
    timesMs: Float64Array.from(rows, (row) => Date.parse(row[time]!)),
    values: Float64Array.from(rows, (row) => (row[column] === '' ? Number.NaN : Number(row[column]) * unit)),
    law: metricLaw(metric),
  };
}

const at = (series: ObservedSeries, day: string): number => series.timesMs.indexOf(Date.parse(day));
const anomaliesOf = (series: ObservedSeries): readonly AnomalyEpisode[] =>
  detectAnomalies([series])[0]!.episodes;
const covers = ({ startIndex, endIndex }: AnomalyEpisode, i: number): boolean =>
  startIndex <= i && (endIndex === null || i < endIndex);

test(
  'Colorado, monthly rain 1895-1997 (NOAA, r-cran-fields COmonthlyMet): the driest years of each station have the lowest standardised precipitation index, in their order',
  { skip: skip('colorado-monthly-climate') },
  () => {
    for (const [station, driest] of [
      ['052432', [1901, 1956, 1900, 1977]],
      ['053005', [1966, 1939, 1954, 1964]],
      ['057167', [1924, 1964, 1926, 1937]],
      ['254440', [1911, 1934, 1914, 1895]],
    ] as const) {
      const totals = new Map<number, number>();
      for (const { month, precip } of records(`colorado-monthly-climate/station_${station}.csv`)) {
        const year = Number(month!.slice(0, 4));
        totals.set(year, (totals.get(year) ?? 0) + 10 * Number(precip)); // cm to mm
      }
      const roots = [...totals.values()].map(Math.cbrt);
      const mean = roots.reduce((a, b) => a + b) / roots.length;
      const deviation = Math.sqrt(roots.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (roots.length - 1));
      const law = new GammaLaw();
      law.enter(deviation, 0);
      const scored = [...totals].map(([year, mm]) => ({ year, score: law.score(mm, mean) }));
      const lowest = scored.toSorted((a, b) => a.score - b.score).slice(0, 4);
      assert.deepEqual(
        lowest.map(({ year }) => year),
        driest,
      );
      // If the distribution fits, about 5 of 103 years are beyond two standard deviations and none is beyond four.
      const beyond = scored.filter(({ score }) => Math.abs(score) > 1.96).length;
      assert.ok(beyond >= 1 && beyond <= 11, `${station}: ${beyond} years beyond the 95 % range`);
      assert.ok(lowest[0]!.score > -4 && lowest[0]!.score < -1.96, `${station}: ${lowest[0]!.score}`);
    }
  },
);

test(
  'a French catchment, daily flow 1984-2012 (airGR L0123001): the greatest floods are high or critical, and a year without data has no anomaly',
  { skip: skip('airgr-daily-catchment') },
  () => {
    const rows = records('airgr-daily-catchment/L0123001.csv');
    const series = recordSeries(rows, 'discharge_mm', 'river_flow');
    const found = anomaliesOf(series);
    // The eight days with the greatest flow. The first two are the greatest with more than two years of history.
    for (const [day, isGrave] of [
      ['1997-05-09', true],
      ['2000-03-19', true],
      ['1987-11-19', false],
      ['1985-12-24', false],
      ['1993-01-20', false],
      ['2011-02-21', false],
      ['1994-01-07', false],
      ['2002-02-15', false],
    ] as const) {
      const flood = found.find((episode) => covers(episode, at(series, day)));
      assert.ok(flood !== undefined && flood.residual > 0, day);
      if (isGrave) assert.equal(flood.severity, 'critical', day);
    }
    const judged = judge(series);
    for (let i = 0; i < rows.length; i++)
      if (rows[i]!['discharge_mm'] === '') assert.ok(Number.isNaN(judged.departure[i]!), rows[i]!['date']);
    const isIn1989 = (i: number) => rows[i]!['date']!.startsWith('1989');
    assert.ok(
      found.every(
        ({ startIndex, endIndex }) => !isIn1989(startIndex) && (endIndex === null || !isIn1989(endIndex)),
      ),
    );
  },
);

test(
  'Canadian cities 1990-1993 (ERA5, xclim-testdata): the warm days of July and August 1993 are heat anomalies',
  { skip: skip('era5-daily-canada') },
  () => {
    for (const [city, day] of [
      ['montreal', '1993-07-06'],
      ['halifax', '1993-08-26'],
    ] as const) {
      const series = recordSeries(records(`era5-daily-canada/${city}.csv`), 'tmax_c', 'temperature');
      const heat = anomaliesOf(series).find((episode) => covers(episode, at(series, day)));
      assert.ok(heat !== undefined && heat.residual > 0, `${city} ${day}`);
      assert.ok(heat.severity !== 'low', `${city}: ${heat.severity}`);
    }
  },
);

test(
  'Irish wind 1961-1978 (Haslett & Raftery 1989): 1965-01-17 and 1966-12-01 stand out, in knots as in m/s',
  { skip: skip('ireland-daily-wind') },
  () => {
    const rows = records('ireland-daily-wind/daily_mean_wind_knots.csv');
    const stations = Object.keys(rows[0]!).filter((name) => name !== 'date');
    const seriesList = stations.map((station) => recordSeries(rows, station, 'wind', KNOTS));
    const found = detectAnomalies(seriesList);
    for (const [day, least] of [
      ['1965-01-17', 5],
      ['1966-12-01', 7],
    ] as const) {
      const standing = found.filter(({ episodes }, f) =>
        episodes.some((episode) => episode.residual > 0 && covers(episode, at(seriesList[f]!, day))),
      );
      assert.ok(standing.length >= least, `${day}: ${standing.length} of ${stations.length} stations`);
    }
    const inKnots = judge(recordSeries(rows, 'SHA', 'wind'));
    const inMps = found[stations.indexOf('SHA')]!.judged;
    for (let i = 0; i < rows.length; i += 97) {
      if (Number.isNaN(inMps.departure[i]!)) continue;
      assert.ok(Math.abs(inKnots.departure[i]! - inMps.departure[i]!) < 1e-6, rows[i]!['date']);
      assert.ok(Math.abs(inKnots.expected[i]! * KNOTS - inMps.expected[i]!) < 1e-6, rows[i]!['date']);
    }
  },
);

test(
  'Japan, daily GNSS (helmsman-sun/gnss-station-neu-timeseries): 2011-03-11 is critical in the horizontal at every station but J861, and in the vertical at J188 alone',
  { skip: skip('japan-gnss-series') },
  () => {
    for (const station of ['G008', 'J089', 'J188', 'J861', 'USUD', 'Z121']) {
      const rows = records(`japan-gnss-series/${station}.csv`);
      for (const [column, expected] of [
        ['lat', station !== 'J861'], // column with the horizontal component that has the step
        ['ver', station === 'J188'],
      ] as const) {
        const series = recordSeries(rows, column, 'displacement');
        const day = at(series, '2011-03-11');
        const judged = judge(series);
        const isCritical = [day, day + 1].some((i) => judged.tailProbability[i]! <= 1e-4);
        assert.equal(isCritical, expected, `${station} ${column}: ${judged.tailProbability[day]}`);
        const episode = anomaliesOf(series).find((one) => one.severity === 'critical' && covers(one, day));
        assert.equal(episode !== undefined, expected, `${station} ${column}`);
        if (episode === undefined) continue;
        assert.ok(
          Math.abs(episode.startIndex - day) <= 1,
          `${station} ${column} began ${rows[episode.startIndex]!['date']}`,
        );
        const days = (series.timesMs[episode.endIndex!]! - series.timesMs[day]!) / 86_400_000;
        assert.ok(
          days < (station === 'J188' && column === 'lat' ? 1000 : 120),
          `${station} ${column} lasted ${days} days`,
        );
      }
    }
  },
);

test(
  'Horn of Africa drought, late 2010 (bfast som: Verbesselt et al. 2012; LP DAAC MOD13C1): a negative anomaly',
  { skip: skip('bfast-ndvi-series') },
  () => {
    const isDrought = ({ timesMs }: ObservedSeries, { startIndex }: AnomalyEpisode): boolean =>
      timesMs[startIndex]! >= Date.UTC(2010, 8, 1) && timesMs[startIndex]! < Date.UTC(2011, 4, 1);
    const single = recordSeries(records('bfast-ndvi-series/somalia_a.csv'), 'ndvi', 'ndvi');
    const found = anomaliesOf(single).filter((episode) => isDrought(single, episode));
    assert.ok(found.length > 0 && found.every(({ residual }) => residual < 0));
  },
);
