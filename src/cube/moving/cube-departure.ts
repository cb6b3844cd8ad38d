import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../net/object-store.ts';
import type { FolderCubeStore } from '../folder-cube-store.ts';
import { MOVED_NAME, readManifest } from '../manifest.ts';
import {
  type CubeHead,
  encodeHead,
  newHead,
  type Piece,
  piecesOf,
  type StoredHead,
} from '../objects/cube-head.ts';
import { CubeMirror, HEAD, PIECES, prefixOf, storedHead } from '../objects/cube-mirror.ts';
import { readPiece } from '../objects/pulled-files.ts';
import { pushFiles } from '../objects/pushed-files.ts';
import { UnitObjects } from '../objects/unit-objects.ts';
import { unitOfFile } from '../unit-files.ts';

/** Attempts to copy a cube whose files are replaced meanwhile. */
const TRIES = 5;

/** Moves one cube from a folder to objects, while others use it. May be repeated after an interruption at any moment. */
export class CubeDeparture {
  readonly #objects: ObjectStore;
  readonly #folder: FolderCubeStore;
  readonly #cubeId: string;
  readonly #path: string;
  readonly #prefix: string;
  /** Names of the objects that were read back and have the bytes of the folder. */
  readonly #verified = new Set<string>();

  constructor(objects: ObjectStore, folder: FolderCubeStore, cubeId: string) {
    this.#objects = objects;
    this.#folder = folder;
    this.#cubeId = cubeId;
    this.#path = folder.folderOf(cubeId);
    this.#prefix = prefixOf(basename(this.#path));
  }

  /**
   * Copies the cube and reads the copy back, without holding anybody up; then, while nobody writes, what has been added
   * meanwhile. From then on the cube is in the objects. Its files stay in the folder.
   * @returns the size of the objects [bytes], 0 when it was moved before; undefined when it was removed meanwhile
   * @throws InvalidInput when the objects have another cube of this name
   */
  async move(): Promise<number | undefined> {
    if (existsSync(join(this.#path, MOVED_NAME))) {
      await this.#moveUnits();
      return 0;
    }
    let moved: CubeHead | undefined;
    try {
      const draft = await this.#copy();
      await this.#folder.leave(this.#cubeId, async () => {
        moved = await this.#publish(draft);
      });
    } catch (error) {
      if (existsSync(this.#path)) throw error;
    }
    if (existsSync(this.#path)) await this.#moveUnits();
    // The cube was removed meanwhile, and what was copied after that would stay for ever.
    else await new CubeMirror(this.#objects, this.#prefix, '', 0).collect(0);
    return moved && piecesIn(moved).reduce((sum, { size }) => sum + size, 0);
  }

  /** Copies the cube as it is now. */
  async #copy(): Promise<CubeHead> {
    for (let tries = 1; ; tries++)
      try {
        const head = newHead(await pushFiles(this.#objects, this.#prefix, this.#path, await this.#base()));
        await this.#verify(head);
        return head;
      } catch (error) {
        // A log may have become a segment meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === TRIES) throw error;
      }
  }

  /** Makes the objects have the whole cube. Nobody may write to the folder. */
  async #publish(draft: CubeHead): Promise<CubeHead> {
    const before = await this.#stored();
    this.#refuseOther(before);
    const head = newHead(await pushFiles(this.#objects, this.#prefix, this.#path, draft));
    await this.#verify(head);
    const there = new Set<string>();
    for await (const { name } of this.#objects.list(this.#prefix + PIECES)) there.add(name);
    const missing = [...piecesOf(head)].find((object) => !there.has(this.#prefix + object));
    if (missing !== undefined)
      throw new ObjectStoreFailed(`${this.#prefix}${missing} is missing, although it was just written`);
    const name = this.#prefix + HEAD;
    const when = before === undefined ? 'absent' : { etag: before.etag };
    if ((await this.#objects.put(name, encodeHead(head), when)) === undefined)
      throw new ObjectStoreFailed(
        `${name} was changed by others: does another installation use this bucket?`,
      );
    return head;
  }

  /** Reads back the pieces that were not read yet. @throws when one has not the bytes of the folder */
  async #verify(head: CubeHead): Promise<void> {
    for (const piece of piecesIn(head)) {
      if (this.#verified.has(piece.object)) continue;
      await readPiece(this.#objects, this.#prefix, piece);
      this.#verified.add(piece.object);
    }
  }

  /** What an interrupted move has left in the objects. */
  async #base(): Promise<CubeHead | undefined> {
    const head = await this.#stored();
    this.#refuseOther(head);
    return head?.manifest == null ? undefined : head;
  }

  #refuseOther(head: StoredHead | undefined): void {
    if (head?.manifest == null) return;
    const [there, here] = [
      (JSON.parse(head.manifest) as { readonly id: string }).id,
      readManifest(this.#path).id,
    ];
    if (there !== here)
      throw new InvalidInput(
        `${this.#prefix}${HEAD}: the bucket has another cube of this name, with id ${there} in place of ${here}`,
      );
  }

  #stored(): Promise<StoredHead | undefined> {
    return storedHead(this.#objects, this.#prefix);
  }

  /** Results of searches in progress. */
  async #moveUnits(): Promise<void> {
    const units = new UnitObjects(this.#objects, this.#prefix);
    for (const name of await readdir(this.#path)) {
      const unit = unitOfFile(name);
      if (unit !== undefined) await units.push(unit.search, unit.unit, join(this.#path, name));
    }
  }
}

function piecesIn(head: CubeHead): readonly Piece[] {
  return Object.values(head.files).flatMap(({ pieces }) => pieces);
}
