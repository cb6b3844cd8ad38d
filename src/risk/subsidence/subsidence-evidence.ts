import type { EvidenceKind } from '../evidence-kind.ts';

/** Kinds of evidence of the subsidence model, ascending. */
export const SUBSIDENCE_EVIDENCE: readonly EvidenceKind[] = [
  { class: 'terrain', name: 'soil', layers: ['soil-clay'] },
  {
    class: 'measured',
    name: 'displacement',
    layers: ['velocity-gradient', 'displacement-velocity', 'displacement-acceleration'],
  },
];
