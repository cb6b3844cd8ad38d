import { formatTimestamp } from '../../base/time.ts';
import type { ChangeVersion } from '../../contract/changes.ts';
import { toldAfter } from './change-events.ts';
import type { ChangeRecord, NewChange, StatedChange } from './change-store.ts';

/** The versions that state a change. */
export interface StatedBy {
  readonly modelVersion: string;
  /** Such as `groundwatch 1.4.0`. */
  readonly softwareVersion: string;
}

/** The record that a change continues, or of which it is a part. */
export interface Forerunner {
  readonly record: ChangeRecord;
  /** Whether it is the same change, which keeps its id. */
  readonly isSame: boolean;
}

/**
 * Adds the history to a change as a run states it: what each version stated and what events told. What the same
 * version stated last is replaced by what it states now. A change that is taken back keeps the last statement before
 * that, which has the confidence that it had.
 * @param within id of the change that covers the ground now, if the change is taken back because of it
 */
export function withHistory(
  change: StatedChange,
  { modelVersion, softwareVersion }: StatedBy,
  at: Date,
  forerunner?: Forerunner,
  within?: string,
): NewChange {
  const now: ChangeVersion = {
    model_version: modelVersion,
    software_version: softwareVersion,
    stated_at: formatTimestamp(at.getTime()),
    status: change.status,
    confidence: change.confidence,
    digest: change.digest,
    ...(within !== undefined && { id: within }),
  };
  return {
    ...change,
    toldAs: toldAfter(change, forerunner?.record.toldAs ?? null),
    versions: [...(forerunner === undefined ? [] : earlierVersions(forerunner, now)), now],
  };
}

function earlierVersions({ record, isSame }: Forerunner, now: ChangeVersion): readonly ChangeVersion[] {
  const { id, versions } = record;
  if (!isSame) return versions.map((version) => ({ id, ...version }));
  const last = versions.at(-1);
  if (last === undefined || !isSameVersion(last, now)) return versions;
  const wasRejected = last.status === 'rejected';
  if (now.status === 'rejected') return wasRejected ? versions.slice(0, -1) : versions;
  // A change that stands again replaces its rejection and the statement that was kept before that. An entry with an id
  // is a statement about the change that this one was a part of.
  const kept = wasRejected ? versions.at(-2) : undefined;
  const isRestated = kept !== undefined && kept.id === undefined && isSameVersion(kept, now);
  return versions.slice(0, isRestated ? -2 : -1);
}

function isSameVersion(a: ChangeVersion, b: ChangeVersion): boolean {
  return a.model_version === b.model_version && a.software_version === b.software_version;
}
