import type { ChangeObject } from '../../../change/object/objects.ts';
import type { ObjectEvidence } from '../../../change/object/provenance.ts';

/** A change that the monitor found, with its evidence. */
export interface FoundChange extends ChangeObject {
  readonly evidence: ObjectEvidence;
}
