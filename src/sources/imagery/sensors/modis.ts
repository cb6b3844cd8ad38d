import type { Sensor } from './sensor.ts';
import { tiledProduct } from './tiled-product.ts';

/** Surface reflectance of MODIS, 8 days or daily (Vermote, Roger & Ray 2015, user guide, Collection 6). */
export const modisReflectance: Sensor = tiledProduct({
  name: 'MODIS MOD09A1',
  shortNames: 'M[OY]D09A1',
  collections: /modis-09A1/,
  bands: {
    red: 'sur_refl_b01',
    nir: 'sur_refl_b02',
    green: 'sur_refl_b04',
    swir1: 'sur_refl_b06',
    swir2: 'sur_refl_b07',
  },
  quality: { sur_refl_state_500m: 'modis-sr-state' },
  nodata: -28_672,
});

/** Reflectance of the vegetation index composites of MODIS, 16 days (Didan & Barreto Munoz 2019, user guide). */
export const modisVegetation: Sensor = tiledProduct({
  name: 'MODIS MOD13',
  shortNames: 'M[OY]D13[QA]\\d',
  collections: /modis-13[QA]1/,
  bands: { red: 'red_reflectance', nir: 'NIR_reflectance', swir2: 'MIR_reflectance' },
  quality: { VI_Quality: 'modis-vi-detail', pixel_reliability: 'modis-vi-summary' },
  nodata: -1000,
});

/** Reflectance of MODIS as seen from above, daily from 16 days (Schaaf 2019, user guide of MCD43). */
export const modisNadir: Sensor = tiledProduct({
  name: 'MODIS MCD43A4',
  shortNames: 'MCD43A4',
  collections: /modis-43A4/,
  bands: {
    red: 'Nadir_Reflectance_Band1',
    nir: 'Nadir_Reflectance_Band2',
    green: 'Nadir_Reflectance_Band4',
    swir1: 'Nadir_Reflectance_Band6',
    swir2: 'Nadir_Reflectance_Band7',
  },
  quality: { BRDF_Albedo_Band_Mandatory_Quality_Band1: 'modis-brdf-inversion' },
  nodata: 32_767,
});
