import { formatTimestamp } from '../../base/time.ts';
import type { ChangeVersion } from '../../contract/changes.ts';
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
 * Adds the history to a change as a run states it. A version that stated it before is replaced by what it states now,
 * so that the history has one entry for each version of the model and software.
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
  const isNow = (version: ChangeVersion): boolean =>
    version.model_version === modelVersion && version.software_version === softwareVersion;
  const earlier = forerunner === undefined ? [] : statementsOf(forerunner).filter((each) => !isNow(each));
  return {
    ...change,
    wasConfirmed: change.confirmedAt !== null || forerunner?.record.wasConfirmed === true,
    versions: [...earlier, now],
  };
}

/** The history of a forerunner. The entries of another change name it. */
function statementsOf({ record, isSame }: Forerunner): readonly ChangeVersion[] {
  return isSame ? record.versions : record.versions.map((version) => ({ id: record.id, ...version }));
}
