import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile, syncFolder } from '../../base/durable-file.ts';
import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import type { LayerCard } from '../../app/risk/layer-reader.ts';

/** Age above which a lock must have been left by a crash [ms]; locks are normally held for milliseconds. */
const LOCK_STALE_MS = 30_000;
const LOCK_WAIT_MS = 60_000; // maximum time to wait for the lock
const LOCK_PAUSE_MS = 20; // pause between two attempts to take the lock

/** The list of installed layers. */
export interface LayerCatalogue {
  /** Where it is, for messages. */
  readonly path: string;
  /** A value that changes when the list changes; null while there is none. */
  stamp(): Promise<string | null>;
  /**
   * Reads all layers. The layer that was changed last, by adding a piece, comes last.
   * @throws InvalidInput that states where the list is damaged
   */
  read(): Promise<readonly InstalledLayer[]>;
  /**
   * Makes one durable change. When `change` throws, the list stays as it was. `change` is called again when another
   * process was first.
   */
  update(change: CatalogueChange): Promise<void>;
}

/** Makes a new list of layers from the former one. */
export type CatalogueChange = (
  layers: readonly InstalledLayer[],
) => readonly InstalledLayer[] | Promise<readonly InstalledLayer[]>;

/** The user's catalogue, in one file. An absent file is an empty catalogue, unless the layers were moved to a bucket. */
export class InstalledCatalogue implements LayerCatalogue {
  readonly path: string;
  /** The former catalogue of layers that were moved to a bucket. */
  readonly movedPath: string;

  constructor(path: string) {
    this.path = path;
    this.movedPath = path.replace(/json$/, 'moved.json');
  }

  async stamp(): Promise<string | null> {
    try {
      const { ino, size, mtimeMs } = await stat(this.path);
      return `${ino} ${size} ${mtimeMs}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async read(): Promise<readonly InstalledLayer[]> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        if (!existsSync(this.movedPath)) return [];
        throw new UpstreamUnavailable(
          `${this.path}: the layers were moved to a bucket: start this process with GROUNDWATCH_OBJECTS too`,
        );
      }
      throw new InvalidInput(`${this.path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
    return layersIn(text, this.path);
  }

  /** Changes the list under a lock that all processes share. */
  async update(change: CatalogueChange): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await this.#locked(async () => {
      await replaceFile(this.path, catalogueText(await change(await this.read())));
    });
  }

  /**
   * Gives the layers to another place, while nobody changes them. From then on they are not here any more.
   * @param take has all of them elsewhere, durably, when it resolves
   * @throws UpstreamUnavailable when another process changed them although they were locked
   */
  async leave(take: (layers: readonly InstalledLayer[]) => Promise<void>): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await this.#locked(async () => {
      const stamp = await this.stamp();
      const layers = await this.read();
      await take(layers);
      // A lock that is held for long, as when the bucket is slow, is taken to be left by a crash.
      if ((await this.stamp()) !== stamp)
        throw new UpstreamUnavailable(`${this.path} was changed while the layers were moved: try again`);
      if (stamp === null) await replaceFile(this.movedPath, catalogueText([]));
      else await rename(this.path, this.movedPath);
      await syncFolder(dirname(this.path));
    });
  }

  /** Takes layers that were elsewhere. Does nothing when there is a catalogue: it has them, and maybe more. */
  async arrive(layers: readonly InstalledLayer[]): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await this.#locked(async () => {
      if (!existsSync(this.path)) await replaceFile(this.path, catalogueText(layers));
      await rm(this.movedPath, { force: true });
    });
  }

  /** Runs `work` under the lock: the catalogue does not change meanwhile, and all files that it names exist. */
  async unchanged<T>(work: (layers: readonly InstalledLayer[]) => Promise<T>): Promise<T> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    return await this.#locked(async () => work(await this.read()));
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const lock = `${this.path}.lock`;
    const token = randomUUID();
    for (let waited = 0; !(await createNew(lock, token)); waited += LOCK_PAUSE_MS) {
      if (waited > LOCK_WAIT_MS) {
        throw new UpstreamUnavailable(
          `${lock} has been held for a minute: remove it if no other command is changing layers`,
        );
      }
      await dropStale(lock);
      await sleep(LOCK_PAUSE_MS);
    }
    try {
      return await work();
    } finally {
      // Another process may have taken the lock over because ours was stale.
      if ((await readFile(lock, 'utf8').catch(() => '')) === token) await rm(lock, { force: true });
    }
  }
}

/** The text of a catalogue. @param isMoved whether the layers are in a data folder now, no more in the bucket */
export function catalogueText(layers: readonly InstalledLayer[], isMoved = false): string {
  return `${JSON.stringify({ format: 1, ...(isMoved && { moved: true }), layers }, null, 1)}\n`;
}

/** Layers that were in a bucket are in a data folder now. */
export class LayersMoved extends UpstreamUnavailable {}

/**
 * Reads the text of a catalogue.
 * @param path where it is from
 * @param takesMoved whether to read the layers of a catalogue that were moved
 * @throws LayersMoved, InvalidInput that states where it is damaged
 */
export async function layersIn(
  text: string,
  path: string,
  takesMoved = false,
): Promise<readonly InstalledLayer[]> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (!takesMoved && (json as { readonly moved?: true } | null)?.moved === true)
    throw new LayersMoved(
      `${path}: the layers were moved to a data folder: start this process as the one that moved them, with ` +
        'GROUNDWATCH_OBJECTS_FROM or without a bucket',
    );
  // Imported only when there is a catalogue, because the import takes longer than the rest of a command.
  const { FILE } = await import('./installed-catalogue-form.ts');
  if (FILE.Check(json)) return json.layers.map((layer) => ({ environment: 'all', ...markSimulated(layer) }));
  const [first] = FILE.Errors(json);
  throw new InvalidInput(
    `${path} is damaged: ${first?.instancePath || 'the file'} ${first?.message ?? 'has another form'}`,
  );
}

async function createNew(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock that a crashed process left behind. If two processes do this at once, only one rename succeeds. A
 * fresh lock that was renamed by mistake is put back.
 */
async function dropStale(lock: string): Promise<void> {
  const aside = join(dirname(lock), `.${randomUUID()}.lock`);
  try {
    if (Date.now() - (await stat(lock)).mtimeMs < LOCK_STALE_MS) return;
    await rename(lock, aside);
    const isYoung = Date.now() - (await stat(aside)).mtimeMs < LOCK_STALE_MS;
    if (isYoung) await rename(aside, lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Marks the cards of simulated layers as simulated. Catalogues of earlier releases mark these layers only by their
 * licence.
 */
function markSimulated<T extends { readonly environment?: string; readonly card: LayerCard }>(layer: T): T {
  const { environment, card } = layer;
  const was = environment === 'sandbox' && card.licence === 'simulated';
  return was ? { ...layer, card: { ...card, simulated: true } } : layer;
}
