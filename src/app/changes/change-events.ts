import { SUSPICION_CONFIDENCE } from '../../contract/limits.ts';
import type { ChangeRecord, NewChange, StatedChange, ToldAs } from './change-store.ts';

/**
 * What events have told about a change after it is stated, from what they told before.
 * @param told null before the first event
 */
export function toldAfter(change: StatedChange, told: ToldAs | null): ToldAs | null {
  if (told === 'confirmed') return told;
  if (change.confirmedAt !== null && change.status !== 'rejected') return 'confirmed';
  const isSuspected = change.status === 'suspected';
  if (told === null && isSuspected && change.confidence >= SUSPICION_CONFIDENCE) return 'suspected';
  // Only those who asked for suspicions know of this one, so no other type of event tells that it was rejected.
  if (told === 'suspected' && !isSuspected) return 'withdrawn';
  return told;
}

/** Type of the event for an update of a change; undefined when no event is needed. */
export function eventOf(
  change: NewChange,
  before: ChangeRecord | undefined,
): 'change.suspected' | 'change.detected' | 'change.updated' | undefined {
  if (before?.toldAs === 'confirmed') return isSame(change, before) ? undefined : 'change.updated';
  if (change.toldAs === (before?.toldAs ?? null)) return undefined;
  if (change.toldAs !== 'confirmed') return 'change.suspected';
  // A new change that has a history is a part of a confirmed change: its ground is known.
  if (before !== undefined || change.versions.length === 1) return 'change.detected';
  return change.confirmedAt === null ? undefined : 'change.updated';
}

/** Whether an update has nothing that a receiver of the change would act on. */
function isSame(change: NewChange, before: ChangeRecord): boolean {
  if (change.status === 'rejected') return before.status === 'rejected';
  return (
    before.status === change.status &&
    before.type === change.type &&
    before.areaM2 === change.areaM2 &&
    Math.abs(before.confidence - change.confidence) < 0.01
  );
}
