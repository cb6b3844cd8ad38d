import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupManifest } from '../../backup/backup.ts';
import { HEADS_FOLDER } from '../../backup/object-cubes.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { Config } from '../../config.ts';
import { CubeBackups, type KeptHead } from '../../cube/objects/cube-backups.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { CUBES, objectsPlace } from './cubes.ts';

/** Missing objects that a message names. */
const MAX_NAMED = 3;

type Head = Pick<KeptHead, 'manifest' | 'files'>;

/** @throws InvalidInput when a backup needs a bucket, and the settings name none, or two places */
export function refuseMissingBucket(
  { objects, objectsFrom }: Pick<Config, 'objects' | 'objectsFrom'>,
  { objects: kept }: BackupManifest,
): void {
  if (objectsFrom !== undefined)
    throw new InvalidInput(
      'GROUNDWATCH_OBJECTS_FROM: expected nothing while a backup is restored, since it says that cubes are being moved',
    );
  if (kept !== undefined && objects === undefined)
    throw new InvalidInput(
      `GROUNDWATCH_OBJECTS: expected s3://${kept.bucket}/${kept.prefix} at ${kept.endpoint}, or a copy of it, since ` +
        'the backup names its objects and does not have them; got nothing',
    );
}

/** The cubes of a backup that is restored, on their way into the bucket of the settings. */
export class RestoredCubes {
  readonly #dataFolder: string;
  readonly #objects: S3Objects | undefined;
  readonly #heads: ReadonlyMap<string, Head>;

  private constructor(dataFolder: string, objects: S3Objects | undefined, heads: ReadonlyMap<string, Head>) {
    this.#dataFolder = dataFolder;
    this.#objects = objects;
    this.#heads = heads;
  }

  /**
   * Looks whether the bucket has the objects that the backup names, and writes those of the cubes that it has. What
   * other nodes see in the bucket stays as it is. Without a bucket, cubes stay in the data folder.
   * @throws InvalidInput naming objects that are missing
   */
  static async prepare(
    config: Pick<Config, 'objects' | 'caFile' | 'dataFolder'>,
    { objects: kept }: Pick<BackupManifest, 'objects'>,
  ): Promise<RestoredCubes> {
    const { objects: settings, dataFolder } = config;
    if (settings === undefined) return new RestoredCubes(dataFolder, undefined, new Map());
    const objects = new S3Objects(objectsPlace(config, settings));
    try {
      const cubes = new CubeBackups(objects);
      const heads = new Map<string, Head>();
      const missing: string[] = [];
      for (const name of await namesIn(join(dataFolder, HEADS_FOLDER))) {
        const cube = name.slice(0, -'.json'.length);
        const head = JSON.parse(await readFile(join(dataFolder, HEADS_FOLDER, name), 'utf8')) as Head;
        missing.push(...(await cubes.missing(cube, head)));
        heads.set(cube, head);
      }
      if (missing.length > 0)
        throw new InvalidInput(
          `GROUNDWATCH_OBJECTS: expected the objects of the backup ${kept?.backup} from s3://${kept?.bucket}/${kept?.prefix} ` +
            `at ${kept?.endpoint}, got a bucket without ${missing.length} of them: ${missing.slice(0, MAX_NAMED).join(', ')}`,
        );
      for (const cube of await namesIn(join(dataFolder, CUBES)))
        heads.set(cube, await cubes.push(cube, join(dataFolder, CUBES, cube)));
      return new RestoredCubes(dataFolder, objects, heads);
    } catch (error) {
      await objects.close();
      throw error;
    }
  }

  /** The cubes that the bucket gets. */
  get names(): readonly string[] {
    return [...this.#heads.keys()];
  }

  /** Makes the cubes of the bucket be those of the backup. */
  async publish(): Promise<void> {
    if (this.#objects === undefined) return;
    const cubes = new CubeBackups(this.#objects);
    for (const [cube, head] of this.#heads) await cubes.replace(cube, head);
  }

  /** Deletes from the data folder what is in the bucket now. */
  async tidy(): Promise<void> {
    if (this.#objects === undefined) return;
    for (const name of [HEADS_FOLDER, CUBES])
      await rm(join(this.#dataFolder, name), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.#objects?.close();
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
