import { bitField, type QualityEncoding, setBits } from './view.ts';

/**
 * MSK_CLASSI of Sentinel-2 level 1C, whose three bands (0 or 1) are the bits of a code: opaque cloud, cirrus, snow and
 * ice. It contains no shadow.
 */
export const sentinel2Classification: QualityEncoding = {
  meaning: 'opaque cloud, cirrus and snow as bits 0 to 2 (the bands of MSK_CLASSI of Sentinel-2 level 1C)',
  source: 'ESA, Sentinel-2 Products Specification Document (S2-PDGS-TAS-DI-PSD), issue 14.9, MSK_CLASSI',
  bits: 8,
  view: (value) => {
    if (value > 7) return 'fill';
    if (bitField(value, 0, 2) > 0) return 'cloud';
    return bitField(value, 2) === 1 ? 'snow' : 'clear';
  },
  masked: [...setBits(0, 1, 2), { bit: 3, width: 5, from: 1, to: 31 }],
};
