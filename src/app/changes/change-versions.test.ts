import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeRecord } from '../../../test/fixtures/records.ts';
import type { ChangeVersion } from '../../contract/changes.ts';
import type { ChangeRecord } from './change-store.ts';
import { withHistory } from './change-versions.ts';

const NOW = new Date('2026-11-01T00:00:00.000Z');
const BY = { modelVersion: 'change-v1.0.0', softwareVersion: 'groundwatch 1.4.0' };

const LAST = { model_version: 'change-v0.9.0', software_version: 'groundwatch 1.3.0' };
const SAME = { model_version: 'change-v1.0.0', software_version: 'groundwatch 1.4.0' };

/** A version with this status and confidence. */
function stated(
  by: typeof LAST,
  status: ChangeVersion['status'],
  confidence: number,
  id?: string,
): ChangeVersion {
  const version = { ...by, stated_at: '2026-09-01T02:10:00.000Z', status, confidence, digest: 'd' };
  return id === undefined ? version : { ...version, id };
}

for (const [what, before, status, confidence, expected] of [
  [
    'what the same version stated last is replaced',
    [stated(SAME, 'suspected', 0.4)],
    'confirmed',
    0.9,
    [0.9],
  ],
  ['another version adds its statement', [stated(LAST, 'confirmed', 0.8)], 'confirmed', 0.9, [0.8, 0.9]],
  ['a rejection keeps the statement before it', [stated(SAME, 'confirmed', 0.9)], 'rejected', 0, [0.9, 0]],
  [
    'a second rejection replaces the first',
    [stated(SAME, 'confirmed', 0.9), stated(SAME, 'rejected', 0)],
    'rejected',
    0,
    [0.9, 0],
  ],
  [
    'a change that stands again replaces its rejection and the statement before it',
    [stated(LAST, 'confirmed', 0.8), stated(SAME, 'confirmed', 0.9), stated(SAME, 'rejected', 0)],
    'confirmed',
    0.95,
    [0.8, 0.95],
  ],
  [
    'but not what another version stated before the rejection',
    [stated(LAST, 'confirmed', 0.8), stated(SAME, 'rejected', 0)],
    'confirmed',
    0.95,
    [0.8, 0.95],
  ],
  [
    'nor what was stated about the change of which it is a part',
    [stated(SAME, 'confirmed', 0.9, 'chg_whole'), stated(SAME, 'rejected', 0)],
    'confirmed',
    0.95,
    [0.9, 0.95],
  ],
] as const)
  test(`versions of a change: ${what}`, () => {
    const record = { ...changeRecord('col_1'), versions: before } as unknown as ChangeRecord;
    const change = { ...changeRecord('col_1'), status, confidence };
    const { versions } = withHistory(change, BY, NOW, { record, isSame: true });
    assert.deepEqual(
      versions.map((version) => version.confidence),
      expected,
    );
    assert.equal(versions.at(-1)!.status, status);
  });
