import { bitField, field, setBits } from './view.ts';
import type { QualityEncoding } from './view.ts';

const HIGH = 3; // high confidence in a two-bit field: 0 unset, 1 low, 2 medium, 3 high

/** Quality band (BQA) of Landsat Collection 1 level 1; it has no class for water. */
export const landsatCollection1: QualityEncoding = {
  meaning: 'Landsat Collection 1 level 1 (BQA)',
  source: 'USGS, Landsat Collection 1 level 1 quality assessment band, table of bits',
  bits: 16,
  view: (value) => {
    if (bitField(value, 0) === 1) return 'fill';
    if (bitField(value, 2, 2) > 0) return 'saturated'; // 1 to 3: saturated in at least one band
    if (bitField(value, 4) === 1 || bitField(value, 5, 2) === HIGH || bitField(value, 11, 2) === HIGH)
      return 'cloud';
    if (bitField(value, 7, 2) === HIGH) return 'shadow';
    if (bitField(value, 9, 2) === HIGH) return 'snow';
    // A cloud confidence of 0 means that the cloud algorithm did not process the pixel.
    return bitField(value, 5, 2) === 0 ? 'fill' : 'clear';
  },
  masked: [
    ...setBits(0, 4),
    field(2, 2, 1, 3),
    field(5, 2, HIGH),
    field(7, 2, HIGH),
    field(9, 2, HIGH),
    field(11, 2, HIGH),
    field(5, 2, 0),
  ],
};
