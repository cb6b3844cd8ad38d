import { field } from './view.ts';
import type { QualityEncoding } from './view.ts';

/** Mask of OPERA RTC-S1: 0 valid, 1 radar shadow, 2 layover, 3 both, 255 outside of the burst. */
export const operaRtcMask: QualityEncoding = {
  meaning: 'OPERA RTC-S1 (mask: layover and shadow)',
  source: 'NASA JPL, OPERA RTC-S1 product specification (D-108758), table of the layer mask',
  bits: 8,
  view: (value) => {
    if (value === 0) return 'clear';
    return value <= 3 ? 'shadow' : 'fill';
  },
  masked: [field(0, 8, 1, 255)],
};
