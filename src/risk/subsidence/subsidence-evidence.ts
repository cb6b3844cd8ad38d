import type { EvidenceKind } from '../evidence-kind.ts';

const MEASURED = ['velocity-gradient', 'displacement-velocity', 'displacement-acceleration'];

/** Kinds of evidence of the subsidence model, ascending. */
export const SUBSIDENCE_EVIDENCE: readonly EvidenceKind[] = [
  { class: 'regional', name: 'kind of ground', layers: ['subsiding-share'] },
  { class: 'terrain', name: 'soil', layers: ['soil-clay'] },
  { class: 'measured', name: 'displacement', layers: MEASURED },
  { class: 'measured', name: 'displacement and soil', layers: MEASURED, besides: ['soil-clay'] },
];
