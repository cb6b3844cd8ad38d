import type { EvidenceKind } from '../evidence-kind.ts';

/** Maximum size of the cells of a gust map that resolves hills and shores [m]. */
const FINE_GUST_M = 10_000;

/** Kinds of evidence of the storm model, ascending. */
export const STORM_EVIDENCE: readonly EvidenceKind[] = [
  { class: 'regional', name: 'distance to the shore', layers: ['coast-distance'] },
  { class: 'regional', name: 'gust of the climate zone', layers: ['inland-gust'] },
  { class: 'map', name: 'climate of winds', layers: ['sea-wind', 'cyclone-wind'] },
  { class: 'map', name: 'gust map', layers: ['gust'] },
  { class: 'fine', name: 'fine gust map', layers: ['gust'], withinM: FINE_GUST_M },
];
