import { field } from './view.ts';
import type { QualityEncoding } from './view.ts';

/** Pixel reliability ("SummaryQA") of the MODIS and VIIRS vegetation index products (MOD13 and related). */
export const modisVegetationSummary: QualityEncoding = {
  meaning: 'MODIS vegetation index pixel reliability (SummaryQA)',
  source: 'Didan & Barreto Munoz 2019, MODIS Vegetation Index User Guide (MOD13, Collection 6.1), table 4',
  bits: 8,
  view: (value) => {
    if (value === 0 || value === 1) return 'clear'; // 0 is good, 1 marginal
    if (value === 2) return 'snow';
    if (value === 3) return 'cloud';
    return 'fill'; // 4 is estimated from other years; 255 is the unsigned form of -1, fill
  },
  masked: [field(0, 8, 2, 255)],
};
