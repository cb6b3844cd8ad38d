import type { Sensor } from './sensor.ts';
import { tiledProduct } from './tiled-product.ts';

/** Surface reflectance of VIIRS, 8 days: imaging bands (500 m) or moderate bands (1 km) (VNP09 user guide). */
export const viirsReflectance: Sensor = tiledProduct({
  name: 'VIIRS VNP09H1',
  shortNames: 'V(?:NP|J1|J2)09H1',
  collections: /viirs-09H1/,
  bands: { red: 'SurfReflect_I1', nir: 'SurfReflect_I2', swir1: 'SurfReflect_I3' },
  quality: { SurfReflect_State_500m: 'modis-sr-state' },
  nodata: -28_672,
});

/** Surface reflectance of the moderate bands of VIIRS, 8 days and 1 km (VNP09 user guide). */
export const viirsModerate: Sensor = tiledProduct({
  name: 'VIIRS VNP09A1',
  shortNames: 'V(?:NP|J1|J2)09A1',
  collections: /viirs-09A1/,
  bands: {
    green: 'SurfReflect_M4',
    red: 'SurfReflect_M5',
    nir: 'SurfReflect_M7',
    swir1: 'SurfReflect_M10',
    swir2: 'SurfReflect_M11',
  },
  quality: { SurfReflect_State: 'modis-sr-state', SurfReflect_State_1km: 'modis-sr-state' },
  nodata: -28_672,
});

/**
 * Reflectance of the vegetation index composites of VIIRS, 16 days (Didan et al. 2018, user guide). SWIR1 is at 1.24 um,
 * which is none of our bands.
 */
export const viirsVegetation: Sensor = tiledProduct({
  name: 'VIIRS VNP13',
  shortNames: 'V(?:NP|J1|J2)13A\\d',
  collections: /viirs-13A1/,
  bands: {
    green: 'green_reflectance',
    red: 'red_reflectance',
    nir: 'NIR_reflectance',
    swir1: 'SWIR2_reflectance',
    swir2: 'SWIR3_reflectance',
  },
  quality: { pixel_reliability: 'viirs-vi-reliability' },
  nodata: -1000,
});
