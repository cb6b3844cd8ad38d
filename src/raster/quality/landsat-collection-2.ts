import { bitField, field, setBits } from './view.ts';
import type { QualityEncoding } from './view.ts';

/** Quality band (QA_PIXEL) of Landsat Collection 2, level 1 and 2. */
export const landsatCollection2: QualityEncoding = {
  meaning: 'Landsat Collection 2 (QA_PIXEL)',
  source: 'USGS LSDS-1619, Landsat 8-9 Collection 2 level 2 product guide, table of QA_PIXEL bits',
  bits: 16,
  view: (value) => {
    if (bitField(value, 0) === 1) return 'fill';
    // Bit 3 is cloud, bit 1 the dilated ring around cloud, bit 2 cirrus.
    if (bitField(value, 3) === 1 || bitField(value, 1) === 1 || bitField(value, 2) === 1) return 'cloud';
    if (bitField(value, 4) === 1) return 'shadow';
    if (bitField(value, 5) === 1) return 'snow';
    if (bitField(value, 7) === 1) return 'water';
    return bitField(value, 6) === 1 ? 'clear' : 'fill';
  },
  masked: [...setBits(0, 1, 2, 3, 4, 5), field(6, 2, 0)],
};
