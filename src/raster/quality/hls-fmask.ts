import { bitField, setBits } from './view.ts';
import type { QualityEncoding } from './view.ts';

const FILL = 255;

/** Quality band (Fmask) of the Harmonized Landsat and Sentinel-2 product; bit 0 (cirrus) is reserved. */
export const hlsFmask: QualityEncoding = {
  meaning: 'Harmonized Landsat and Sentinel-2 (Fmask)',
  source:
    'NASA, Harmonized Landsat Sentinel-2 product user guide, version 2.0, table of the quality assessment layer',
  bits: 8,
  view: (value) => {
    if (value === FILL) return 'fill';
    // Bit 1 is cloud, bit 2 the ring around cloud and shadow.
    if (bitField(value, 1) === 1 || bitField(value, 2) === 1) return 'cloud';
    if (bitField(value, 3) === 1) return 'shadow';
    if (bitField(value, 4) === 1) return 'snow';
    return bitField(value, 5) === 1 ? 'water' : 'clear';
  },
  masked: setBits(1, 2, 3, 4),
};
