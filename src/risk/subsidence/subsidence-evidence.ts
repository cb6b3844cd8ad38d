import type { EvidenceKind } from '../evidence-kind.ts';

/** Kinds of evidence of the subsidence model, ascending. */
export const SUBSIDENCE_EVIDENCE: readonly EvidenceKind[] = [
  { class: 'regional', name: 'kind of ground', layers: ['subsiding-share'] },
  { class: 'terrain', name: 'soil', layers: ['soil-clay'] },
  {
    class: 'measured',
    name: 'displacement',
    layers: ['velocity-gradient', 'displacement-velocity', 'displacement-acceleration'],
  },
];
