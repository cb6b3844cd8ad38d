import type { Provenance } from '../../contract/changes.ts';
import { formatTimestamp } from '../../base/time.ts';
import { MODEL_VERSION } from '../../change/parameters.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { changeDigest, resultOf, takenBackDigest } from './change-digest.ts';
import { readCollectionStack, type CollectionStack } from './collection-stack.ts';
import type { Deps } from '../deps.ts';
import { NotFound } from '../../base/errors.ts';
import { changesIn, stateOf } from './monitor-collection.ts';
import { keyOf } from './known-change.ts';
import { changeOf, sourcesOf } from './publish-changes.ts';
import type { ChangeRecord, NewChange } from './change-store.ts';

/** Records that are verified before giving up, when the change is published anew each time. */
const MAX_RUNS = 5;
/** Longest text of a value in a message [characters]. */
const SHOWN = 60;

/** Why a change does not hold: what is wrong, and a sentence that names it. */
export interface VerificationProblem {
  readonly kind: 'record' | 'software' | 'collection' | 'cube' | 'scene' | 'result';
  readonly message: string;
}

/** What came of verifying a change; it holds when there is no problem. */
export interface Verification {
  readonly id: string;
  readonly digest: string;
  /** Null where nothing could be recomputed. */
  readonly recomputed: string | null;
  readonly scenes: number;
  readonly problems: readonly VerificationProblem[];
}

/**
 * Recomputes a change from its provenance: whether its record is the one that was made, whether the cube still holds the
 * very scenes that it names, and whether the monitor finds the same in them, digest by digest. Nothing is written.
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
    // Published anew meanwhile, with scenes that the record which was read does not know: the one that stands counts.
    const now = await deps.storage.changes.locate(id);
    if (now?.digest === record.digest) return verification;
  }
}

async function verifyRecord(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  record: ChangeRecord,
  progress: (done: number, total: number) => void,
): Promise<Verification> {
  const problems = [...recordProblems(record), ...softwareProblems(record, deps.version)];
  const of = (recomputed: string | null, more: readonly VerificationProblem[]): Verification => ({
    id: record.id,
    digest: record.digest,
    recomputed,
    scenes: record.provenance.scenes.length,
    problems: [...problems, ...more],
  });
  // Another model gives another answer by right: only itself could be held against its own.
  if (record.provenance.model_version !== MODEL_VERSION) return of(null, []);
  const collection = await deps.storage.collections.find(record.collectionId);
  if (collection === undefined)
    return of(null, [{ kind: 'collection', message: `its collection ${record.collectionId} is gone` }]);
  const { environment, accountId, name } = collection;
  const damaged: string[] = [];
  for (const member of await deps.storage.collections.byName(environment, accountId, name))
    damaged.push(...(await deps.cube.check(member.id)));
  if (damaged.length > 0)
    return of(
      null,
      damaged.map((message) => ({ kind: 'cube' as const, message })),
    );
  const stack = await readCollectionStack(deps, collection);
  const unlike = sceneProblems(record.provenance, stack);
  if (unlike.length > 0) return of(null, unlike);
  const found = await recompute(deps, record, stack, progress);
  if (found === undefined) {
    if (record.digest === takenBackDigest(record.provenance.digest)) return of(record.digest, []);
    return of(null, [await notFound(deps, record, stack)]);
  }
  if (found.digest === record.digest) return of(found.digest, []);
  // Scenes that came since, or are just being taken in, give another answer by right.
  const differing = (await isCurrent(deps, record, stack)) ? differences(record, found) : [];
  return of(found.digest, differing.length > 0 ? differing : [await notFound(deps, record, stack)]);
}

/** Whether the record still has the digest that it was given. */
function recordProblems(record: ChangeRecord): VerificationProblem[] {
  const { digest, ...provenance } = record.provenance;
  const actual = changeDigest(record, provenance);
  const takenBack = record.status === 'rejected' && record.digest === takenBackDigest(digest);
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

function softwareProblems({ provenance }: ChangeRecord, version: string): VerificationProblem[] {
  const running = `groundwatch ${version}`;
  const { model_version: model, software_version: software } = provenance;
  const problems: VerificationProblem[] = [];
  if (model !== MODEL_VERSION)
    problems.push({
      kind: 'software',
      message: `it was made by the model ${model} of ${software}; this is ${MODEL_VERSION} of ${running}: verify it with that one`,
    });
  else if (software !== running)
    problems.push({
      kind: 'software',
      message: `it was made by ${software}; this is ${running}, whose answer need not be the same to the byte`,
    });
  return problems;
}

/** Scenes that the provenance names and the cube does not hold as they were. */
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

/** The change as a run over the cube's scenes makes it now; undefined when it makes none of that name. */
async function recompute(
  deps: Pick<Deps, 'storage' | 'cube'>,
  record: ChangeRecord,
  stack: CollectionStack,
  progress: (done: number, total: number) => void,
): Promise<NewChange | undefined> {
  const objects = await changesIn(deps, stack, progress);
  const object = objects?.find(
    (each) => each.collection.id === record.collectionId && keyOf(each) === record.objectKey,
  );
  if (object === undefined) return undefined;
  const sources = await sourcesOf(deps.storage, stack);
  // The version is compared on its own: the rest is to be the same whatever software says it.
  const run = { softwareVersion: record.provenance.software_version };
  return changeOf(run, object, record.objectKey, record.id, sources);
}

/** Whether changes were looked for in just these scenes, by this software or by that which made the record. */
async function isCurrent(
  { storage, version }: Pick<Deps, 'storage' | 'version'>,
  { provenance }: ChangeRecord,
  stack: CollectionStack,
): Promise<boolean> {
  const state = await storage.collections.monitoredAs(stack[0].collection.id);
  const recorded = provenance.software_version.replace(/^groundwatch /, '');
  return [version, recorded].some((by) => state === stateOf(stack, by));
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

/** Each part of the change that came out otherwise, by name. */
function differences(record: ChangeRecord, found: NewChange): VerificationProblem[] {
  const parts = (change: NewChange): Readonly<Record<string, unknown>> => {
    const { digest: _digest, collection, ...provenance } = change.provenance;
    return { ...resultOf(change), ...provenance, collection: [collection.name, collection.metric] };
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
