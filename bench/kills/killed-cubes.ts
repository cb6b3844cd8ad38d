import { readConfig } from '../../src/config.ts';
import { FolderCubeStore } from '../../src/cube/folder-cube-store.ts';
import { ObjectCubeStore } from '../../src/cube/objects/object-cube-store.ts';
import { objectsPlace } from '../../src/main/objects/cubes.ts';

/** Number of scenes after which a log becomes a segment: few, so that kills strike this too. */
const CLOSE_AT = 12;

/** Opens the cubes in a folder, or in the objects of GROUNDWATCH_OBJECTS, of which the folder then has copies. */
export function openKilledCubes(folder: string): FolderCubeStore | ObjectCubeStore {
  const config = readConfig();
  if (config.objects === undefined) return new FolderCubeStore(folder, { closeAt: CLOSE_AT });
  const { cacheBytes } = config.objects;
  return new ObjectCubeStore(
    { place: objectsPlace(config, config.objects), cache: folder, cacheBytes },
    { closeAt: CLOSE_AT },
  );
}
