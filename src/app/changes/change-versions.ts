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
 * version stated last is replaced by what it states now.
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
  const isRestated =
    last?.model_version === now.model_version && last.software_version === now.software_version;
  return isRestated ? versions.slice(0, -1) : versions;
}
