import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { monthOfRain } from '../../src/app/series/derived/derived-series.ts';
import type { TimeSeries } from '../../src/app/series/time-series.ts';
import { judge } from '../../src/anomaly/judgement.ts';
import { metricLaw } from '../../src/anomaly/metric-law.ts';

const FILE = new URL('../../../shared/data/airgr-daily-catchment/L0123001.csv', import.meta.url);
const skip = existsSync(FILE)
  ? false
  : 'skipped: the measured data of airgr-daily-catchment (L0123001.csv) are not here';
const DAY_MS = 86_400_000;
const YEAR_DAYS = 365.25;
const RECORD_DAYS = 1096; // length of a record: three years

describe(
  'what a short record knows: a French catchment, days of 1984-2012 (airGR L0123001)',
  { skip },
  () => {
    let rain: TimeSeries;
    let flow: TimeSeries;
    before(() => {
      const [head, ...lines] = readFileSync(FILE, 'utf8').trim().split('\n');
      const names = head!.trim().split(',');
      const rows = lines.map((line) => line.trim().split(','));
      const column = (name: string): TimeSeries => ({
        timesMs: Float64Array.from(rows, ([date]) => Date.parse(date!)),
        values: Float64Array.from(rows, (row) =>
          row[names.indexOf(name)] === '' ? Number.NaN : Number(row[names.indexOf(name)]),
        ),
      });
      [rain, flow] = [column('precip_mm'), column('discharge_mm')];
    });

    /**
     * Cuts a series into records of three years, judges each record separately, and counts the values that are flagged
     * as too high.
     * @returns this count divided by the nominal count, which is `limit / 2` times the number of judged values
     */
    function flaggedAbove(metric: string, { timesMs, values }: TimeSeries, limit: number): number {
      let [flagged, judged] = [0, 0];
      for (let from = 0; from + RECORD_DAYS <= values.length; from += RECORD_DAYS) {
        const to = from + RECORD_DAYS;
        const { tailProbability, departure } = judge({
          timesMs: timesMs.subarray(from, to),
          values: values.subarray(from, to),
          law: metricLaw(metric),
        });
        for (const [i, p] of tailProbability.entries()) {
          if (Number.isNaN(p)) continue;
          judged++;
          if (p <= limit && departure[i]! > 0) flagged++;
        }
      }
      return (2 * flagged) / judged / limit;
    }

    test('rain of three years is told as low 1.3, as medium 1.7 times as often as nominal, flow 2.1 and 4.5 times', (t) => {
      for (const [metric, series, low, medium] of [
        ['precipitation', rain, 1.3, 1.7],
        ['river_flow', flow, 2.1, 4.5],
      ] as const) {
        const [atLow, atMedium] = [flaggedAbove(metric, series, 0.05), flaggedAbove(metric, series, 0.01)];
        t.diagnostic(`${metric}: low ${atLow.toFixed(2)}, medium ${atMedium.toFixed(2)} of nominal`);
        assert.ok(atLow < low + 0.05, `${metric}, low: ${atLow}`);
        assert.ok(atMedium < medium + 0.05, `${metric}, medium: ${atMedium}`);
      }
    });

    test('a month of 1 mm in March 2009 is critical after 25 years, medium after two and a half, low after one and a half', () => {
      const { timesMs, values } = monthOfRain(rain);
      const driest = values.reduce((least, mm, i) => {
        const isOf2009 = new Date(timesMs[i]!).getUTCFullYear() === 2009;
        return isOf2009 && (least < 0 || mm < values[least]!) ? i : least;
      }, -1);
      assert.ok(values[driest]! < 1.5, `${values[driest]} mm`);
      const tailAfter = (years: number): number => {
        const from = timesMs.findIndex((timeMs) => timeMs >= timesMs[driest]! - years * YEAR_DAYS * DAY_MS);
        const to = driest + 1;
        const law = metricLaw('precipitation_30d');
        return judge({
          timesMs: timesMs.subarray(from, to),
          values: values.subarray(from, to),
          law,
        }).tailProbability.at(-1)!;
      };
      assert.ok(tailAfter(30) < 1e-4, `${tailAfter(30)}`);
      assert.ok(tailAfter(2.5) < 0.01 && tailAfter(2.5) > 0.001, `${tailAfter(2.5)}`);
      assert.ok(tailAfter(1.5) < 0.05 && tailAfter(1.5) > 0.01, `${tailAfter(1.5)}`);
    });
  },
);
