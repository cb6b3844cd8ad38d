// Worker thread that thread-pictures.ts starts: makes pictures, one after the other, and keeps what it read.
import { parentPort } from 'node:worker_threads';
import { openCubes } from '../app/changes/search/open-cubes.ts';
import type { PictureCall } from '../app/pictures/picture-maker.ts';
import { NotFound } from '../base/errors.ts';
import type { PictureOutcome } from './picture-outcome.ts';
import { PictureWork } from './picture-work.ts';

const port = parentPort!;
let work: PictureWork | undefined;

async function outcomeOf({ cubes, task }: PictureCall): Promise<PictureOutcome> {
  try {
    work ??= new PictureWork(await openCubes(cubes));
    return { kind: 'made', picture: await work.do(task) };
  } catch (error) {
    // The class is sent separately, since postMessage would turn an instance of it into a plain error.
    return error instanceof NotFound ? { kind: 'absent', message: error.message } : { kind: 'failed', error };
  }
}

port.on('message', (call: PictureCall) => {
  void outcomeOf(call).then((outcome) => port.postMessage(outcome));
});
