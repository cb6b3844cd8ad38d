import { bitField, field, setBits } from './view.ts';
import type { QualityEncoding } from './view.ts';

/** Quality bits ("DetailedQA") of the MODIS and VIIRS vegetation index products (MOD13 and related). */
export const modisVegetationDetail: QualityEncoding = {
  meaning: 'MODIS vegetation index quality bits (VI Quality, DetailedQA)',
  source: 'Didan & Barreto Munoz 2019, MODIS Vegetation Index User Guide (MOD13, Collection 6.1), table 5',
  bits: 16,
  view: (value) => {
    const produced = bitField(value, 0, 2); // 0 good, 1 check the other bits, 2 most probably cloudy, 3 not produced
    if (produced === 3) return 'fill';
    if (produced === 2 || bitField(value, 10) === 1) return 'cloud'; // bit 10: mixed clouds
    if (bitField(value, 15) === 1) return 'shadow';
    if (bitField(value, 14) === 1) return 'snow';
    const surface = bitField(value, 11, 3); // 1 is land, 2 coast; the others are kinds of water
    return surface === 1 || surface === 2 ? 'clear' : 'water';
  },
  masked: [field(0, 2, 2, 3), ...setBits(10, 14, 15)],
};
