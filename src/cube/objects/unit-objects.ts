import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ObjectStore } from '../../net/object-store.ts';
import { DamagedFile } from '../damaged-file.ts';
import type { Piece } from './cube-head.ts';
import { readPiece } from './pulled-files.ts';
import { digest, readPart } from './pushed-files.ts';

/** Maximum size of an object with a part of a unit [bytes]: 8 MiB. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** Last part of the name of the object that lists the others of a unit. A unit is there when this object is. */
const HEAD = 'head.json';

/** Results of units of searches in objects: `units/<search>/<unit>/`. */
export class UnitObjects {
  readonly #objects: ObjectStore;
  readonly #prefix: string;

  /** @param prefix of the cube's objects, with a slash at its end */
  constructor(objects: ObjectStore, prefix: string) {
    this.#objects = objects;
    this.#prefix = `${prefix}units/`;
  }

  /** Writes the file of a unit to objects. Does nothing when another process has written it. */
  async push(search: string, unit: string, path: string): Promise<void> {
    const pieces: Piece[] = [];
    const file = await open(path);
    try {
      const { size } = await file.stat();
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const bytes = await readPart(file, at, Math.min(PIECE_BYTES, size - at));
        const object = `${search}/${unit}/${randomUUID()}`;
        await this.#objects.put(this.#prefix + object, bytes, 'absent');
        pieces.push({ object, size: bytes.byteLength, sha256: digest(bytes) });
      }
    } finally {
      await file.close();
    }
    const head = Buffer.from(JSON.stringify(pieces));
    await this.#objects.put(`${this.#prefix}${search}/${unit}/${HEAD}`, head, 'absent');
  }

  /** Makes the file of a unit from its objects, unless it is there. @returns whether there is such a unit */
  async pull(search: string, unit: string, path: string): Promise<boolean> {
    if (existsSync(path)) return true;
    const name = `${this.#prefix}${search}/${unit}/${HEAD}`;
    const found = await this.#objects.get(name);
    if (found === undefined || found === 'same') return false;
    const draft = `${path}.${randomUUID()}.tmp`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx');
    try {
      for (const piece of piecesIn(name, found.bytes)) {
        const bytes = await readPiece(this.#objects, this.#prefix, piece);
        await file.write(bytes, 0, bytes.byteLength);
      }
      await file.close();
      await rename(draft, path);
    } finally {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
    }
    return true;
  }

  /** Names of the units of a search. */
  async names(search: string): Promise<readonly string[]> {
    const prefix = `${this.#prefix}${search}/`;
    const names: string[] = [];
    for await (const { name } of this.#objects.list(prefix))
      if (name.endsWith(`/${HEAD}`)) names.push(name.slice(prefix.length, -HEAD.length - 1));
    return names;
  }

  /** Deletes the units of some searches, the lists of their objects first. */
  async drop(isOver: (search: string) => boolean): Promise<void> {
    const dead: string[] = [];
    for await (const { name } of this.#objects.list(this.#prefix))
      if (isOver(name.slice(this.#prefix.length).split('/')[0]!)) dead.push(name);
    for (const isHead of [true, false])
      for (const name of dead) if (name.endsWith(`/${HEAD}`) === isHead) await this.#objects.delete(name);
  }
}

function piecesIn(name: string, bytes: Uint8Array): readonly Piece[] {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as readonly Piece[];
  } catch (error) {
    throw new DamagedFile(name, `it is not JSON: ${(error as Error).message}`);
  }
}
