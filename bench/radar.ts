/**
 * What radar adds to optical scenes under clouds: clearings in a simulated forest under 80 % cloud, found by optical
 * indices, by cross-polarised radar of two orbits, and by both together, at the same false alarms; beside the
 * Mahalanobis distance of OPERA DIST-S1 (`distmetrics`) on the same radar series. With
 * `GROUNDWATCH_BENCH_DISTMETRICS=env/bin/python`, a Python that has `numpy`, `astropy`, `pydantic`, `scipy` and
 * `distmetrics`. Takes ten minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../src/base/time.ts';
import { detectChanges } from '../src/change/detect-changes.ts';
import { lookWeights, multiLook, powerOf, decibelsOf } from '../src/raster/backscatter.ts';
import { radarRegion, type RadarRegion } from '../test/oracles/radar-region.ts';

const SEEDS = [20_261_123, 20_261_124, 20_261_125];
const FORM = { side: 39, years: 6, cloud: 0.8, swing: 0.17, looks: 15, fallDb: [3, 1.5] } as const;
const YEAR_MS = 365.25 * DAY_MS;
const PEER_PIXELS = 0.5; // share of a clearing that must be found, for all methods

/** A pixel and when its change was stated [ms]. */
type Claims = ReadonlyMap<number, number>;

/** Averages the power of neighbours, as an ingest does. */
function looked(region: RadarRegion): Readonly<Record<string, Float32Array>> {
  const { side, timesMs } = region;
  const [times, pixels, weights] = [timesMs.length, side * side, lookWeights(30)];
  return Object.fromEntries(
    Object.entries(region.radar).map(([metric, values]) => {
      const out = new Float32Array(values.length).fill(Number.NaN);
      for (let t = 0; t < times; t++) {
        const power = Float32Array.from({ length: pixels }, (_, p) => powerOf(values[p * times + t]!));
        multiLook(power, side, weights).forEach((value, p) => (out[p * times + t] = decibelsOf(value)));
      }
      return [metric, out];
    }),
  );
}

/** The pixels that the service states as confirmed from these metrics. */
function claimsOf({ side, timesMs }: RadarRegion, metrics: Readonly<Record<string, Float32Array>>): Claims {
  const all = timesMs.length;
  const series = Object.values(metrics);
  const isSeen = (values: Float32Array, t: number): boolean => {
    for (let i = t; i < values.length; i += all) if (!Number.isNaN(values[i]!)) return true;
    return false;
  };
  const kept = [...timesMs.keys()].filter((t) => series.some((values) => isSeen(values, t)));
  const cut = (values: Float32Array): Float32Array =>
    Float32Array.from({ length: side * side * kept.length }, (_, i) => {
      const [pixel, t] = [Math.floor(i / kept.length), kept[i % kept.length]!];
      return values[pixel * all + t]!;
    });
  const [[metric, values], ...others] = Object.entries(metrics).map(
    ([key, one]) => [key, cut(one)] as const,
  ) as [readonly [string, Float32Array], ...(readonly [string, Float32Array])[]];
  const objects = detectChanges({
    width: side,
    height: side,
    pixelAreaM2: 900,
    metric,
    values,
    timesMs: Float64Array.from(kept, (t) => timesMs[t]!),
    others: Object.fromEntries(others),
  });
  const claims = new Map<number, number>();
  for (const { pixels, confirmedMs } of objects)
    if (confirmedMs !== null)
      for (const pixel of pixels) claims.set(pixel, Math.min(confirmedMs, claims.get(pixel) ?? Infinity));
  return claims;
}

/** The pixels that a threshold of the peer's distance states: it is passed at three looks in a row. */
function peerClaims(region: RadarRegion, python: string): Readonly<Record<string, Claims>> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-radar-'));
  try {
    const input = join(folder, 'region.json');
    const { side, timesMs } = region;
    const series = Object.fromEntries(
      Object.entries(region.radar).map(([metric, values]) => [
        metric,
        [...values].map((v) => (Number.isNaN(v) ? null : v)),
      ]),
    );
    writeFileSync(input, JSON.stringify({ side, times: [...timesMs], series }));
    const script = join(import.meta.dirname, 'radar', 'distmetrics_claims.py');
    const told = execFileSync(python, [script, input], { maxBuffer: 2 ** 28, encoding: 'utf8' });
    const claims = JSON.parse(told) as Record<string, [number, number][]>;
    return Object.fromEntries(Object.entries(claims).map(([name, list]) => [name, new Map(list)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Score {
  found: number;
  of: number;
  lags: number[];
  wrong: number;
  years: number;
}
const scores = new Map<string, Score>();

/** Adds what one method found in one region. */
function score(name: string, { side, clearings, clearingOf }: RadarRegion, claims: Claims): void {
  const into = scores.get(name) ?? { found: 0, of: 0, lags: [], wrong: 0, years: 0 };
  scores.set(name, into);
  for (const { pixels, ms } of clearings) {
    into.of++;
    const stated = pixels.map((p) => claims.get(p) ?? Infinity).filter((at) => at >= ms && at < ms + YEAR_MS);
    if (stated.length < PEER_PIXELS * pixels.length) continue;
    into.found++;
    into.lags.push(
      (stated.toSorted((a, b) => a - b)[Math.ceil(PEER_PIXELS * pixels.length) - 1]! - ms) / DAY_MS,
    );
  }
  for (const [pixel, at] of claims) {
    const clearing = clearings[clearingOf[pixel]!];
    if (clearing === undefined || at < clearing.ms) into.wrong++;
  }
  into.years += side * side * FORM.years;
}

const python = process.env['GROUNDWATCH_BENCH_DISTMETRICS'];
for (const seed of SEEDS) {
  const region = radarRegion({ ...FORM, seed });
  const radar = looked(region);
  const vh = { vh_orbit_98: radar['vh_orbit_98']!, vh_orbit_171: radar['vh_orbit_171']! };
  score('optical', region, claimsOf(region, region.optical));
  score('radar (VH)', region, claimsOf(region, vh));
  score('both', region, claimsOf(region, { ...region.optical, ...vh }));
  if (python !== undefined)
    for (const [name, claims] of Object.entries(peerClaims(region, python))) score(name, region, claims);
}
const at = (lags: readonly number[], share: number): string =>
  lags.length === 0 ? '-' : lags.toSorted((a, b) => a - b)[Math.floor(share * (lags.length - 1))]!.toFixed(0);
console.log(
  '| Method | Found within 60, 90 days | Found within a year | Median lag, 90 % [days] | Wrong pixels per million pixel-years |\n| --- | --- | --- | --- | --- |',
);
const within = (lags: readonly number[], days: number): number => lags.filter((lag) => lag <= days).length;
for (const [name, { found, of, lags, wrong, years }] of scores)
  console.log(
    `| ${name} | ${within(lags, 60)}, ${within(lags, 90)} | ${found} of ${of} | ${at(lags, 0.5)}, ${at(lags, 0.9)} | ${Math.round((wrong / years) * 1e6)} |`,
  );
if (python === undefined) console.log('distmetrics: not asked for (GROUNDWATCH_BENCH_DISTMETRICS)');
