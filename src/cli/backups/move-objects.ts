import { InvalidInput } from '../../base/errors.ts';
import { type CliContext, type Command, Failed } from '../command.ts';
import { progressNotes } from '../progress.ts';
import type { ObjectsMove } from './objects-move.ts';

export const moveObjectsCommand: Command = {
  name: 'objects move',
  summary:
    'Move cubes and layers from GROUNDWATCH_OBJECTS_FROM to the bucket of GROUNDWATCH_OBJECTS, or to the data folder, while services with the same settings go on with them',
  options: {
    remove: {
      meaning:
        'delete what was moved where it was before, each cube after it was read whole at its new place',
    },
  },
  audited: true,
  async run(context, { options }) {
    const { objectsMove: move, clock } = await context.open();
    if (move === undefined)
      throw new InvalidInput(
        'GROUNDWATCH_OBJECTS_FROM: expected folder, and a bucket in GROUNDWATCH_OBJECTS, or the bucket to move from, in ' +
          'this command and in all services and workers of the installation; got nothing',
      );
    const tell = progressNotes(context, clock);
    await (options['remove'] === true ? removeSources : moveAll)(context, move, tell);
  },
};

type Tell = ReturnType<typeof progressNotes>;

async function moveAll(context: CliContext, move: ObjectsMove, tell: Tell): Promise<void> {
  const files = await move.moveLayers();
  const failed: string[] = [];
  let [cubes, bytes] = [0, 0];
  // Cubes that were moved before may have results of searches that were written meanwhile.
  for (const cubeId of await move.moved()) await move.moveCube(cubeId);
  const left = await move.left();
  const moved = tell('cubes moved');
  for (const [i, cubeId] of left.entries()) {
    try {
      const size = await move.moveCube(cubeId);
      if (size !== undefined) cubes++;
      bytes += size ?? 0;
    } catch (error) {
      failed.push(`${cubeId}: ${(error as Error).message}`);
      context.note(failed.at(-1)!);
    }
    moved(i + 1, left.length);
  }
  context.print(
    { cubes, bytes, layer_files: files, failed },
    `Moved and read back ${cubes} cubes (${(bytes / 1e6).toFixed(1)} MB) and ${files} files of layers. ` +
      'groundwatch objects move --remove deletes them where they were',
  );
  if (failed.length > 0)
    throw new Failed(`${failed.length} cubes are still in ${move.source}, and used from there: ${failed[0]}`);
}

async function removeSources(context: CliContext, move: ObjectsMove, tell: Tell): Promise<void> {
  const left = await move.left();
  if (left.length > 0)
    throw new Failed(
      `${left.length} cubes are still in ${move.source}, such as ${left[0]}: move them first with groundwatch objects move`,
    );
  await move.moveLayers();
  const moved = await move.moved();
  const deleted = tell(`cubes read whole and deleted from ${move.source}`);
  for (const [i, cubeId] of moved.entries()) {
    const damage = await move.removeSource(cubeId);
    if (damage.length > 0)
      throw new Failed(
        `${cubeId} is damaged at its new place, and stays in ${move.source} too: ${damage.join('; ')}`,
      );
    deleted(i + 1, moved.length);
  }
  await move.end();
  context.print(
    { cubes: moved.length },
    `Deleted ${moved.length} cubes from ${move.source}. Start all processes without GROUNDWATCH_OBJECTS_FROM now`,
  );
}
