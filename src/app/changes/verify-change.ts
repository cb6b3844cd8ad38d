import type { ChangeVersion, Provenance } from '../../contract/changes.ts';
import { formatTimestamp } from '../../base/time.ts';
import { MODEL_VERSION } from '../../change/parameters.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { byFirstRecipe, changeDigest, firstRejectedDigest, presentResult } from './change-digest.ts';
import { readCollectionStack, type CollectionStack } from './collection-stack.ts';
import type { Deps } from '../deps.ts';
import { NotFound } from '../../base/errors.ts';
import { monitoredState } from './monitor-collection.ts';
import { searchCollection } from './search-collection.ts';
import { cubesOf } from '../series/snow-cube.ts';
import { objectKeyOf } from './known-change.ts';
import { sceneSources, toChangeRecord } from './change-record.ts';
import type { ChangeRecord, StatedChange } from './change-store.ts';

/** Maximum number of attempts. An attempt is repeated when the change was published again during it. */
const MAX_RUNS = 5;
/** Maximum length of a value in a message [characters]. */
const SHOWN = 60;

/** A reason why a change cannot be verified. */
export interface VerificationProblem {
  readonly kind: 'record' | 'software' | 'collection' | 'cube' | 'scene' | 'result';
  readonly message: string;
}

/** Result of verifying a change; the change is verified when there are no problems. */
export interface Verification {
  readonly id: string;
  readonly digest: string;
  /** Digest of the recomputed change; null when it could not be recomputed. */
  readonly recomputed: string | null;
  readonly scenes: number;
  readonly problems: readonly VerificationProblem[];
}

/**
 * Verifies a change from its provenance. Checks that its record is unaltered, that the cube still contains the same
 * scenes, and that the monitor finds a change with the same digest in them. Writes nothing.
 * @throws NotFound
 */
export async function verifyChange(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  id: string,
  progress: (done: number, total: number) => void,
): Promise<Verification> {
  for (let run = 1; ; run++) {
    const record = await deps.storage.changes.locate(id);
    if (record === undefined) throw new NotFound(`There is no change ${id}`);
    const verification = await verifyRecord(deps, record, progress);
    if (verification.problems.length === 0 || run === MAX_RUNS) return verification;
    // The change may have been published again during the verification, with scenes that this record does not have.
    // Then the new record is verified.
    const now = await deps.storage.changes.locate(id);
    if (now?.digest === record.digest) return verification;
  }
}

async function verifyRecord(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  record: ChangeRecord,
  progress: (done: number, total: number) => void,
): Promise<Verification> {
  const problems = recordProblems(record);
  const of = (recomputed: string | null, more: readonly VerificationProblem[]): Verification => ({
    id: record.id,
    digest: record.digest,
    recomputed,
    scenes: record.provenance.scenes.length,
    problems: [...problems, ...softwareProblems(record, deps.version, [...problems, ...more]), ...more],
  });
  const collection = await deps.storage.collections.find(record.collectionId);
  if (collection === undefined)
    return of(null, [{ kind: 'collection', message: `its collection ${record.collectionId} is gone` }]);
  const { environment, accountId, name } = collection;
  const damaged: string[] = [];
  for (const member of await deps.storage.collections.byName(environment, accountId, name))
    for (const cubeId of await cubesOf(deps.cube, member.id))
      damaged.push(...(await deps.cube.check(cubeId)));
  if (damaged.length > 0)
    return of(
      null,
      damaged.map((message) => ({ kind: 'cube' as const, message })),
    );
  const stack = await readCollectionStack(deps, collection);
  const unlike = sceneProblems(record.provenance, stack);
  // Another model may give another result, so a change that another model stated cannot be recomputed here.
  if (unlike.length > 0 || statementOf(record).model_version !== MODEL_VERSION) return of(null, unlike);
  const found = await recompute(deps, record, stack, progress);
  if (found === undefined) {
    if (record.status === 'rejected') return of(record.digest, []);
    return of(null, [await notFound(deps, record, stack)]);
  }
  if (found.digest === record.digest) return of(found.digest, []);
  // The result can also differ because scenes were added after the last search, or are being ingested. Differences are
  // reported only if the last search covered the current scenes.
  const differing = (await isCurrent(deps, record, stack)) ? differences(record, found) : [];
  return of(found.digest, differing.length > 0 ? differing : [await notFound(deps, record, stack)]);
}

/** Checks that the record still matches its digest. */
function recordProblems(record: ChangeRecord): VerificationProblem[] {
  const { digest, ...provenance } = record.provenance;
  const actual = changeDigest(record, provenance);
  const takenBack = record.status === 'rejected' && record.digest === firstRejectedDigest(digest);
  const problems: VerificationProblem[] = [];
  if (actual !== digest && !takenBack)
    problems.push({
      kind: 'record',
      message: `the record was altered after it was made: its content has the digest ${actual}, its provenance says ${digest}`,
    });
  if (record.digest !== digest && !takenBack)
    problems.push({
      kind: 'record',
      message: `the record has the digest ${record.digest}, its provenance ${digest}: one of them was altered`,
    });
  return problems;
}

/** What is stated about a change now, and the version that stated it. */
function statementOf({ versions }: ChangeRecord): ChangeVersion {
  return versions.at(-1)!;
}

/**
 * Names the release that can recompute a change, if it is not this one.
 * @param others problems found so far
 */
function softwareProblems(
  record: ChangeRecord,
  version: string,
  others: readonly VerificationProblem[],
): VerificationProblem[] {
  const running = `groundwatch ${version}`;
  const { model_version: model, software_version: software } = statementOf(record);
  if (software === running && model === MODEL_VERSION) return [];
  const remedy =
    software === running
      ? `A checkout of this release with the model ${model} can recompute it` // between two releases
      : `Release v${releaseOf(software)} can recompute it`;
  if (model === MODEL_VERSION) {
    const message = `it was stated by ${software}; this is ${running}, whose answer need not be the same to the byte. ${remedy}`;
    return [{ kind: 'software', message }];
  }
  const held = others.length === 0 ? ' Its record is unaltered, and the cube holds the same scenes.' : '';
  const message = `it was stated by ${software} with the model ${model}; this is ${running} with ${MODEL_VERSION}.${held} ${remedy}`;
  return [{ kind: 'software', message }];
}

/** Number of the release that a software version names. */
function releaseOf(softwareVersion: string): string {
  return softwareVersion.replace(/^groundwatch /, '');
}

/** Checks that the cube still contains the scenes of the provenance, unchanged. */
function sceneProblems(provenance: Provenance, stack: CollectionStack): VerificationProblem[] {
  const held = new Map(
    stack.map(({ collection, scenes }) => [
      collection.metric,
      new Map(scenes.map((scene) => [scene.key, scene])),
    ]),
  );
  return provenance.scenes.flatMap((used): VerificationProblem[] => {
    const { id, datetime, sha256, metric = provenance.collection.metric } = used;
    const scene = held.get(metric)?.get(id);
    if (scene === undefined)
      return [{ kind: 'scene', message: `the scene ${id} of ${datetime} is not in the cube` }];
    if (scene.sha256 !== sha256)
      return [
        {
          kind: 'scene',
          message: `the scene ${id} of ${datetime} is another: expected samples of sha-256 ${sha256}, the cube has ${scene.sha256}`,
        },
      ];
    if (formatTimestamp(scene.timeMs) !== datetime)
      return [
        {
          kind: 'scene',
          message: `the scene ${id}: expected the time ${datetime}, the cube has ${formatTimestamp(scene.timeMs)}`,
        },
      ];
    return [];
  });
}

/** Recomputes the change from the current scenes; undefined when no change with the same key is found. */
async function recompute(
  deps: Pick<Deps, 'storage' | 'cube'>,
  record: ChangeRecord,
  stack: CollectionStack,
  progress: (done: number, total: number) => void,
): Promise<StatedChange | undefined> {
  const objects = await searchCollection(deps, stack, progress);
  const object = objects?.find(
    (each) => each.collection.id === record.collectionId && objectKeyOf(each) === record.objectKey,
  );
  if (object === undefined) return undefined;
  const sources = await sceneSources(deps.storage, stack);
  // The software version is checked separately, so the recorded one is used here.
  const { software_version: softwareVersion } = record.provenance;
  const by = { modelVersion: MODEL_VERSION, softwareVersion };
  const found = toChangeRecord(by, object, record.objectKey, record.id, sources);
  return record.provenance.digest_recipe === undefined ? byFirstRecipe(found) : found;
}

/** Whether the last search covered exactly these scenes, with this software version or that of the record. */
async function isCurrent(
  { storage, version }: Pick<Deps, 'storage' | 'version'>,
  record: ChangeRecord,
  stack: CollectionStack,
): Promise<boolean> {
  const state = await storage.collections.monitoredAs(stack[0].collection.id);
  const sources = await sceneSources(storage, stack);
  const releases = [version, releaseOf(statementOf(record).software_version)];
  return releases.some((by) => state === monitoredState(stack, sources, by));
}

async function notFound(
  deps: Pick<Deps, 'storage' | 'version'>,
  record: ChangeRecord,
  stack: CollectionStack,
): Promise<VerificationProblem> {
  return {
    kind: 'result',
    message: (await isCurrent(deps, record, stack))
      ? 'the monitor finds no such change in the scenes that the cube holds'
      : 'the monitor finds no such change; scenes came or went since changes were last looked for, so run the ingest again first',
  };
}

/** Names each field of the change that differs. */
function differences(record: ChangeRecord, found: StatedChange): VerificationProblem[] {
  const parts = (change: StatedChange): Readonly<Record<string, unknown>> => {
    const { digest: _digest, collection, ...provenance } = change.provenance;
    return { ...presentResult(change), ...provenance, collection: [collection.name, collection.metric] };
  };
  const [was, is] = [parts(record), parts(found)];
  return Object.keys(is)
    .filter((name) => canonicalJson(was[name] ?? null) !== canonicalJson(is[name] ?? null))
    .map((name) => ({
      kind: 'result' as const,
      message: `${name}: recorded ${shown(was[name])}, recomputed ${shown(is[name])}`,
    }));
}

function shown(value: unknown): string {
  const text = canonicalJson(value ?? null);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}... (${text.length} characters)` : text;
}
