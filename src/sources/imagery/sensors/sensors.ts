import { hlsLandsat, hlsSentinel2 } from './hls.ts';
import { landsat4To7 } from './landsat-4-7.ts';
import { landsat8And9 } from './landsat-8-9.ts';
import { modisNadir, modisReflectance, modisVegetation } from './modis.ts';
import type { Sensor } from './sensor.ts';
import { sentinel2 } from './sentinel-2.ts';
import { sentinel2Level1 } from './sentinel-2-level-1.ts';
import { viirsModerate, viirsReflectance, viirsVegetation } from './viirs.ts';

/**
 * All sensors whose scenes can be ingested. If a STAC item has quality bands of two sensors, the band of the first
 * sensor in this list is used.
 */
export const SENSORS: readonly Sensor[] = [
  // Items of HLS may name the satellite as their platform, so they are recognised first.
  hlsSentinel2,
  hlsLandsat,
  sentinel2,
  sentinel2Level1,
  landsat8And9,
  landsat4To7,
  modisReflectance,
  modisVegetation,
  modisNadir,
  viirsReflectance,
  viirsModerate,
  viirsVegetation,
];
