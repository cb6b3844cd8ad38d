import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromFile } from 'geotiff';
import { regionalShape, returnLevelFitter } from './gust-climate.ts';
import { coast, explain, gusts } from '../../../test/fixtures/storm-layers.ts';

const SHARED = join(import.meta.dirname, '../../../../shared/data');
const LOTHAR = join(SHARED, 'wisc-windstorm-lothar/max_gust_ms.tif');

test(
  'with the footprint of storm Lothar as the gust layer, cities rank by its gusts (C3S WISC, Met Office)',
  { skip: existsSync(LOTHAR) ? false : `${LOTHAR} is absent` },
  async () => {
    const published = [
      [50.85, 4.35, 29.7], // Brussels
      [51.92, 4.48, 26.8], // Rotterdam
      [53.22, 6.57, 26.3], // Groningen
      [52.37, 4.9, 26.1], // Amsterdam
      [50.94, 6.96, 23.7], // Cologne
    ] as const;
    const tiff = await fromFile(LOTHAR);
    try {
      const image = await tiff.getImage();
      const [west, north] = image.getOrigin() as [number, number];
      const [dx, dy] = image.getResolution() as [number, number];
      let last = 1;
      for (const [lat, lng, gust] of published) {
        const [col, row] = [Math.floor((lng - west) / dx), Math.floor((lat - north) / dy)];
        const raster = await image.readRasters({ window: [col, row, col + 1, row + 1] });
        const value = (raster as unknown as readonly ArrayLike<number>[])[0]![0]!;
        assert.ok(Math.abs(value - gust) < 1, `${value}, published ${gust}`);
        const { riskScore } = explain(
          [...coast(40), ...gusts({ 10: value }, { resolutionM: 4400 })],
          lat,
          lng,
        );
        assert.ok(riskScore < last, `${riskScore} for ${gust} m/s after ${last}`);
        last = riskScore;
      }
    } finally {
      await tiff.close();
    }
  },
);

const IRELAND = join(SHARED, 'ireland-daily-wind');

test(
  'Irish stations with gust levels from their own records score in the order of their mean wind (Haslett & Raftery 1989)',
  { skip: existsSync(IRELAND) ? false : `${IRELAND} is absent` },
  () => {
    const lines = (file: string): string[][] =>
      readFileSync(join(IRELAND, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(','));
    const [header, ...days] = lines('daily_mean_wind_knots.csv');
    const stations = lines('stations.csv')
      .slice(1)
      .map(([code, , lat, lng, mean]) => {
        const column = header!.indexOf(code!);
        const years = Map.groupBy(days, ([date]) => date!.slice(0, 4));
        // A gust is about twice the daily mean wind; the factor does not affect the ranking of the stations.
        const maxima = [...years.values()].map(
          (of) => 2 * 0.514444 * Math.max(...of.map((day) => Number(day[column]))),
        );
        return { lat: Number(lat), lng: Number(lng), mean: Number(mean), maxima };
      });
    const region = regionalShape(stations.map(({ maxima }) => maxima));
    const ranked = stations.map(({ lat, lng, mean, maxima }) => {
      const { levels } = returnLevelFitter(maxima.length, [2, 5, 10, 25, 50, 100], region).fit(maxima);
      const said = gusts(Object.fromEntries(levels.map((l) => [l.returnPeriodYears, l.level])));
      return { mean, score: explain([...coast(10), ...said], lat, lng).riskScore };
    });
    const position = (of: readonly number[]): number[] =>
      of.map((v) => of.filter((other) => other > v).length);
    const [byMean, byScore] = [
      position(ranked.map(({ mean }) => mean)),
      position(ranked.map(({ score }) => score)),
    ];
    const n = ranked.length;
    const squares = byMean.reduce((sum, rank, i) => sum + (rank - byScore[i]!) ** 2, 0);
    const spearman = 1 - (6 * squares) / (n * (n * n - 1));
    assert.ok(spearman > 0.85, `rank correlation ${spearman}: ${JSON.stringify(ranked)}`);
  },
);
