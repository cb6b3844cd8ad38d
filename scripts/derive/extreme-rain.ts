import { join } from 'node:path';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { mixClasses } from './class-mixing.ts';
import { CLIMATE_GRID } from './climate-zones.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';

/**
 * Highest rain of a day that a place of each climate reaches on average every ten years [mm] (ours: orders of magnitude,
 * rounded to 5 mm; global maps give 20 to 60 mm for deserts and cold land, 50 to 100 mm for temperate land and 100 to
 * 250 mm for monsoon coasts). The order is that of the Koeppen-Geiger names Af to ET.
 * @see doi:10.1016/j.jhydrol.2023.129558 (Gruendemann et al. 2023)
 */
export const TEN_YEAR_RAIN_MM: readonly number[] = [
  { Af: 140, Am: 180, As: 130, Aw: 125 },
  { BSh: 75, BSk: 55, BWh: 35, BWk: 30 },
  { Cfa: 115, Cfb: 65, Cfc: 60, Csa: 80, Csb: 75, Csc: 50, Cwa: 120, Cwb: 85, Cwc: 60 },
  { Dfa: 85, Dfb: 60, Dfc: 50, Dfd: 45, Dsa: 50, Dsb: 50, Dsc: 45, Dsd: 40 },
  { Dwa: 95, Dwb: 80, Dwc: 55, Dwd: 45 },
  { EF: 25, ET: 35 },
].flatMap((group) => Object.values(group));

/** Distances over which the classes are mixed, and up to which the field reaches over the coast [km] (our choice). */
const MIXING = { sigmaKm: 80, reachKm: 200 } as const;

const NODATA = -32_768;

/** Derives the ten-year daily rain into `out` from the layer `climate-zone` there. @returns its catalogue entry */
export function deriveExtremeRain(out: string): CatalogueEntry[] {
  const zones = readRaster(join(out, 'climate-zone.tif'));
  const rain = mixClasses(CLIMATE_GRID, zones, (zone) => TEN_YEAR_RAIN_MM[zone - 1]!, MIXING);
  const cells = Int16Array.from(rain, (mm) => (Number.isNaN(mm) ? NODATA : Math.round(mm)));
  writeGeoTiff(join(out, 'extreme-rain.tif'), CLIMATE_GRID, [cells], NODATA);
  return [
    {
      layer: 'extreme-rain',
      version: 'koeppen-geiger-2017',
      file: 'extreme-rain.tif',
      band: 0,
      scale: 1,
      offset: 0,
      nodata: NODATA,
      unit: 'mm',
      returnPeriodYears: null,
      interpolation: 'bilinear',
      resolutionM: Math.round(0.5 * METRES_PER_DEGREE),
      date: '2010-12-31',
      licence: 'BSD-3-Clause',
      source:
        'usual ten-year daily rain of the Koeppen-Geiger classes of Rubel et al. 2017, mixed over 80 km (ours)',
    },
  ];
}
