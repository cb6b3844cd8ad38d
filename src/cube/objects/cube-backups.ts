import { ObjectStoreFailed, type ObjectStore } from '../../net/object-store.ts';
import { decodeHead, encodeHead, newHead, refuseMovedHead, type StoredHead } from './cube-head.ts';
import { filesOfHead, type HeadFile } from './head-files.ts';
import { CubeMirror, HEAD, KEPT, PIECES, prefixOf } from './cube-mirror.ts';
import { pushFiles } from './pushed-files.ts';

/** Names of the objects that tell what each backup keeps: `backups/ID.json`. */
const BACKUPS = 'backups/';
/** Attempts to keep a head while other nodes replace it. */
const KEEP_TRIES = 20;

/** A backup that keeps objects from being deleted, as its object in the bucket tells it. */
export interface ObjectBackup {
  readonly id: string;
  /** RFC 3339. */
  readonly made_at: string;
  /** False while the backup is being written, and after it was interrupted. */
  readonly is_complete: boolean;
  /** The cubes that it may have kept, with the account that each belongs to. */
  readonly cubes: readonly { readonly cube: string; readonly account: string | null }[];
}

/** A head that a backup keeps. */
export interface KeptHead extends StoredHead {
  readonly manifest: string;
}

/**
 * What backups keep of the cubes in a bucket. A backup copies the head of each cube beside it. The objects that such a
 * copy names are not deleted, so they need not be copied.
 */
export class CubeBackups {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Notes a backup, before it keeps anything. */
  async begin(backup: Omit<ObjectBackup, 'is_complete'>): Promise<void> {
    await this.#note({ ...backup, is_complete: false });
  }

  /**
   * Keeps the head of a cube, and with it every object of the cube.
   * @returns undefined when there is no such cube
   */
  async keep(id: string, cube: string): Promise<KeptHead | undefined> {
    const name = keptName(cube, id);
    let etag: string | undefined;
    for (let tries = 0; tries < KEEP_TRIES; tries++) {
      const head = await this.#head(cube);
      refuseMovedHead(prefixOf(cube), head);
      const manifest = head?.manifest ?? null;
      if (head === undefined || manifest === null) {
        await this.#objects.delete(name);
        return undefined;
      }
      etag = await this.#objects.put(name, encodeHead(head), etag === undefined ? 'absent' : { etag });
      if (etag === undefined) throw new ObjectStoreFailed(`${name} was written by somebody else`);
      // A collection reads the head, then what is kept. While the head is the same, none has missed this one.
      if ((await this.#head(cube))?.etag === head.etag) return { ...head, manifest };
    }
    throw new ObjectStoreFailed(`${name}: the cube was changed ${KEEP_TRIES} times while it was read`);
  }

  /** Notes that a backup is complete. */
  async end(id: string): Promise<void> {
    const found = await this.#backup(id);
    if (found !== undefined) await this.#note({ ...found, is_complete: true });
  }

  /** The backups that keep objects, oldest first. */
  async list(): Promise<readonly ObjectBackup[]> {
    const found: ObjectBackup[] = [];
    for await (const { name } of this.#objects.list(BACKUPS)) {
      const backup = await this.#backup(name.slice(BACKUPS.length, -'.json'.length));
      if (backup !== undefined) found.push(backup);
    }
    return found.toSorted((a, b) => (a.made_at < b.made_at ? -1 : 1));
  }

  /**
   * Lets go of what a backup keeps: it cannot be restored from this bucket any more. Repeated after an interruption.
   * @param graceMs age below which objects stay; default: an hour
   * @returns the number of deleted objects; undefined when there is no such backup
   */
  async release(id: string, graceMs?: number): Promise<number | undefined> {
    const found = await this.#backup(id);
    if (found === undefined) return undefined;
    let deleted = 0;
    for (const { cube } of found.cubes) {
      await this.#objects.delete(keptName(cube, id));
      deleted += await new CubeMirror(this.#objects, prefixOf(cube), '', 0).collect(graceMs);
    }
    await this.#objects.delete(BACKUPS + id + '.json');
    return deleted;
  }

  /** Deletes all that backups keep of an account. The cubes that the account still has must be removed before. */
  async erase(account: string): Promise<void> {
    const cubes = (await this.list()).flatMap((backup) => backup.cubes);
    for (const cube of new Set(cubes.filter((each) => each.account === account).map((each) => each.cube)))
      for (const part of [KEPT, PIECES])
        for await (const { name } of this.#objects.list(prefixOf(cube) + part))
          await this.#objects.delete(name);
  }

  /** Writes the head of a cube, in place of the one that is there. */
  async replace(cube: string, { manifest, files }: Pick<KeptHead, 'manifest' | 'files'>): Promise<void> {
    const name = prefixOf(cube) + HEAD;
    for (let tries = 0; tries < KEEP_TRIES; tries++) {
      const etag = (await this.#head(cube))?.etag;
      const head = encodeHead(newHead({ manifest, files }));
      if ((await this.#objects.put(name, head, etag === undefined ? 'absent' : { etag })) !== undefined)
        return;
    }
    throw new ObjectStoreFailed(`${name} was changed ${KEEP_TRIES} times: another installation uses it`);
  }

  /** Names of the objects of a head that the bucket does not have, or has in another size. */
  async missing(cube: string, { files }: Pick<KeptHead, 'files'>): Promise<readonly string[]> {
    const there = new Map<string, number>();
    for await (const { name, size } of this.#objects.list(prefixOf(cube) + PIECES)) there.set(name, size);
    return Object.values(files)
      .flatMap(({ pieces }) => pieces)
      .filter(({ object, size }) => there.get(prefixOf(cube) + object) !== size)
      .map(({ object }) => prefixOf(cube) + object);
  }

  /** The files that the folder of a cube with this head has. */
  filesOf(cube: string, head: KeptHead): readonly HeadFile[] {
    return filesOfHead(this.#objects, prefixOf(cube), head);
  }

  /** Writes the files of a folder with a cube to objects, which no head names yet. Nobody may change the folder. */
  async push(cube: string, folder: string): Promise<Pick<KeptHead, 'manifest' | 'files'>> {
    const { manifest, files } = await pushFiles(this.#objects, prefixOf(cube), folder, undefined);
    return { manifest: manifest!, files };
  }

  /**
   * Looks whether the bucket has all objects that backups keep, by name and size.
   * @returns one sentence for each backup that lacks some
   */
  async check(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { id, cubes } of await this.list()) {
      const missing: string[] = [];
      for (const { cube } of cubes) {
        const kept = await this.#objects.get(keptName(cube, id));
        if (kept !== undefined && kept !== 'same')
          missing.push(...(await this.missing(cube, decodeHead(keptName(cube, id), kept.bytes))));
      }
      if (missing.length > 0)
        found.push(`the backup ${id} lacks ${missing.length} of its objects, such as ${missing[0]}`);
    }
    return found;
  }

  async #head(cube: string): Promise<StoredHead | undefined> {
    const name = prefixOf(cube) + HEAD;
    const found = await this.#objects.get(name);
    return found === undefined || found === 'same'
      ? undefined
      : { ...decodeHead(name, found.bytes), etag: found.etag };
  }

  async #backup(id: string): Promise<ObjectBackup | undefined> {
    const found = await this.#objects.get(`${BACKUPS}${id}.json`);
    return found === undefined || found === 'same'
      ? undefined
      : (JSON.parse(found.bytes.toString('utf8')) as ObjectBackup);
  }

  async #note(backup: ObjectBackup): Promise<void> {
    const name = `${BACKUPS}${backup.id}.json`;
    const before = await this.#objects.get(name);
    const when = before === undefined || before === 'same' ? 'absent' : { etag: before.etag };
    if ((await this.#objects.put(name, Buffer.from(JSON.stringify(backup)), when)) === undefined)
      throw new ObjectStoreFailed(`${name} was written by somebody else`);
  }
}

function keptName(cube: string, id: string): string {
  return `${prefixOf(cube)}${KEPT}${id}.json`;
}
