import { hlsFmask } from './hls-fmask.ts';
import { landsatArd } from './landsat-ard.ts';
import { landsatCfmask } from './landsat-cfmask.ts';
import { landsatCollection1 } from './landsat-collection-1.ts';
import { landsatCollection2 } from './landsat-collection-2.ts';
import { landsatRadiometric } from './landsat-radiometric.ts';
import { modisBrdfInversion } from './modis-brdf-inversion.ts';
import { modisReflectanceState } from './modis-reflectance-state.ts';
import { modisVegetationDetail } from './modis-vegetation-detail.ts';
import { modisVegetationSummary } from './modis-vegetation-summary.ts';
import { operaRtcMask } from './opera-rtc-mask.ts';
import { sentinel2Classification } from './sentinel-2-classification.ts';
import { sentinel2CloudProbability } from './sentinel-2-cloud-probability.ts';
import { sentinel2SceneClass } from './sentinel-2-scene-class.ts';
import { viirsVegetationReliability } from './viirs-vegetation-reliability.ts';
import type { QualityEncoding } from './view.ts';

/** Quality encodings by the name that a user gives. */
export const QUALITY_ENCODINGS = {
  'sentinel-2-scl': sentinel2SceneClass,
  'sentinel-2-cloud-probability': sentinel2CloudProbability,
  'sentinel-2-classification': sentinel2Classification,
  'landsat-c2': landsatCollection2,
  'landsat-c2-radsat': landsatRadiometric,
  'landsat-c1': landsatCollection1,
  'landsat-ard': landsatArd,
  'landsat-cfmask': landsatCfmask,
  'hls-fmask': hlsFmask,
  'modis-vi-summary': modisVegetationSummary,
  'modis-vi-detail': modisVegetationDetail,
  'modis-sr-state': modisReflectanceState,
  'modis-brdf-inversion': modisBrdfInversion,
  'opera-rtc-mask': operaRtcMask,
  'viirs-vi-reliability': viirsVegetationReliability,
} as const satisfies Readonly<Record<string, QualityEncoding>>;

/** Name of a quality encoding. */
export type QualityName = keyof typeof QUALITY_ENCODINGS;
