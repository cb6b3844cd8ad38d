import { field } from './view.ts';
import type { QualityEncoding } from './view.ts';

/** Class numbers of CFmask, as used by Landsat products before they had bit-packed quality bands. */
export const landsatCfmask: QualityEncoding = {
  meaning: 'CFmask classes of early Landsat surface reflectance',
  source: 'Foga et al. 2017, doi:10.1016/j.rse.2017.03.026',
  bits: 8,
  view: (value) => {
    if (value === 0) return 'clear';
    if (value === 1) return 'water';
    if (value === 2) return 'shadow';
    if (value === 3) return 'snow';
    if (value === 4) return 'cloud';
    return 'fill';
  },
  masked: [field(0, 8, 2, 255)],
};
