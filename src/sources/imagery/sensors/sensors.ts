import { hls } from './hls.ts';
import { landsat4To7 } from './landsat-4-7.ts';
import { landsat8And9 } from './landsat-8-9.ts';
import type { Sensor } from './sensor.ts';
import { sentinel2 } from './sentinel-2.ts';

/**
 * All sensors whose scenes can be ingested. If a STAC item has quality bands of two sensors, the band of the first
 * sensor in this list is used.
 */
export const SENSORS: readonly Sensor[] = [sentinel2, landsat8And9, landsat4To7, hls];
