import packageJson from '../../../package.json' with { type: 'json' };
import { InvalidInput } from '../../base/errors.ts';
import { backUp } from '../../backup/backup.ts';
import type { CliDeps } from '../../cli/command.ts';
import type { Config } from '../../config.ts';
import { ObjectCubeStore } from '../../cube/objects/object-cube-store.ts';
import type { LayerHome } from '../../sources/layers/layer-home.ts';
import { MovingCubeStore } from '../../cube/moving/moving-cube-store.ts';
import type { OpenDatabase } from '../../store/connection/database.ts';
import type { SecretKey } from '../secret-key.ts';
import type { OpenCubes } from './cubes.ts';

/** Returns the function that backs the installation up. */
export function backUpOf(parts: {
  readonly config: Pick<Config, 'dataFolder' | 'objects'>;
  readonly clock: CliDeps['clock'];
  readonly secretKey: SecretKey;
  readonly database: Pick<OpenDatabase, 'pool'>;
  readonly cube: OpenCubes;
  readonly layers: LayerHome;
}): CliDeps['backUp'] {
  const { config, clock, secretKey, database, cube, layers } = parts;
  const { version } = packageJson;
  return async (path, recipients, copies) => {
    if (cube instanceof MovingCubeStore)
      throw new InvalidInput(
        'GROUNDWATCH_OBJECTS_FROM: a backup is made before a move or after it, when cubes are at one place: finish the ' +
          'move with groundwatch objects move and objects move --remove, then start without this setting',
      );
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
export function bucketBackups(cube: OpenCubes): CliDeps['bucketBackups'] {
  return 'backups' in cube ? cube.backups : undefined;
}
