import { bitField, field, setBits } from './view.ts';
import type { QualityEncoding } from './view.ts';

const HIGH = 3; // high confidence in a two-bit field: 0 unset, 1 low, 2 medium, 3 high

/**
 * Pixel quality band of Landsat analysis ready data (Collection 1), and of Collection 1 surface reflectance
 * (pixel_qa).
 */
export const landsatArd: QualityEncoding = {
  meaning: 'Landsat analysis ready data and Collection 1 surface reflectance (PIXELQA, pixel_qa)',
  source: 'USGS LSDS-1873, Landsat Analysis Ready Data format control book, table of PIXELQA bits',
  bits: 16,
  view: (value) => {
    if (bitField(value, 0) === 1) return 'fill';
    if (bitField(value, 5) === 1 || bitField(value, 8, 2) === HIGH) return 'cloud';
    if (bitField(value, 3) === 1) return 'shadow';
    if (bitField(value, 4) === 1) return 'snow';
    if (bitField(value, 2) === 1) return 'water';
    return bitField(value, 1) === 1 ? 'clear' : 'fill';
  },
  masked: [...setBits(0, 3, 4, 5), field(8, 2, HIGH), field(1, 2, 0)],
};
