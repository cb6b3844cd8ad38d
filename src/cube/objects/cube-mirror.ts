import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/durable-file.ts';
import { observeFromThread } from '../../base/observed.ts';
import { ObjectStoreFailed, type ObjectStore } from '../../net/object-store.ts';
import { stateStamp } from '../state-file.ts';
import { WriterLock } from '../writer-lock.ts';
import { clearCopy, LOCK, MARK } from './cached-copies.ts';
import {
  type CubeHead,
  decodeHead,
  encodeHead,
  newHead,
  piecesOf,
  refuseMovedHead,
  type StoredHead,
} from './cube-head.ts';
import { PieceMissing, pullFiles, pullState, readPiece } from './pulled-files.ts';
import { pushFiles } from './pushed-files.ts';

/** Name of the object with a cube's head, below the cube's prefix. */
export const HEAD = 'head.json';
/** Beginning of the names of a cube's immutable objects, and of the heads that backups keep, below the cube's prefix. */
export const [PIECES, KEPT] = ['pieces/', 'kept/'] as const;
/** File in the folder that is there while the folder may have what no head has. */
const DIRTY = 'objects-dirty';
/** Age at which an object that no head names is deleted [ms]: an hour. */
const GRACE_MS = 3_600_000;
/** Time limit of writing the pieces of one head [ms], well below the grace. */
const PUSH_MS = GRACE_MS / 2;
/** Attempts to read the files of a head while other nodes replace it. */
const PULL_TRIES = 5;

/** Beginning of the names of the objects of a cube. */
export function prefixOf(cubeId: string): string {
  return `cubes/${cubeId}/`;
}

/**
 * The head of a cube as it is in the objects.
 * @param prefix of the names of its objects
 * @returns undefined when there is none
 */
export async function storedHead(objects: ObjectStore, prefix: string): Promise<StoredHead | undefined> {
  const name = prefix + HEAD;
  const found = await objects.get(name);
  return found === undefined || found === 'same'
    ? undefined
    : { ...decodeHead(name, found.bytes), etag: found.etag };
}

/** The folder of one cube as a copy of what the objects have. */
export class CubeMirror {
  readonly #objects: ObjectStore;
  readonly #prefix: string;
  readonly #folder: string;
  readonly #lockTimeoutMs: number;

  /** @param prefix of the cube's objects, with a slash at its end */
  constructor(objects: ObjectStore, prefix: string, folder: string, lockTimeoutMs: number) {
    this.#objects = objects;
    this.#prefix = prefix;
    this.#folder = folder;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  /**
   * Makes the folder have the newest head, without its saved state.
   * @param asks whether to ask the objects when the folder has a head already
   * @returns whether there is a cube
   */
  async pull(asks: boolean): Promise<boolean> {
    const mark = await this.#mark();
    if (mark !== undefined) {
      if (!asks) return true;
      const found = await this.#objects.get(this.#prefix + HEAD, {
        unless: mark.etag,
      });
      observeFromThread({ kind: 'object-copy', outcome: found === 'same' ? 'hit' : 'miss' });
      if (found === 'same') {
        await utimes(join(this.#folder, MARK), new Date(), new Date()).catch(() => undefined);
        return true;
      }
    }
    if (mark === undefined) observeFromThread({ kind: 'object-copy', outcome: 'miss' });
    if (!existsSync(this.#folder)) {
      const head = await this.#stored();
      refuseMovedHead(this.#prefix, head);
      if ((head?.manifest ?? null) === null) return false;
    }
    return await this.locked(async () => (await this.#pullLocked()) !== undefined);
  }

  /**
   * Makes the folder have the saved state of the head that it has. It is read only when it is needed, because it is
   * larger than the scenes, and an ingest needs none.
   */
  async pullState(): Promise<void> {
    if (!existsSync(this.#folder) || stateStamp(this.#folder) !== undefined) return;
    await this.locked(async () => {
      const mark = await this.#mark();
      try {
        const head = mark ?? (await this.#pullLocked());
        if (head !== undefined) await pullState(this.#objects, this.#prefix, this.#folder, head);
      } catch (error) {
        if (!(error instanceof PieceMissing)) throw error;
        await this.#pullLocked(true); // there is a newer head since long
      }
    });
  }

  /**
   * Changes the folder, and with it the objects. When another node was first, the folder gets what that node wrote, and
   * the work is done again. What the work returns is durable in the objects.
   * @param work changes files of the folder; is called again after a lost race
   */
  async change<T>(work: (head: StoredHead | undefined) => Promise<T>): Promise<T> {
    return await this.locked(async () => {
      for (;;) {
        const base = await this.#pullLocked();
        await replaceFile(join(this.#folder, DIRTY), '');
        const state = stateStamp(this.#folder);
        const result = await work(base);
        const began = performance.now();
        const isBaseState = stateStamp(this.#folder) === state;
        const files = await pushFiles(this.#objects, this.#prefix, this.#folder, base, isBaseState);
        if (
          base !== undefined &&
          JSON.stringify(files) === JSON.stringify({ manifest: base.manifest, files: base.files })
        ) {
          await rm(join(this.#folder, DIRTY), { force: true });
          return result;
        }
        if (performance.now() - began > PUSH_MS)
          throw new ObjectStoreFailed(`${this.#prefix}: writing took more than ${PUSH_MS / 60_000} min`);
        if (await this.#replaceHead(newHead(files), base)) return result;
      }
    });
  }

  /** Removes the cube from the objects, except for what a backup keeps, and its files from the folder. */
  async remove(): Promise<void> {
    await this.locked(async () => {
      for (;;) {
        const found = await this.#stored();
        if (found === undefined) break;
        // A head that says so stays: it would be no head for a node that adds a scene at this moment.
        if (
          (found.manifest === null && found.moved === undefined) ||
          (await this.#put(newHead({ manifest: null, files: {} }), found.etag)) !== undefined
        )
          break;
      }
      const all: string[] = [];
      for await (const { name } of this.#objects.list(this.#prefix + PIECES)) all.push(name);
      await this.#deleteUnnamed(all, await this.#kept());
      await clearCopy(this.#folder);
    });
  }

  /** Deletes objects of the cube that neither its head nor a backup names. @returns their number */
  async collect(graceMs = GRACE_MS): Promise<number> {
    const old: string[] = [];
    for await (const { name, ageMs } of this.#objects.list(this.#prefix + PIECES))
      if (ageMs >= graceMs) old.push(name);
    // The head is read after the list: what it names now was in the list, or is younger than the grace.
    const head = await this.#stored();
    const kept = await this.#kept(); // after the head: see CubeBackups.keep
    return await this.#deleteUnnamed(old, head === undefined ? kept : [head, ...kept]);
  }

  /** Reads every object of the cube. @returns one sentence per damaged or missing one */
  async check(): Promise<readonly string[]> {
    const head = await this.#stored();
    refuseMovedHead(this.#prefix, head);
    const found: string[] = [];
    for (const { pieces } of Object.values(head?.files ?? {}))
      for (const piece of pieces)
        try {
          await readPiece(this.#objects, this.#prefix, piece);
        } catch (error) {
          if (error instanceof ObjectStoreFailed) throw error;
          found.push((error as Error).message);
        }
    return found;
  }

  async locked<T>(work: () => Promise<T>): Promise<T> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const lock = await WriterLock.take(this.#folder, LOCK, this.#lockTimeoutMs);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Makes the folder have the newest head; undefined when there is no cube. The lock must be held. */
  async #pullLocked(withState = false): Promise<StoredHead | undefined> {
    for (let tries = 1; ; tries++) {
      const mark = await this.#mark();
      const head = await this.#stored();
      refuseMovedHead(this.#prefix, head);
      if (head === undefined || head.manifest === null) {
        await clearCopy(this.#folder);
        return head;
      }
      if (head.etag === mark?.etag) return head;
      await replaceFile(join(this.#folder, DIRTY), '');
      try {
        await pullFiles(
          this.#objects,
          this.#prefix,
          this.#folder,
          { ...head, manifest: head.manifest },
          mark,
          withState,
        );
      } catch (error) {
        if (error instanceof PieceMissing && tries < PULL_TRIES) continue;
        throw error;
      }
      await this.#setMark(head);
      return head;
    }
  }

  async #deleteUnnamed(names: readonly string[], heads: readonly CubeHead[]): Promise<number> {
    const named = new Set(heads.flatMap((head) => [...piecesOf(head)]));
    const dead = names.filter((name) => !named.has(name.slice(this.#prefix.length)));
    for (const name of dead) await this.#objects.delete(name);
    return dead.length;
  }

  /** The heads of this cube that backups keep. */
  async #kept(): Promise<readonly CubeHead[]> {
    const heads: CubeHead[] = [];
    for await (const { name } of this.#objects.list(this.#prefix + KEPT)) {
      const found = await this.#objects.get(name);
      if (found !== undefined && found !== 'same') heads.push(decodeHead(name, found.bytes));
    }
    return heads;
  }

  #stored(): Promise<StoredHead | undefined> {
    return storedHead(this.#objects, this.#prefix);
  }

  #put(head: CubeHead, etag: string | undefined): Promise<string | undefined> {
    return this.#objects.put(this.#prefix + HEAD, encodeHead(head), etag === undefined ? 'absent' : { etag });
  }

  async #replaceHead(head: CubeHead, base?: StoredHead): Promise<boolean> {
    const etag = await this.#put(head, base?.etag);
    if (etag === undefined) return false;
    await this.#setMark({ ...head, etag });
    return true;
  }

  /** The head that the folder has for certain. */
  async #mark(): Promise<StoredHead | undefined> {
    if (existsSync(join(this.#folder, DIRTY))) return undefined;
    const text = await readFile(join(this.#folder, MARK), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as StoredHead);
  }

  async #setMark(head: StoredHead): Promise<void> {
    await replaceFile(join(this.#folder, MARK), JSON.stringify(head));
    await rm(join(this.#folder, DIRTY), { force: true });
  }
}
