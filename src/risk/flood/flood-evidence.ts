import type { EvidenceKind } from '../evidence-kind.ts';

/** Maximum size of the cells of a flood map that resolves the ground at a building [m]. */
const FINE_MAP_M = 100;

const MAPS = ['flood-depth', 'coastal-flood-depth'];

/** Kinds of evidence of the flood model, ascending. */
export const FLOOD_EVIDENCE: readonly EvidenceKind[] = [
  { class: 'regional', name: 'distance to the shore', layers: ['coast-distance'] },
  {
    class: 'terrain',
    name: 'heights and distances',
    layers: ['elevation', 'water-distance', 'major-river-distance', 'height-above-water'],
  },
  { class: 'terrain', name: 'height above nearest drainage', layers: ['hand'] },
  { class: 'map', name: 'flood map', layers: MAPS },
  { class: 'fine', name: 'fine flood map', layers: MAPS, withinM: FINE_MAP_M },
];
