import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';
import { InvalidInput } from '../../base/errors.ts';
import { mapGrid } from '../../geo/grid.ts';
import { checkCollectionName } from '../imagery/collection-writer.ts';
import { colourCubeSpec } from '../series/colour-cube.ts';
import type { CubeSpec, Samples } from '../series/cube-store.ts';
import { futureText, latestObservation } from '../series/future-time.ts';
import { snowCubeSpec } from '../series/snow-cube.ts';
import {
  BUNDLE_FORM,
  BUNDLE_MANIFEST_NAME,
  type BundledCollection,
  type BundledCube,
  type BundledLayer,
  type BundleFiles,
  type BundleManifest,
  type BundleMember,
  MOST_MANIFEST_BYTES,
  MOST_SAMPLES,
  pieceMember,
  sceneMember,
} from './bundle.ts';

const unpack = promisify(inflateRaw);

const SAMPLE_BYTES = { int16: 2, float32: 4, float64: 8 } as const;
/** DEFLATE never needs more than this share above the samples, and some bytes. */
const MOST_PACKED = 1.01;
const PACKED_EXTRA = 1024;

/** What a reader of a bundle does with its content, in the order of its members. */
export interface BundleVisitor {
  manifest(manifest: BundleManifest): Promise<void> | void;
  /** @param index of the collection, of its cube, and of the scene in it */
  scene(
    index: readonly [collection: number, cube: number, scene: number],
    samples: Samples,
  ): Promise<void> | void;
  /** Must read the content to its end. */
  piece(index: readonly [layer: number, piece: number], content: AsyncIterable<Buffer>): Promise<void>;
}

/** The bundle to read. */
export interface BundleSource {
  readonly path: string;
  /** Public key that must have signed it; undefined: any. */
  readonly signer: string | undefined;
}

/**
 * Reads a bundle from its start to its end, and checks all of it: the form of the manifest, that the members are those
 * of the manifest in its order, their sizes, digests and the signature. Memory is bounded by the largest scene.
 * @returns the public key that signed it
 * @throws InvalidInput naming what is wrong; what was visited before does not count then
 */
export async function readBundle(
  files: BundleFiles,
  { path, signer }: BundleSource,
  nowMs: number,
  visitor: BundleVisitor,
): Promise<string> {
  let signedBy = '';
  let plan: Iterator<Expected> | undefined;
  const refuse = (why: string): never => {
    throw new InvalidInput(`FILE: ${path} cannot be imported: ${why}`);
  };
  for await (const member of files.read(path, signer, (key) => (signedBy = key))) {
    if (plan === undefined) {
      if (member.name !== BUNDLE_MANIFEST_NAME) refuse('it is no bundle');
      const manifest = await readManifest(member, nowMs, refuse);
      await visitor.manifest(manifest);
      plan = expectedOf(manifest, visitor, refuse);
      continue;
    }
    const next = plan.next();
    const expected = next.done === true ? undefined : next.value;
    if (expected?.name !== member.name)
      return refuse(
        `expected ${expected?.name ?? 'its end'} next, got ${JSON.stringify(member.name).slice(0, 200)}`,
      );
    if (!(member.size >= expected.least && member.size <= expected.most))
      refuse(`${member.name} has ${member.size} bytes; expected ${expected.least} to ${expected.most}`);
    await expected.take(member.content);
  }
  if (plan === undefined) return refuse('it is empty');
  const left = plan.next();
  if (left.done !== true) refuse(`${left.value.name} is missing`);
  return signedBy;
}

/** The next member that a manifest announces. */
interface Expected {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  take(content: AsyncIterable<Buffer>): Promise<void>;
}

function* expectedOf(
  { collections, layers }: BundleManifest,
  visitor: BundleVisitor,
  refuse: (why: string) => never,
): Generator<Expected> {
  for (const [i, collection] of collections.entries())
    for (const [j, cube] of collection.cubes.entries()) {
      const spec = specOf(collection, cube.kind);
      const bytes = spec.width * spec.height * SAMPLE_BYTES[spec.sampleType];
      for (const [k, { sha256 }] of cube.scenes.entries()) {
        const name = sceneMember(i, j, k);
        yield {
          name,
          least: 1,
          most: Math.ceil(bytes * MOST_PACKED) + PACKED_EXTRA,
          async take(content) {
            const raw = await unpacked(content, bytes).catch(() =>
              refuse(`${name} cannot be unpacked to ${bytes} bytes`),
            );
            if (raw.length !== bytes)
              refuse(`${name} has ${raw.length} bytes after unpacking; expected ${bytes}`);
            if (createHash('sha256').update(raw).digest('hex') !== sha256)
              refuse(`${name} is not what its digest in the manifest says`);
            await visitor.scene([i, j, k], samplesOf(raw, spec.sampleType));
          },
        };
      }
    }
  for (const [i, { pieces }] of layers.entries())
    for (const [j, { file }] of pieces.entries()) {
      const name = pieceMember(i, j);
      yield {
        name,
        least: file.bytes,
        most: file.bytes,
        async take(content) {
          const hash = createHash('sha256');
          await visitor.piece([i, j], hashed(content, hash));
          if (hash.digest('hex') !== file.sha256)
            refuse(`${name} is not what its digest in the manifest says`);
        },
      };
    }
}

async function* hashed(
  content: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const part of content) {
    hash.update(part);
    yield part;
  }
}

async function unpacked(content: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return unpack(Buffer.concat(parts), { maxOutputLength: Math.max(1, bytes) });
}

function samplesOf(raw: Buffer, type: CubeSpec['sampleType']): Samples {
  const { buffer } = new Uint8Array(raw); // a copy that begins at 0, as the arrays need
  if (type === 'int16') return new Int16Array(buffer);
  return type === 'float32' ? new Float32Array(buffer) : new Float64Array(buffer);
}

/** The form of a cube of a collection. */
export function specOf(
  { grid, sample_type: sampleType }: BundledCollection,
  kind: BundledCube['kind'],
): CubeSpec {
  if (kind === 'snow') return snowCubeSpec(grid);
  if (kind === 'colours') return colourCubeSpec(grid);
  return { width: grid.width, height: grid.height, sampleType };
}

async function readManifest(
  { size, content }: BundleMember,
  nowMs: number,
  refuse: (why: string) => never,
): Promise<BundleManifest> {
  if (!(size <= MOST_MANIFEST_BYTES))
    refuse(`its manifest has ${size} bytes; expected at most ${MOST_MANIFEST_BYTES}`);
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    refuse('its manifest is no JSON');
  }
  const form = (json as { form?: unknown } | null)?.form;
  if (form !== BUNDLE_FORM)
    refuse(`it is a bundle of form ${String(form)}; this release reads form ${BUNDLE_FORM}`);
  // Imported here: compiling the form takes longer than the start of a command.
  const { MANIFEST_FORM } = await import('./manifest-form.ts');
  if (!MANIFEST_FORM.Check(json)) {
    const [first] = MANIFEST_FORM.Errors(json);
    return refuse(
      `its manifest: ${first?.instancePath || 'the whole'} ${first?.message ?? 'has another form'}`,
    );
  }
  const manifest: BundleManifest = json;
  for (const collection of manifest.collections) checkCollection(collection, manifest, nowMs, refuse);
  for (const { card, pieces } of manifest.layers) checkTexts([card, ...pieces], card.layer, refuse);
  checkTwice(manifest, refuse);
  return manifest;
}

function checkCollection(
  collection: BundledCollection,
  { collections }: BundleManifest,
  nowMs: number,
  refuse: (why: string) => never,
): void {
  const { name, metric, grid, cubes, scenes } = collection;
  const bad = (why: string): never => refuse(`the collection ${name} (${metric}): ${why}`);
  try {
    checkCollectionName(name, metric);
    mapGrid(grid);
  } catch (error) {
    bad((error as Error).message);
  }
  if (grid.width * grid.height > MOST_SAMPLES)
    bad(`${grid.width} x ${grid.height} pixels; at most ${MOST_SAMPLES}`);
  if (!Number.isFinite(collection.scale) || collection.scale === 0) bad(`the scale ${collection.scale}`);
  const kinds = cubes.map(({ kind }) => kind);
  if (kinds[0] !== 'samples' || new Set(kinds).size < kinds.length) bad(`cubes ${kinds.join(', ')}`);
  const keys = new Map(scenes.map((scene) => [scene.key, scene]));
  if (keys.size < scenes.length) bad('a scene is there twice');
  for (const scene of scenes) {
    checkTexts([scene], scene.key, refuse);
    if (scene.observed_ms > latestObservation(nowMs))
      bad(`the scene ${scene.key} is ${futureText(scene.observed_ms, latestObservation(nowMs))}`);
    if (scene.colour_of !== undefined && collections[scene.colour_of] === undefined)
      bad(`the scene ${scene.key} has its picture in a collection that is not there`);
  }
  for (const { kind, scenes: stored } of cubes) {
    if (new Set(stored.map(({ key }) => key)).size < stored.length) bad(`a scene is twice in its ${kind}`);
    const strange = stored.find(({ key, time_ms: timeMs }) => keys.get(key)?.observed_ms !== timeMs);
    if (strange !== undefined) bad(`its ${kind} have ${strange.key}, which is no scene of that time`);
  }
  const digests = new Map(cubes[0]!.scenes.map(({ key, sha256 }) => [key, sha256]));
  const other = scenes.find(({ key, sha256 }) => digests.get(key) !== sha256);
  if (other !== undefined) bad(`the samples of the scene ${other.key} are not those of its record`);
}

/** Names and texts that are shown later must not hide anything. */
function checkTexts(records: readonly object[], what: string, refuse: (why: string) => never): void {
  for (const record of records)
    for (const [field, value] of Object.entries(record)) {
      const hidden = typeof value === 'string' ? hiddenCharacter(value) : undefined;
      if (hidden !== undefined)
        refuse(`${field} of ${JSON.stringify(what)}: expected ${NAME_RULE}, got ${hidden}`);
    }
}

function checkTwice({ collections, layers }: BundleManifest, refuse: (why: string) => never): void {
  const names = collections.map(({ name, metric }) => `${name} (${metric})`);
  const versions = layers.map(({ card }) => versionKey(card));
  for (const list of [names, versions]) {
    const twice = list.find((name, i) => list.indexOf(name) !== i);
    if (twice !== undefined) refuse(`${twice} is there twice`);
  }
}

const versionKey = ({ layer, version, returnPeriodYears }: BundledLayer['card']): string =>
  [layer, version, ...(returnPeriodYears === null ? [] : [`${returnPeriodYears} years`])].join(' ');
