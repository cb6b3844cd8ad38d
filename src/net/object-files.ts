import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sha256 } from './aws-signature.ts';
import { DamagedObject, type ObjectStore } from './object-store.ts';

/** Maximum size of a part [bytes]: 8 MiB, so no object needs more than one request. */
const PART_BYTES = 8 * 1024 * 1024;
/** Last part of the name of the object that lists the others of a file. A file is there when this object is. */
const HEAD = 'head.json';

/** A part of a file, as its head lists it. */
interface Part {
  /** Name of its object behind the prefix. */
  readonly object: string;
  readonly size: number;
  readonly sha256: string;
}

/** A file that is in objects. */
export interface FileInObjects {
  readonly name: string;
  /** Time since it was written [ms], by the clock of the store. */
  readonly ageMs: number;
}

/** Immutable files in objects: `<prefix><name>/`, in parts, and a head that lists the parts and their digests. */
export class ObjectFiles {
  readonly #objects: ObjectStore;
  readonly #prefix: string;

  /** @param prefix of the objects, with a slash at its end */
  constructor(objects: ObjectStore, prefix: string) {
    this.#objects = objects;
    this.#prefix = prefix;
  }

  /** Writes a file to objects, whole or not at all. Does nothing when there is a file of this name. */
  async keep(name: string, path: string): Promise<void> {
    if ((await this.#headOf(name)) !== undefined) return;
    const parts: Part[] = [];
    const file = await open(path);
    try {
      const { size } = await file.stat();
      for (let at = 0; at < size; at += PART_BYTES) {
        const bytes = Buffer.alloc(Math.min(PART_BYTES, size - at));
        const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, at);
        if (bytesRead < bytes.byteLength) throw new Error(`${path} ends at byte ${at + bytesRead}`);
        const object = `${name}/${randomUUID()}`;
        await this.#objects.put(this.#prefix + object, bytes, 'absent');
        parts.push({ object, size: bytes.byteLength, sha256: sha256(bytes) });
      }
    } finally {
      await file.close();
    }
    await this.#objects.put(this.#headName(name), Buffer.from(JSON.stringify(parts)), 'absent');
  }

  /**
   * Makes a file from its objects, unless it is on the disk already. Another process sees the whole file or none.
   * @returns whether there is such a file
   * @throws DamagedObject when a part is missing or has other bytes than were written
   */
  async fetch(name: string, path: string): Promise<boolean> {
    if (existsSync(path)) return true;
    const parts = await this.#headOf(name);
    if (parts === undefined) return false;
    const draft = `${path}.${randomUUID()}.tmp`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      for (const part of parts) {
        const bytes = await this.#read(part);
        await file.writeFile(bytes);
      }
      await file.sync();
      await file.close();
      await rename(draft, path);
    } finally {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
    }
    return true;
  }

  /**
   * Reads a whole file, and compares it with one on the disk.
   * @throws DamagedObject when it is missing or has other bytes
   */
  async compare(name: string, path: string): Promise<void> {
    const parts = await this.#headOf(name);
    const file = await open(path);
    try {
      let at = 0;
      for (const part of parts ?? []) {
        const [there, here] = [await this.#read(part), Buffer.alloc(part.size)];
        const { bytesRead } = await file.read(here, 0, part.size, at);
        if (bytesRead === part.size && here.equals(there)) at += part.size;
      }
      if (parts === undefined || at !== (await file.stat()).size)
        throw new DamagedObject(`${this.#prefix}${name} is missing, or has other bytes than ${path}`);
    } finally {
      await file.close();
    }
  }

  /** Size of a file [bytes]; undefined when there is none. */
  async sizeOf(name: string): Promise<number | undefined> {
    return (await this.#headOf(name))?.reduce((sum, { size }) => sum + size, 0);
  }

  /** Names of the whole files whose name begins with `start`. */
  async names(start = ''): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name } of this.#objects.list(this.#prefix + start))
      if (name.endsWith(`/${HEAD}`)) names.push(name.slice(this.#prefix.length, -HEAD.length - 1));
    return names;
  }

  /** Deletes what is left of the files that `isOver` says so of, the heads first. */
  async drop(isOver: (file: FileInObjects) => boolean, start = ''): Promise<void> {
    const dead: string[] = [];
    for await (const { name, ageMs } of this.#objects.list(this.#prefix + start)) {
      const file = name.slice(this.#prefix.length, name.lastIndexOf('/'));
      if (isOver({ name: file, ageMs })) dead.push(name);
    }
    for (const isHead of [true, false])
      for (const name of dead) if (name.endsWith(`/${HEAD}`) === isHead) await this.#objects.delete(name);
  }

  #headName(name: string): string {
    return `${this.#prefix}${name}/${HEAD}`;
  }

  /** @throws DamagedObject when it is damaged */
  async #headOf(name: string): Promise<readonly Part[] | undefined> {
    const found = await this.#objects.get(this.#headName(name));
    if (found === undefined || found === 'same') return undefined;
    try {
      return JSON.parse(found.bytes.toString('utf8')) as readonly Part[];
    } catch (cause) {
      throw new DamagedObject(`${this.#headName(name)} is damaged: it is not JSON`, { cause });
    }
  }

  async #read({ object, sha256: digest }: Part): Promise<Buffer> {
    const name = this.#prefix + object;
    const found = await this.#objects.get(name);
    if (found === undefined || found === 'same') throw new DamagedObject(`${name} is missing`);
    if (sha256(found.bytes) !== digest) throw new DamagedObject(`${name} is damaged: it fails its checksum`);
    return found.bytes;
  }
}
