import { randomBytes } from 'node:crypto';
import type { CubeBackups, KeptHead } from '../cube/objects/cube-backups.ts';
import type { HeadFile } from '../cube/objects/head-files.ts';
import { type FileOwners, sealedName } from './file-owners.ts';
import { sealedEntry } from './sealed-file.ts';
import type { TarEntry } from './tar.ts';

/** Folder of the data folder into which a restore writes the heads of cubes, until they are in the bucket. */
export const HEADS_FOLDER = 'object-heads';

/** Where a restore finds what an archive names only. */
export interface NamedBucket {
  readonly endpoint: string;
  readonly bucket: string;
  readonly prefix: string;
}

/** The bucket of the installation that is backed up. */
export interface BackedObjects {
  readonly place: NamedBucket;
  readonly cubes: Pick<CubeBackups, 'begin' | 'keep' | 'end' | 'release' | 'filesOf'>;
  /** Whether the archive gets the files of the cubes. Otherwise it gets the names and digests of their objects. */
  readonly copies: boolean;
}

/** What a backup keeps in the bucket, or has copied from it. */
export interface BackedCubes {
  /** Name of the backup in the bucket; undefined when the archive has copies, which need nothing of the bucket. */
  readonly id: string | undefined;
  readonly cubes: number;
  /** Objects that were named or copied, and their size [bytes]. */
  readonly objects: number;
  readonly bytes: number;
}

/** Makes the name of a backup in a bucket: its time, and random digits. */
export function newBackupId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').toLowerCase();
  return `${time}z-${randomBytes(3).toString('hex')}`;
}

/**
 * Adds the cubes of a bucket to an archive, and keeps their objects from being deleted. What is only copied is let go
 * of at the end; what is named stays until the backup is released.
 */
export async function addObjectCubes(
  { cubes, copies }: BackedObjects,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
  owners: FileOwners,
  add: (entry: TarEntry) => Promise<void>,
): Promise<BackedCubes> {
  const wanted = owners.cubes.flatMap((cube) => {
    const owner = owners.ownerOf(`cubes/${cube}`);
    return owner === 'left out' ? [] : [{ cube, owner }];
  });
  await cubes.begin({
    id,
    made_at: new Date(nowMs).toISOString(),
    cubes: wanted.map(({ cube, owner }) => ({ cube, account: owner === 'nobody' ? null : owner.id })),
  });
  try {
    const total = { cubes: 0, objects: 0, bytes: 0 };
    for (const { cube, owner } of wanted) {
      const head = await cubes.keep(id, cube);
      if (head === undefined) continue;
      total.cubes += 1;
      for (const { pieces } of Object.values(head.files)) {
        total.objects += pieces.length;
        total.bytes += pieces.reduce((sum, { size }) => sum + size, 0);
      }
      for (const entry of copies ? copied(cube, cubes.filesOf(cube, head)) : [named(cube, head)])
        await add(
          owner === 'nobody' ? entry : sealedEntry(entry, sealedName(entry.name, owner.id), owner.key),
        );
    }
    if (copies) await cubes.release(id);
    else await cubes.end(id);
    return { id: copies ? undefined : id, ...total };
  } catch (error) {
    await cubes.release(id).catch(() => undefined); // else it is listed as unfinished
    throw error;
  }
}

function copied(cube: string, files: readonly HeadFile[]): readonly TarEntry[] {
  return files.map(({ name, ...file }) => ({ ...file, name: `data/cubes/${cube}/${name}`, mode: 0o600 }));
}

function named(cube: string, { manifest, files }: KeptHead): TarEntry {
  const bytes = Buffer.from(JSON.stringify({ manifest, files }));
  const content = (async function* () {
    yield bytes;
  })();
  return { name: `data/${HEADS_FOLDER}/${cube}.json`, size: bytes.length, mode: 0o600, content };
}
