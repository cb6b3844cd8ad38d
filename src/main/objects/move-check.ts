import type { ObjectsMove } from '../../cli/backups/objects-move.ts';
import type { InstallationCheck } from '../../cli/installation-check.ts';
import type { Config } from '../../config.ts';
import type { S3Place } from '../../net/s3-objects.ts';
import { objectsPlace } from './cubes.ts';
import { cubesIn, movesOf } from './move.ts';
import { MoveNote } from './move-note.ts';

const GO_ON = 'run groundwatch objects move; a move that was broken off goes on where it was';
const END =
  'run groundwatch objects move --remove, then start all processes without GROUNDWATCH_OBJECTS_FROM';

/**
 * Tells of a move of cubes and layers that is under way or was broken off. Both look the same from outside: each cube is
 * at one of two places.
 */
export const moveCheck = (config: () => Config): InstallationCheck => ({
  part: 'move of objects',
  needs: 'objects',
  remedy: 'check GROUNDWATCH_OBJECTS and GROUNDWATCH_OBJECTS_FROM',
  async look() {
    const settings = config();
    const moves = movesOf(settings);
    if (moves !== undefined) return await progressOf(moves);
    const { objects } = settings;
    if (objects !== undefined) {
      const from = await noteIn(objectsPlace(settings, objects));
      if (from !== undefined)
        return {
          status: 'warn',
          found: `the bucket has not all cubes yet: ${from.folder} of ${from.host} is being moved into it`,
          remedy:
            'end the move there with groundwatch objects move --remove; until then this node cannot start',
        };
    } else {
      const away = (await cubesIn(settings, true)).length;
      if (away > 0)
        return {
          status: 'fail',
          found: `${away} cubes of the data folder are in a bucket, but GROUNDWATCH_OBJECTS is not set`,
          remedy: `set GROUNDWATCH_OBJECTS, and GROUNDWATCH_OBJECTS_FROM=folder until the move is done; ${GO_ON}`,
        };
    }
    return { status: 'ok', found: 'none is under way' };
  },
});

async function noteIn(place: S3Place): ReturnType<MoveNote['read']> {
  const note = new MoveNote(place);
  try {
    return await note.read();
  } finally {
    await note.close();
  }
}

async function progressOf({ source, left, moved }: Pick<ObjectsMove, 'source' | 'left' | 'moved'>) {
  const [there, here] = [(await left()).length, (await moved()).length];
  const found = `GROUNDWATCH_OBJECTS_FROM is set: ${there} cubes are still in ${source} and used from there, ${here} were moved and not deleted there`;
  return { status: 'warn', found, remedy: there > 0 ? GO_ON : END } as const;
}
