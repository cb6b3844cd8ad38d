import { field } from './view.ts';
import type { QualityEncoding } from './view.ts';

const CLOUD_PERCENT = 40; // threshold .4 that s2cloudless documents for 10 to 60 m (Skakun et al. 2022, doi:10.1016/j.rse.2022.112990)

/**
 * Cloud probability in percent: MSK_CLDPRB of Sentinel-2 level 2A, or s2cloudless. It contains neither shadow nor
 * snow.
 */
export const sentinel2CloudProbability: QualityEncoding = {
  meaning: 'cloud probability in percent (Sentinel-2 MSK_CLDPRB, s2cloudless)',
  source: 'Skakun et al. 2022, doi:10.1016/j.rse.2022.112990',
  bits: 8,
  view: (value) => {
    if (value > 100) return 'fill';
    return value >= CLOUD_PERCENT ? 'cloud' : 'clear';
  },
  masked: [field(0, 8, CLOUD_PERCENT, 255)],
};
