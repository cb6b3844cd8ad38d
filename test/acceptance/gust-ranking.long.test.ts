import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fromFile } from 'geotiff';
import type { CliDeps } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { runCommand } from '../../src/cli/run.ts';
import { RISK_MODELS } from '../../src/risk/models.ts';
import { FolderLayerShelf } from '../../src/sources/layers/folder-layer-shelf.ts';
import { PointsFileReader } from '../../src/sources/stations/points-file.ts';
import type { LayerSample } from '../../src/app/risk/layer-reader.ts';
import { LayerStore } from '../../src/sources/layers/layer-store.ts';
import { recordedActs } from '../fixtures/recorded-acts.ts';

const SHARED = join(import.meta.dirname, '../../../shared/data');
const SHIPPED = join(import.meta.dirname, '../../data/layers/catalogue.json');

/** Creates an installation with the shipped layers in its own folder. `run` runs a command line in it. */
function installation(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-gusts-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const options = { folder: join(home, 'layers'), catalogues: [SHIPPED] };
  const deps = {
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    storage: recordedActs().storage,
    shelf: new FolderLayerShelf(options),
    points: new PointsFileReader(),
  } as unknown as CliDeps;
  const run = async (words: string, file: string): Promise<string> => {
    const told: string[] = [];
    const terminal = { out: () => undefined, err: (line: string) => told.push(line), version: '0' };
    const code = await runCommand(COMMANDS, [...words.split(' '), file], terminal, {
      open: () => Promise.resolve(deps),
      serve: () => Promise.reject(new Error('not here')),
    });
    assert.equal(code, 0, told.join('\n'));
    return told.join('\n');
  };
  const scores = async (places: readonly (readonly [lat: number, lng: number])[]): Promise<number[]> => {
    const layers = await LayerStore.open(options);
    const snapshot = layers.snapshot('production');
    const cards = RISK_MODELS.storm.layers.flatMap((layer) => snapshot.cards(layer));
    const assessor = RISK_MODELS.storm.prepare(cards);
    const lats = Float64Array.from(places, ([lat]) => lat);
    const lngs = Float64Array.from(places, ([, lng]) => lng);
    const samples: (readonly LayerSample[])[] = [];
    for (const card of cards) samples.push(await snapshot.sample(card, lngs, lats));
    layers.close();
    return places.map(([lat, lng], i) => {
      const readings = samples.map((of) => of[i]!);
      assert.ok(cards.some(({ layer }, c) => layer === 'gust' && readings[c]!.ok));
      return assessor.assess(readings, lat, lng).riskScore;
    });
  };
  return { home, run, scores };
}

/** Returns the rank correlation (Spearman 1904) of two lists of values without ties. */
function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const ranks = (of: readonly number[]): number[] => of.map((v) => of.filter((other) => other > v).length);
  const [first, second] = [ranks(a), ranks(b)];
  const squares = first.reduce((sum, rank, i) => sum + (rank - second[i]!) ** 2, 0);
  return 1 - (6 * squares) / (a.length * (a.length ** 2 - 1));
}

const IRELAND = join(SHARED, 'ireland-daily-wind');

test(
  'Irish stations, from their own records through layers derive gust, score in the order of their mean wind (Haslett & Raftery 1989)',
  { skip: existsSync(IRELAND) ? false : `${IRELAND} is absent` },
  async (t) => {
    const { home, run, scores } = installation(t);
    const rows = (file: string): string[][] =>
      readFileSync(join(IRELAND, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(','));
    const [header, ...days] = rows('daily_mean_wind_knots.csv');
    const stations = rows('stations.csv')
      .slice(1)
      .map(([code, , lat, lng, mean]) => ({ code: code!, lat: lat!, lng: lng!, mean: Number(mean) }));
    const lines = stations.flatMap(({ code, lat, lng }) =>
      days.map((day) => [code, lat, lng, day[0], day[header!.indexOf(code)]].join(',')),
    );
    writeFileSync(join(home, 'records.csv'), ['station,lat,lng,date,gust', ...lines].join('\n'));
    // The record contains daily mean winds in knots (0.514444 m/s). The strongest gust of a day is about twice its mean
    // wind; the ranking does not depend on this factor.
    const scale = String(2 * 0.514444);
    const records = join(home, 'records.csv');
    const said = await run(`layers derive gust --version ireland --scale ${scale} --records`, records);
    // Computed by hand: each station has a median annual maximum, and the median of these over the stations is 29 m/s.
    assert.match(said, /8 stations; at the middle one every other year has (28|29)\.\d m\/s or more\.$/m);
    const found = await scores(stations.map(({ lat, lng }) => [Number(lat), Number(lng)]));
    const means = stations.map(({ mean }) => mean);
    const told = stations.map(({ code, mean }, i) => `${code} ${mean} m/s ${found[i]}`).join(', ');
    const correlation = rankCorrelation(means, found);
    assert.ok(correlation > 0.85, `rank correlation ${correlation}: ${told}`);
    // Every windy coastal station has a higher score than every calm inland station.
    const windy = found.filter((_, i) => means[i]! > 5);
    const calm = found.filter((_, i) => means[i]! < 4.5);
    assert.ok(windy.length > 0 && calm.length > 0 && Math.min(...windy) > Math.max(...calm), told);
  },
);

const LOTHAR = join(SHARED, 'wisc-windstorm-lothar/max_gust_ms.tif');

test(
  'places under Lothar, its footprint installed with layers add, score in the order of its gusts (C3S WISC, Met Office)',
  { skip: existsSync(LOTHAR) ? false : `${LOTHAR} is absent` },
  async (t) => {
    const { run, scores } = installation(t);
    await run('layers add --layer gust --version lothar --return-period 10', LOTHAR);
    const published = [
      [50.85, 4.35, 29.7], // Brussels
      [51.92, 4.48, 26.8], // Rotterdam
      [53.22, 6.57, 26.3], // Groningen
      [52.37, 4.9, 26.1], // Amsterdam
      [50.94, 6.96, 23.7], // Cologne
    ] as const;
    const cities = await scores(published.map(([lat, lng]) => [lat, lng]));
    assert.deepEqual(
      cities,
      cities.toSorted((a, b) => b - a),
      cities.join(),
    );
    assert.equal(new Set(cities).size, published.length);

    const tiff = await fromFile(LOTHAR);
    const image = await tiff.getImage();
    const [gusts] = (await image.readRasters()) as unknown as readonly ArrayLike<number>[];
    const [west, north] = image.getOrigin() as [number, number];
    const [dx, dy] = image.getResolution() as [number, number];
    await tiff.close();
    const width = image.getWidth();
    const cells = Array.from({ length: 60 }, (_, i) => Math.floor((gusts!.length * (i + 0.5)) / 60));
    // At the centre of a cell, the layer returns exactly the value of the cell. Cells on open sea and lakes have no
    // buildings and are skipped.
    const places = cells.map((cell) => {
      const [col, row] = [cell % width, Math.floor(cell / width)];
      return [north + (row + 0.5) * dy, west + (col + 0.5) * dx] as const;
    });
    const found = await scores(places);
    const onLand = found
      .map((score, i) => ({ score, gust: gusts![cells[i]!]! }))
      .filter(({ score }) => Math.abs(score - SEA_SCORE) > 1e-3)
      .sort((a, b) => a.gust - b.gust);
    assert.ok(onLand.length > 30, `${onLand.length} on land`);
    for (let i = 1; i < onLand.length; i++)
      assert.ok(onLand[i]!.score >= onLand[i - 1]!.score, JSON.stringify(onLand.slice(i - 1, i + 1)));
  },
);

/** Score for an annual damage ratio of 0.0005, the prior that applies on open sea (docs/methods/storm.md). */
const SEA_SCORE = 0.2 + (0.2 * Math.log(0.0005 / 0.0001)) / Math.log(0.002 / 0.0001);
