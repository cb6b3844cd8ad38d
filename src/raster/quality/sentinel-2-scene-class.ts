import { field } from './view.ts';
import type { QualityEncoding, View } from './view.ts';

const CLASSES: readonly View[] = [
  'fill', // 0 no data
  'saturated', // 1 saturated or defective
  'shadow', // 2 cast shadow (dark area before baseline 04.00)
  'shadow', // 3 cloud shadow
  'clear', // 4 vegetation
  'clear', // 5 not vegetated
  'water', // 6 water
  'clear', // 7 unclassified: bright soil and roofs more often than cloud
  'cloud', // 8 cloud, medium probability
  'cloud', // 9 cloud, high probability
  'cloud', // 10 thin cirrus
  'snow', // 11 snow or ice
];

/** Scene classification (SCL) of Sentinel-2 level 2A. */
export const sentinel2SceneClass: QualityEncoding = {
  meaning: 'Sentinel-2 level 2A scene classification (SCL)',
  source: 'ESA, Sentinel-2 Level-2A Algorithm Theoretical Basis Document, table of scene classes',
  bits: 8,
  view: (value) => CLASSES[value] ?? 'fill',
  masked: [field(0, 8, 0, 3), field(0, 8, 8, 255)],
};
