import { field } from './view.ts';
import type { QualityEncoding } from './view.ts';

/** Mandatory quality of a band of the nadir reflectance products (MCD43A4, VNP43IA4 and related). */
export const modisBrdfInversion: QualityEncoding = {
  meaning: 'MODIS and VIIRS nadir reflectance quality (BRDF_Albedo_Band_Mandatory_Quality)',
  source: 'Schaaf 2019, MODIS BRDF and Albedo User Guide (MCD43, Collection 6.1), table of MCD43A4',
  bits: 8,
  // 0 is a full inversion of the reflectance model, 1 a magnitude inversion, 255 fill.
  view: (value) => (value === 0 || value === 1 ? 'clear' : 'fill'),
  masked: [field(0, 8, 2, 255)],
};
