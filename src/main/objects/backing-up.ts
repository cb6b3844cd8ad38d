import packageJson from '../../../package.json' with { type: 'json' };
import { backUp } from '../../backup/backup.ts';
import type { CliDeps } from '../../cli/command.ts';
import type { Config } from '../../config.ts';
import type { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { ObjectCubeStore } from '../../cube/objects/object-cube-store.ts';
import type { LayerHome } from '../../sources/layers/layer-home.ts';
import type { OpenDatabase } from '../../store/connection/database.ts';
import type { SecretKey } from '../secret-key.ts';

/** Returns the function that backs the installation up. */
export function backUpOf(parts: {
  readonly config: Pick<Config, 'dataFolder' | 'objects'>;
  readonly clock: CliDeps['clock'];
  readonly secretKey: SecretKey;
  readonly database: Pick<OpenDatabase, 'pool'>;
  readonly cube: FolderCubeStore | ObjectCubeStore;
  readonly layers: LayerHome;
}): CliDeps['backUp'] {
  const { config, clock, secretKey, database, cube, layers } = parts;
  const { version } = packageJson;
  return async (path, recipients, copies) => {
    const [{ dataFolder, objects: place }, { pool }, { sealing, file }] = [config, database, secretKey];
    const objects =
      cube instanceof ObjectCubeStore && place !== undefined
        ? {
            place: { endpoint: place.endpoint, bucket: place.bucket, prefix: place.prefix },
            cubes: cube.backups,
            copies,
          }
        : undefined;
    const nowMs = clock.now();
    const made = { pool, sealing, dataFolder, layers, path, recipients, version, nowMs, objects };
    return { ...(await backUp(made)), keyFile: file !== undefined };
  };
}

/** The backups that keep objects of the bucket; undefined without a bucket. */
export function bucketBackups(cube: FolderCubeStore | ObjectCubeStore): CliDeps['bucketBackups'] {
  return cube instanceof ObjectCubeStore ? cube.backups : undefined;
}
