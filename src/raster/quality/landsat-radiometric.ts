import { bitField, field, setBits } from './view.ts';
import type { QualityEncoding } from './view.ts';

/** Saturation band (QA_RADSAT) of Landsat Collection 2; it has no cloud flags. */
export const landsatRadiometric: QualityEncoding = {
  meaning: 'Landsat Collection 2 saturation (QA_RADSAT): saturated in any band, or hidden by terrain',
  source: 'USGS LSDS-1619, Landsat 8-9 Collection 2 level 2 product guide, table of QA_RADSAT bits',
  bits: 16,
  view: (value) => {
    if (bitField(value, 11) === 1) return 'shadow'; // bit 11: terrain occlusion
    return bitField(value, 0, 7) > 0 || bitField(value, 8) === 1 ? 'saturated' : 'clear';
  },
  masked: [...setBits(8, 11), field(0, 7, 1, 127)],
};
