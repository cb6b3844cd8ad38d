import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fromFile } from 'geotiff';
import { medianInPlace } from '../../numerics/median.ts';
import { olsCusum, olsCusumBoundary, REC_CUSUM_CRITICAL, recCusum } from './cusum.ts';
import type { Design } from '../kernel/design-tables.ts';
import { plainRule } from '../kernel/fit-rule.ts';
import { harmonicDesign } from './harmonic-design.ts';
import { designRow, expectedAt, type Fit, leastSquares } from '../../../test/oracles/least-squares.ts';
import { MONITORING_RULE } from '../kernel/monitoring-rule.ts';
import { OLS_MOSUM_CRITICAL, olsMosum, olsMosumBoundary } from './mosum.ts';
import { PixelState } from '../../../test/oracles/pixel-state.ts';
import { recursiveResiduals } from './recursive-residuals.ts';
import { stableHistoryStart } from './stable-history.ts';

/** Monitoring rule without clipping, because the published programs do not clip residuals. */
const UNCLIPPED = { ...MONITORING_RULE, clip: Number.MAX_VALUE };

function pathOf(folder: string, file: string): string {
  return fileURLToPath(new URL(`../../../../shared/data/${folder}/${file}`, import.meta.url));
}

function missing(folder: string): string | false {
  return existsSync(pathOf(folder, 'README.md')) ? false : `../shared/data/${folder} is not here`;
}

function table(folder: string, file: string): string[][] {
  const lines = readFileSync(pathOf(folder, file), 'utf8').trim().split('\n');
  return lines.map((line) => line.trim().split(','));
}

function numbers(folder: string, file: string): number[][] {
  return table(folder, file).map((row) => row.map((cell) => (cell === 'NA' ? Number.NaN : Number(cell))));
}

function near(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} is not ${expected}`);
}

const NRT = 'nrt-structural-change';
/** Number of scenes in the history of the published run. */
const NRT_HISTORY = 100;

/**
 * Number of observations that start the regression. It is six because the published design has the intercept twice.
 */
const DOUBLED = 6;

interface NrtSet {
  readonly design: Design;
  readonly series: readonly (readonly number[])[];
}

function nrtSet(): NrtSet {
  const x = numbers(NRT, 'X.csv');
  const y = numbers(NRT, 'y.csv');
  const series = y[0]!.map((_, pixel) => y.map((row) => row[pixel]!));
  return { design: { rows: Float64Array.from(x.flat()), columns: 5 }, series };
}

function observedIn(values: readonly number[], from: number, to: number): number[] {
  return values.flatMap((value, t) => (t >= from && t < to && !Number.isNaN(value) ? [t] : []));
}

test(
  'recursive residuals equal those of R strucchange (ec-jrc/nrt, rr_result.csv)',
  { skip: missing(NRT) },
  () => {
    const { design, series } = nrtSet();
    const published = numbers(NRT, 'rr_result.csv');
    let compared = 0;
    for (const [pixel, values] of series.entries()) {
      const scenes = observedIn(values, 0, values.length);
      const rows = scenes.map((t) => designRow(design, t, [0, 1, 2, 3, 4]));
      const residuals = recursiveResiduals(
        rows,
        scenes.map((t) => values[t]!),
        5,
      );
      for (const [i, t] of scenes.slice(5).entries()) {
        near(residuals[i]!, published[t]![pixel]!, 1e-9, `pixel ${pixel} scene ${t}`);
        compared += 1;
      }
    }
    assert.ok(compared > 300);
  },
);

test(
  'reverse-ordered Rec-CUSUM equals that of R strucchange (ec-jrc/nrt, efp_result.csv)',
  { skip: missing(NRT) },
  () => {
    const { design, series } = nrtSet();
    const scenes = observedIn(series[0]!, 0, 136).toReversed();
    const residuals = recursiveResiduals(
      scenes.map((t) => designRow(design, t, [0, 1, 2, 3, 4])),
      scenes.map((t) => series[0]![t]!),
      6,
    );
    const published = numbers(NRT, 'efp_result.csv').flat().slice(1);
    const process = recCusum(residuals);
    assert.equal(process.length, published.length);
    process.forEach((value, i) => near(value, published[i]!, 1e-6, `step ${i}`));
  },
);

test(
  'stable history begins where R strucchange says (ec-jrc/nrt, roc_history_result.csv)',
  { skip: missing(NRT) },
  () => {
    const { design, series } = nrtSet();
    const starts = series.map((values) => {
      const scenes = observedIn(values, 0, 136);
      const rows = scenes.map((t) => designRow(design, t, [0, 1, 2, 3, 4]));
      const observed = scenes.map((t) => values[t]!);
      return stableHistoryStart(rows, observed, REC_CUSUM_CRITICAL, DOUBLED) + 1;
    });
    assert.deepEqual(starts, numbers(NRT, 'roc_history_result.csv').flat());
  },
);

for (const [name, file] of [
  ['OLS-MOSUM', 'mosum_result.csv'],
  ['OLS-CUSUM', 'cusum_result.csv'],
] as const) {
  test(
    `${name}, its boundary, history and scale equal those of R bfast (ec-jrc/nrt, ${file})`,
    { skip: missing(NRT) },
    () => {
      const { design, series } = nrtSet();
      const [scores, boundaries, histories, sigmas] = numbers(NRT, file);
      for (const [pixel, values] of series.entries()) {
        const fit = leastSquares(design, values, plainRule(5), 0, NRT_HISTORY)!;
        const residuals = observedIn(values, 0, values.length).map(
          (t) => (values[t]! - expectedAt(design, fit.coefficients, t)) / fit.sigma,
        );
        const history = fit.history.length;
        const isMosum = name === 'OLS-MOSUM';
        assert.equal(history, histories![pixel]);
        near(fit.sigma, sigmas![pixel]!, 1e-9, `sigma of ${pixel}`);
        const process = (isMosum ? olsMosum : olsCusum)(residuals, history);
        near(process.at(-1)!, scores![pixel]!, 1e-6, `score of ${pixel}`);
        const boundary = (isMosum ? olsMosumBoundary : olsCusumBoundary)(residuals.length, history);
        near(boundary, boundaries![pixel]!, 1e-6, `boundary of ${pixel}`);
      }
    },
  );
}

test(
  'critical value of the MOSUM is the simulated one (Zeileis et al. 2005, mosum_critical_values.csv)',
  { skip: missing(NRT) },
  () => {
    const row = table(NRT, 'mosum_critical_values.csv').find(
      (cells) => cells.slice(0, 4).join(' ') === '"0.25" "10" "0.95" "max"',
    );
    near(OLS_MOSUM_CRITICAL, Number(row![4]), 1e-6, 'critical value');
  },
);

const SOMALIA = 'bfast-ndvi-series';
/** Decimal year of a scene. A year has 23 MODIS periods, and both stacks begin in the fourth period of 2000. */
const modisYear = (t: number): number => 2000 + (t + 3) / 23;

/** Monitors a series from a given year on, like bfastmonitor with order 3, a trend and a stable history by ROC. */
function monitorFrom(values: readonly number[], year: number) {
  const years = values.map((_, t) => modisYear(t));
  const design = harmonicDesign(years, 3, true);
  // bfast counts the trend in scenes, beginning with 1. The other columns are the same.
  for (let t = 0; t < values.length; t++) design.rows[t * design.columns + 1] = t + 1;
  const to = years.findIndex((time) => time >= year - 1e-6);
  const fit = leastSquares(design, values, { ...plainRule(8), historyCritical: REC_CUSUM_CRITICAL }, 0, to)!;
  const broken = breakOf(design, fit, values, to);
  const departures = values.flatMap((value, t) =>
    t >= to && !Number.isNaN(value) ? [value - expectedAt(design, fit.coefficients, t)] : [],
  );
  const magnitude = medianInPlace(Float64Array.from(departures), departures.length);
  return { design, fit, magnitude, breakYear: broken < 0 ? Number.NaN : years[broken]! };
}

test(
  'the 2010-2011 drought breaks as published (bfast, somalia example: Verbesselt et al. 2012)',
  { skip: missing(SOMALIA) },
  () => {
    const rows = table(SOMALIA, 'somalia_a.csv').slice(1);
    const values = rows.map((row) => (row[2] === '' ? Number.NaN : Number(row[2])));
    const published = JSON.parse(readFileSync(pathOf(SOMALIA, 'expected.json'), 'utf8')).somalia_a;
    const { design, fit, breakYear } = monitorFrom(values, published.monitor_start);
    near(modisYear(fit.history[0]!), published.history_start, 1e-6, 'start of the history');
    near(modisYear(fit.history.at(-1)!), published.history_end, 1e-6, 'end of the history');
    near(fit.coefficients[0]!, 0.3906913721, 1e-9, 'intercept');
    const names = '(Intercept) trend harmoncos1 harmonsin1 harmoncos2 harmonsin2 harmoncos3 harmonsin3';
    for (const [column, name] of names.split(' ').entries())
      near(fit.coefficients[column]!, published.coefficients[name], 1e-7, name);
    near(explained(design, fit, values), 0.52057, 5e-7, 'R2');
    near(breakYear, published.break_decimal_year, 1e-6, 'break');
  },
);

test(
  'breaks and magnitudes of 17 MODIS pixels are the published ones (bfast, modisraster example)',
  { skip: missing(SOMALIA) },
  () => {
    const [head, ...rows] = table(SOMALIA, 'somalia_mod13c1_ndvi_x10000.csv');
    const published: Record<string, { break_decimal_year: number; magnitude: number }> = JSON.parse(
      readFileSync(pathOf(SOMALIA, 'expected_mod13c1.json'), 'utf8'),
    ).mod13c1_pixels_monitor_from_2010;
    for (const [name, expected] of Object.entries(published)) {
      const column = head!.indexOf(name);
      const values = rows.map((row) => (row[column] === '' ? Number.NaN : Number(row[column]) / 10_000));
      const { breakYear, magnitude } = monitorFrom(values, 2010);
      near(breakYear, expected.break_decimal_year, 1e-6, `break of ${name}`);
      near(magnitude, expected.magnitude, 1e-6, `magnitude of ${name}`);
    }
    assert.equal(Object.keys(published).length, 17);
  },
);

function boundaryOf(state: PixelState, fit: Fit): number {
  return olsMosumBoundary(state.seen, fit.history.length);
}

/** Returns the share of the variance of the history that a fit explains. */
function explained(design: Design, fit: Fit, values: readonly number[]): number {
  const mean = fit.history.reduce((sum, t) => sum + values[t]!, 0) / fit.history.length;
  let [total, left] = [0, 0];
  for (const t of fit.history) {
    total += (values[t]! - mean) ** 2;
    left += (values[t]! - expectedAt(design, fit.coefficients, t)) ** 2;
  }
  return 1 - left / total;
}

const TURA = 'tura-landsat-ndvi';

test(
  'bfastmonitor from 2009 is reproduced pixel by pixel (bfast 1.7.2, bfastmonitor_2009.tif)',
  { skip: missing(TURA) },
  async () => {
    const [stack, published] = await Promise.all(
      ['tura_south_ndvi.tif', 'bfastmonitor_2009.tif'].map(async (file) => {
        const tiff = await fromFile(pathOf(TURA, file));
        try {
          return await (await tiff.getImage()).readRasters();
        } finally {
          await tiff.close();
        }
      }),
    );
    const years = table(TURA, 'dates.csv')
      .slice(1)
      .map((row) => decimalYear(row[1]!));
    const design = harmonicDesign(years, 1, false);
    const to = years.findIndex((year) => year >= 2009);
    const disagreements: string[] = [];
    for (let pixel = 0; pixel < stack!.width * stack!.height; pixel++) {
      const values = years.map((_, t) => valueOf(Number((stack![t] as Int16Array)[pixel])));
      const fit = leastSquares(design, values, plainRule(3), 0, to);
      const theirs = Number((published![0] as Float32Array)[pixel]);
      const broken = fit === undefined ? -1 : breakOf(design, fit, values, to);
      const ours = broken < 0 ? Number.NaN : years[broken]!;
      if (!(Math.abs(ours - theirs) < 1e-3) && !(Number.isNaN(ours) && Number.isNaN(theirs)))
        disagreements.push(`${pixel}: ${ours} is not ${theirs}`);
    }
    assert.deepEqual(disagreements, []);
  },
);

function valueOf(stored: number): number {
  return stored === -32_768 ? Number.NaN : stored / 10_000;
}

/** Returns the scene at which the MOSUM first crosses its boundary; -1 if it never does. */
function breakOf(design: Design, fit: Fit, values: readonly number[], to: number): number {
  const state = new PixelState(design, UNCLIPPED, fit, values);
  return values.findIndex((value, t) => {
    if (t < to || Number.isNaN(value)) return false;
    state.update(t, value);
    return Math.abs(state.mosum) > boundaryOf(state, fit);
  });
}

/** Decimal year as in bfast for irregular series: every year has 365 days, and 29 February counts as 1 March. */
function decimalYear(date: string): number {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month - 1]!;
  return year + (before + day - 1) / 365;
}
