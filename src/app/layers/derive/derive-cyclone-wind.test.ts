import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapGrid } from '../../../geo/grid.ts';
import { deriveCycloneWind, type CycloneWindDeps } from './derive-cyclone-wind.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { InstalledLayer, MadeRaster } from '../layer-shelf.ts';
import type { StormTrack } from './storm-tracks-reader.ts';
import { HOUR_MS } from '../../../base/time.ts';

function track(season: number, lat: number, lng: number, windMps: number, provisional = false): StormTrack {
  const fixes = [0, 6, 12, 18].map((hour) => ({
    timeMs: Date.UTC(season, 1, 1) + hour * HOUR_MS,
    lat,
    lng: lng + hour * 0.1 > 180 ? lng + hour * 0.1 - 360 : lng + hour * 0.1,
    maxWindMps: windMps,
    centralPressureHPa: 960,
  }));
  return { id: `${season}`, season, provisional, fixes };
}

/** Returns dependencies that read the given tracks, and the list of the rasters that were stored. */
function world(tracks: readonly StormTrack[]) {
  const rasters: MadeRaster[] = [];
  let installed: readonly InstalledLayer[] = [];
  const refuse = (): never => assert.fail('no file is read');
  const deps: CycloneWindDeps = {
    clock: { now: () => Date.UTC(2026, 10, 21) },
    tracks: {
      async *readTracks() {
        yield* tracks;
      },
    },
    shelf: {
      shipped: async () => [],
      installed: async () => installed,
      inspect: refuse,
      read: refuse,
      store: refuse,
      discard: refuse,
      check: refuse,
      async storeMade(raster) {
        const valid = raster.samples.filter((value) => !Number.isNaN(value));
        rasters.push(raster);
        const file = `${rasters.length}.gwl`;
        return { file, validCount: valid.length, lowest: Math.min(...valid), highest: Math.max(...valid) };
      },
      async update(change) {
        installed = change(installed);
      },
    },
  };
  return { deps, rasters, layers: () => installed };
}

/** A storm over Fiji every year from 1980 to 2019. */
const FIJI = Array.from({ length: 40 }, (_, i) => track(1980 + i, -17.5, 178.5, 40 + (i % 4) * 8));

const request = { path: '/given/ibtracs.csv', version: 'v1', bbox: [175, -20, -175, -15] };

const valueAt = ({ grid, samples }: MadeRaster, lng: number, lat: number): number =>
  samples[mapGrid(grid).pixelAt([lng, lat])!]!;

test('installs cyclone winds by return period and the storm count, across the antimeridian', async () => {
  const { deps, rasters, layers } = world(FIJI);
  const { added, storms, fromSeason, toSeason } = await deriveCycloneWind(deps, request);
  assert.deepEqual([storms, fromSeason, toSeason], [40, 1980, 2019]);
  assert.deepEqual(
    added.map(({ card }) => [card.layer, card.returnPeriodYears]),
    [...[2, 5, 10, 25, 50, 100, 250].map((T) => ['cyclone-wind', T]), ['cyclone-count', null]],
  );
  const [{ card }] = layers() as [InstalledLayer];
  assert.equal(card.date, '2019-12-31');
  assert.match(card.source, /1980-2019 from ibtracs\.csv/);
  assert.deepEqual(
    added[0]!.piece.coverage.map((edge) => Math.round(edge)),
    [175, -20, 185, -15],
  );
  const fifty = rasters[4]!;
  assert.ok(valueAt(fifty, 179.5, -17.25) > 40, 'west of the antimeridian');
  assert.ok(valueAt(fifty, -179.5, -17.25) > 40, 'east of it');
  for (const [i, { samples }] of rasters.slice(1, 7).entries())
    for (const [cell, value] of samples.entries()) assert.ok(value >= rasters[i]!.samples[cell]!);
});

test('leaves out provisional seasons, and counts only the requested ones', async () => {
  const late = [track(2020, -17.5, 178.5, 60, true), track(2021, -17.5, 178.5, 60)];
  assert.equal((await deriveCycloneWind(world([...FIJI, ...late]).deps, request)).toSeason, 2019);
  const asked = { ...request, fromSeason: 1990, toSeason: 2014 };
  assert.equal((await deriveCycloneWind(world([...FIJI, ...late]).deps, asked)).storms, 25);
});

test('cells far from every track are nodata', async () => {
  const { deps, rasters } = world(FIJI);
  await deriveCycloneWind(deps, { ...request, bbox: [150, -20, 180, -15] });
  assert.ok(Number.isNaN(valueAt(rasters[0]!, 151, -17)));
  assert.equal(valueAt(rasters[0]!, 172, -17), 0, 'tracks are near, gales are not');
});

test('a box inside a larger one has the same winds, because storms beyond its edge count', async () => {
  const [whole, part] = [world(FIJI), world(FIJI)];
  await deriveCycloneWind(whole.deps, { ...request, bbox: [170, -25, -170, -10] });
  await deriveCycloneWind(part.deps, { ...request, bbox: [179, -19, -179, -17] });
  for (let lng = 179; lng <= 181; lng += 0.25)
    for (const [i, raster] of part.rasters.entries())
      assert.ok(
        Math.abs(valueAt(raster, lng, -18) - valueAt(whole.rasters[i]!, lng, -18)) < 0.01,
        `${lng}, ${i}`,
      );
});

test('refuses too few seasons, a box outside the latitudes of cyclones, and a box that no storm reaches', async () => {
  const wrong = (pattern: RegExp) => (error: unknown) =>
    error instanceof InvalidInput && pattern.test(error.message);
  const { deps, layers } = world(FIJI);
  await assert.rejects(deriveCycloneWind(world([]).deps, request), wrong(/no storms; at least 20 seasons/));
  await assert.rejects(
    deriveCycloneWind(deps, { ...request, fromSeason: 2005 }),
    wrong(/2005 to 2019; at least 20/),
  );
  const lastYears = world(FIJI.filter(({ season }) => season >= 2015));
  await assert.rejects(
    deriveCycloneWind(lastYears.deps, request),
    wrong(/2015 to 2019; at least 20 .*--from/),
    'IBTrACS of the last three years is no calm before',
  );
  assert.equal((await deriveCycloneWind(lastYears.deps, { ...request, fromSeason: 1980 })).fromSeason, 1980);
  await assert.rejects(
    deriveCycloneWind(deps, { ...request, bbox: [0, 50, 10, 70] }),
    wrong(/within 65 S to 65 N/),
  );
  await assert.rejects(
    deriveCycloneWind(deps, { ...request, bbox: [0, 20, 10, 10] }),
    wrong(/south <= north/),
  );
  await assert.rejects(
    deriveCycloneWind(deps, { ...request, bbox: [0, 10, 10, 20] }),
    wrong(/no storm of .* came near/),
  );
  assert.deepEqual(layers(), []);
});
