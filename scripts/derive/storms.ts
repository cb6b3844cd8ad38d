import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CycloneCounter, WIND_RETURN_PERIODS } from '../../src/risk/storm/cyclone-climate.ts';
import type { TrackFix } from '../../src/risk/storm/cyclone-track.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { writeGeoTiff } from './geotiff-file.ts';
import type { GlobalGrid } from './global-grid.ts';
import { NODATA } from './terrain.ts';

const MPS_PER_KNOT = 0.514444; // international knot
const YEARS = 46; // length of the data set: 1975 to 2020

/** Grid of the Atlantic basin. */
const GRID: GlobalGrid = { width: 449, height: 225, step: 0.25, west: -112, north: 60 };

/**
 * Line of positions `[lng, lat]`. Cells south-west of it are nodata, because the data set does not contain the storms
 * of the East Pacific that occur there.
 */
const PACIFIC_DIVIDE = [
  [-117, 34],
  [-108, 31],
  [-103, 23],
  [-98.5, 18.3],
  [-94.5, 17],
  [-91, 15],
  [-87, 13],
  [-84, 10],
  [-80, 8.8],
  [-77.5, 7],
] as const;

/** Writes the storm data set of the R package as CSV, with `Rscript`. */
export function extractStorms(rData: string, csv: string): void {
  const script =
    `e <- new.env(); lazyLoad("${rData}", envir = e); s <- as.data.frame(e$storms);` +
    `s$time <- sprintf("%04d-%02d-%02dT%02dZ", s$year, s$month, s$day, s$hour);` +
    `s$id <- paste(s$name, s$year, sep = "-");` +
    `write.csv(s[, c("id", "time", "lat", "long", "wind", "pressure")], "${csv}", row.names = FALSE, quote = FALSE, na = "")`;
  execFileSync('Rscript', ['-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });
  const text = readFileSync(csv, 'utf8').replace(/^.*\n/, 'id,time,lat,lng,wind_kt,pressure_hpa\n');
  writeFileSync(csv, text);
}

/** Reads the CSV as one track per storm, in order of time. */
export function readStorms(csv: string): readonly (readonly TrackFix[])[] {
  const storms = new Map<string, TrackFix[]>();
  for (const line of readFileSync(csv, 'utf8').trimEnd().split('\n').slice(1)) {
    const [id, time, lat, lng, wind, pressure] = line.split(',');
    const fix: TrackFix = {
      timeMs: Date.parse(time!.replace('Z', ':00:00Z')),
      lat: Number(lat),
      lng: Number(lng),
      maxWindMps: Number(wind) * MPS_PER_KNOT,
      centralPressureHPa: pressure === '' ? Number.NaN : Number(pressure),
    };
    const fixes = storms.get(id!);
    if (fixes === undefined) storms.set(id!, [fix]);
    else fixes.push(fix);
  }
  return [...storms.values()].map((fixes) =>
    fixes
      .sort((a, b) => a.timeMs - b.timeMs)
      .filter((fix, i) => i === 0 || fix.timeMs > fixes[i - 1]!.timeMs),
  );
}

/** Derives the return levels of the sustained wind in Atlantic tropical cyclones. */
export function deriveCycloneWind(csv: string, out: string): CatalogueEntry[] {
  const counter = new CycloneCounter(GRID);
  for (const fixes of readStorms(csv)) counter.add(fixes);
  const { levels, storms } = counter.climate(YEARS, WIND_RETURN_PERIODS);
  const known = knownCells();
  const stored = (field: Float32Array): Int16Array =>
    Int16Array.from(field, (value, cell) => (known[cell] === 0 ? NODATA : Math.round(value * 10)));
  const bands = levels.map(stored);
  const stormCount = stored(storms);
  const file = 'cyclone-wind.tif';
  writeGeoTiff(join(out, file), GRID, [...bands, stormCount], NODATA);
  const shared = {
    version: 'hurdat2-1975-2020-2026.1',
    file,
    scale: 0.1,
    offset: 0,
    nodata: NODATA,
    interpolation: 'bilinear',
    resolutionM: Math.round(GRID.step * METRES_PER_DEGREE),
    date: '2020-12-31',
    licence: 'MIT (dplyr); NOAA data public domain',
    source: 'NOAA HURDAT2 by way of the storms set of dplyr 1.0.10; Holland wind fields',
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
      band: bands.length,
      unit: 'storms in 46 years',
      returnPeriodYears: null,
    },
  ];
}

function knownCells(): Uint8Array {
  const known = new Uint8Array(GRID.width * GRID.height).fill(1);
  for (let cell = 0; cell < known.length; cell++) {
    const lat = GRID.north - Math.floor(cell / GRID.width) * GRID.step;
    const lng = GRID.west + (cell % GRID.width) * GRID.step;
    if (lat < divideLatitude(lng)) known[cell] = 0;
  }
  return known;
}

function divideLatitude(lng: number): number {
  for (let i = 1; i < PACIFIC_DIVIDE.length; i++) {
    const [x0, y0] = PACIFIC_DIVIDE[i - 1]!;
    const [x1, y1] = PACIFIC_DIVIDE[i]!;
    if (lng >= x0 && lng <= x1) return y0 + ((lng - x0) / (x1 - x0)) * (y1 - y0);
  }
  return -90;
}
