import { field } from './view.ts';
import type { QualityEncoding } from './view.ts';

const POOR = 6; // 0 excellent, 1 good, 2 acceptable, 3 marginal, 4 pass, 5 questionable, 6 poor
const SHADOW = 7;
const SNOW = 8;
const CLOUD = 9;

/** Pixel reliability of the VIIRS vegetation index products (VNP13, VJ113, VJ213). */
export const viirsVegetationReliability: QualityEncoding = {
  meaning: 'VIIRS vegetation index pixel reliability (VNP13 and related)',
  source: 'Didan et al. 2018, VIIRS Vegetation Index User Guide (VNP13), table of pixel reliability',
  bits: 8,
  view: (value) => {
    if (value < POOR) return 'clear';
    if (value === SHADOW) return 'shadow';
    if (value === SNOW) return 'snow';
    // 10 and 11 are estimates from other years; negative values are fill.
    return value === CLOUD ? 'cloud' : 'fill';
  },
  masked: [field(0, 8, POOR, 255)],
};
