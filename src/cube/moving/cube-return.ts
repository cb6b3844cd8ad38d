import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../base/durable-file.ts';
import { ObjectFiles } from '../../net/object-files.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../net/object-store.ts';
import { MOVED_NAME } from '../manifest.ts';
import { type CubeHead, encodeHead, newHead, type StoredHead } from '../objects/cube-head.ts';
import { CubeMirror, HEAD, prefixOf, storedHead } from '../objects/cube-mirror.ts';
import { PieceMissing, pullFiles } from '../objects/pulled-files.ts';
import { unitFile } from '../unit-files.ts';
import { LOCK_TIMEOUT_MS, WriterLock } from '../writer-lock.ts';

/** Attempts to copy a cube that others change meanwhile. */
const TRIES = 100;

/**
 * Moves one cube from objects to a folder, while others use it. The switch is its head, which says that it was moved and
 * goes on naming its objects. After an interruption any process puts the files in place.
 */
export class CubeReturn {
  readonly #objects: ObjectStore;
  readonly #folder: string;
  readonly #stage: string;
  readonly #prefix: string;

  /** @param folder of the cube, whether it exists or not */
  constructor(objects: ObjectStore, folder: string) {
    this.#objects = objects;
    this.#folder = folder;
    this.#stage = `${folder}.arriving`;
    this.#prefix = prefixOf(basename(folder));
  }

  /**
   * Copies the cube, compares the copy on the disk with the digests of the objects, and switches.
   * @returns the size of its objects [bytes], 0 when it was moved before; undefined when there is no such cube
   */
  move(): Promise<number | undefined> {
    return this.locked(async () => {
      let known: StoredHead | undefined;
      for (let tries = 1; tries <= TRIES; tries++) {
        const head = await this.stored();
        if (head?.moved !== undefined) {
          await this.#place(head, known);
          await this.#moveUnits();
          return known === undefined ? 0 : sizeOf(head);
        }
        if (head === undefined || head.manifest === null) {
          await rm(this.#stage, { recursive: true, force: true });
          return undefined;
        }
        await mkdir(this.#stage, { recursive: true, mode: 0o700 });
        try {
          await this.#pull(head, head.manifest, known);
          if (known === undefined) await this.#pull(head, head.manifest, undefined); // reads what is on the disk now
        } catch (error) {
          if (error instanceof PieceMissing) continue; // the head was replaced meanwhile
          throw error;
        }
        known = head;
        const moved = newHead({ manifest: null, moved: head.manifest, files: head.files });
        await this.#objects.put(this.#prefix + HEAD, encodeHead(moved), { etag: head.etag });
      }
      throw new ObjectStoreFailed(`${this.#prefix}: the cube was changed ${TRIES} times while it was copied`);
    });
  }

  /** Puts the files of a cube in place whose move was interrupted after the switch. */
  finish(): Promise<void> {
    return this.locked(async () => {
      const head = await this.stored();
      if (head?.moved !== undefined) await this.#place(head, undefined);
    });
  }

  /** Deletes the objects of a moved cube, except for what backups keep. Its head goes on saying that it was moved. */
  async removeSource(): Promise<void> {
    const head = await this.stored();
    if (head?.moved === undefined) return;
    const empty = encodeHead(newHead({ manifest: null, moved: head.moved, files: {} }));
    await this.#objects.put(this.#prefix + HEAD, empty, { etag: head.etag });
    await new CubeMirror(this.#objects, this.#prefix, '', 0).collect(0);
  }

  stored(): Promise<StoredHead | undefined> {
    return storedHead(this.#objects, this.#prefix);
  }

  /** Runs work while no other process moves or removes the cube. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    const root = dirname(this.#folder);
    await mkdir(root, { recursive: true, mode: 0o700 });
    const lock = await WriterLock.take(root, `${basename(this.#stage)}.lock`, LOCK_TIMEOUT_MS);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Makes the copy be the folder of the cube, unless it is. */
  async #place(head: CubeHead & { readonly moved?: string }, known: CubeHead | undefined): Promise<void> {
    const isFormer = existsSync(join(this.#folder, MOVED_NAME)); // left by a move in the other direction
    if (existsSync(this.#folder) && !isFormer) return;
    if (Object.keys(head.files).length === 0) return; // its objects were deleted after it was moved
    await mkdir(this.#stage, { recursive: true, mode: 0o700 });
    await this.#pull(head, head.moved!, known);
    if (isFormer) await rm(this.#folder, { recursive: true });
    await rename(this.#stage, this.#folder);
    await syncFolder(dirname(this.#folder));
  }

  #pull(head: CubeHead, manifest: string, known: CubeHead | undefined): Promise<void> {
    return pullFiles(this.#objects, this.#prefix, this.#stage, { ...head, manifest }, known, true);
  }

  /** Results of searches in progress. */
  async #moveUnits(): Promise<void> {
    const units = new ObjectFiles(this.#objects, `${this.#prefix}units/`);
    for (const name of await units.names()) {
      const [search, unit] = name.split('/');
      await units.fetch(name, join(this.#folder, unitFile(search!, unit!)));
    }
  }
}

function sizeOf(head: CubeHead): number {
  const pieces = Object.values(head.files).flatMap((file) => file.pieces);
  return pieces.reduce((sum, { size }) => sum + size, 0);
}
