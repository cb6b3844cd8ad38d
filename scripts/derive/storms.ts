import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { interpolateTrack, type TrackFix } from '../../src/risk/cyclone-track.ts';
import { FIELD_RADIUS_KM, windField } from '../../src/risk/cyclone-wind.ts';
import { levelOfRate, rateOfReturnPeriod } from '../../src/risk/exceedance-rate.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { writeGeoTiff } from './geotiff-file.ts';
import type { GlobalGrid } from './global-grid.ts';
import { NODATA } from './terrain.ts';

const MPS_PER_KNOT = 0.514444; // international knot
const YEARS = 46; // 1975 to 2020

/** Return periods that 46 years carry when neighbouring tracks are pooled (about 300 storm-years within the kernel). */
export const WIND_RETURN_PERIODS = [2, 5, 10, 25, 50, 100, 250] as const;

/** The Atlantic basin's reach. */
const GRID: GlobalGrid = { width: 449, height: 225, step: 0.25, west: -112, north: 60 };

/** Wind from which a storm counts [m/s]: gale force, 34 kn. */
const GALE_MPS = 17;
/** Levels at which rates are counted [m/s]; none of the 46 years passed the last. */
const LEVELS = Array.from({ length: 31 }, (_, i) => GALE_MPS + 2.5 * i);

/** Standard deviation of the kernel that pools neighbouring tracks [km]: about the spread of a track forecast to one day (ours). */
const KERNEL_KM = 80;

const STEP_HOURS = 0.5;

/** South-west of this line the East Pacific's storms, which are not in the set, reach: nodata. Latitude by longitude. */
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

/** Writes the storm set as CSV from the R package's lazy-load database, by `Rscript`. */
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

/** Reads the CSV back as one track per storm, in order of time. */
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
  const cells = GRID.width * GRID.height;
  const counts = LEVELS.map(() => new Float32Array(cells));
  const peak = new Float32Array(cells);
  for (const fixes of readStorms(csv)) {
    const touched = new Set<number>();
    for (const state of interpolateTrack(fixes, STEP_HOURS)) {
      if (state.maxWindMps < GALE_MPS) continue;
      const field = windField(state);
      forEachCellNear(state.lat, state.lng, (cell, lat, lng) => {
        const wind = field.windAt(lat, lng);
        if (wind < GALE_MPS || wind <= peak[cell]!) return;
        peak[cell] = wind;
        touched.add(cell);
      });
    }
    for (const cell of touched) {
      for (let k = 0; k < LEVELS.length && peak[cell]! > LEVELS[k]!; k++) counts[k]![cell]! += 1;
      peak[cell] = 0;
    }
  }
  const smooth = counts.map(smoothed);
  const known = knownCells();
  const bands = WIND_RETURN_PERIODS.map((T) => {
    const rate = rateOfReturnPeriod(T);
    return Int16Array.from({ length: cells }, (_, cell) => {
      if (known[cell] === 0) return NODATA;
      const rates = smooth.map((level) => level[cell]! / YEARS);
      return Math.round(levelOfRate(LEVELS, rates, rate) * 10);
    });
  });
  const stormCount = Int16Array.from(smooth[0]!, (n, cell) =>
    known[cell] === 0 ? NODATA : Math.round(n * 10),
  );
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

function forEachCellNear(
  lat: number,
  lng: number,
  visit: (cell: number, lat: number, lng: number) => void,
): void {
  const dLat = FIELD_RADIUS_KM / 111.195; // km per degree of latitude
  const dLng = dLat / Math.cos((lat * Math.PI) / 180);
  const top = Math.max(0, Math.ceil((GRID.north - lat - dLat) / GRID.step));
  const bottom = Math.min(GRID.height - 1, Math.floor((GRID.north - lat + dLat) / GRID.step));
  const left = Math.max(0, Math.ceil((lng - dLng - GRID.west) / GRID.step));
  const right = Math.min(GRID.width - 1, Math.floor((lng + dLng - GRID.west) / GRID.step));
  for (let row = top; row <= bottom; row++)
    for (let col = left; col <= right; col++)
      visit(row * GRID.width + col, GRID.north - row * GRID.step, GRID.west + col * GRID.step);
}

/** Gaussian smoothing by rows and columns; weights beyond the edge are left out and the rest made up to one. */
function smoothed(field: Float32Array): Float32Array {
  const kmPerCell = GRID.step * 111.195; // km per degree of latitude
  const along = new Float32Array(field.length);
  for (let row = 0; row < GRID.height; row++) {
    const squeeze = Math.cos(((GRID.north - row * GRID.step) * Math.PI) / 180);
    convolve(field, along, row * GRID.width, 1, GRID.width, KERNEL_KM / (kmPerCell * squeeze));
  }
  const both = new Float32Array(field.length);
  for (let col = 0; col < GRID.width; col++)
    convolve(along, both, col, GRID.width, GRID.height, KERNEL_KM / kmPerCell);
  return both;
}

function convolve(
  from: Float32Array,
  to: Float32Array,
  start: number,
  stride: number,
  n: number,
  sigma: number,
): void {
  const reach = Math.ceil(3 * sigma);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    let weights = 0;
    for (let k = Math.max(0, i - reach); k <= Math.min(n - 1, i + reach); k++) {
      const w = Math.exp(-0.5 * ((k - i) / sigma) ** 2);
      sum += w * from[start + k * stride]!;
      weights += w;
    }
    to[start + i * stride] = sum / weights;
  }
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
