import {
  type ChangeRun,
  type ChangeTask,
  findChanges,
  type FoundChange,
  type ReadSeries,
} from './find-changes.ts';
import type { SavedState, StateStore, StateWriter } from './saved-state.ts';

/** What a state rests on: it serves a stack of the same kind whose moments begin with its own. */
export interface StateBasis {
  /** Digest of all but the scenes: model, software, grid and metrics. */
  readonly about: string;
  /** Each moment by time and the digests of its scenes. */
  readonly moments: readonly string[];
}

/** What the monitor is to look at, and where its state is kept. */
export interface ResumableStack {
  readonly states: StateStore;
  /** Cube beside which the state lies. */
  readonly cubeId: string;
  readonly basis: StateBasis;
  readonly stack: Omit<ChangeTask, 'since' | 'keeps'>;
  readonly read: ReadSeries;
}

/**
 * As `findChanges`, going on from the state that an earlier run has left, if its scenes are the first of these, and
 * leaving its own for the next. What is found is what a run from the first scene finds: any other state, and one that
 * turns out damaged, is passed over. A state that cannot be saved costs the next run time, and nothing else.
 */
export async function resumeChanges(
  resumable: ResumableStack,
  run: Omit<ChangeRun, 'files'>,
): Promise<readonly FoundChange[]> {
  const { states, cubeId, basis } = resumable;
  // Whatever is wrong with it, the scenes are there to work it out again.
  const saved = await states.openState(cubeId).catch(() => undefined);
  try {
    const since = saved === undefined ? 0 : sceneOf(saved, basis);
    if (since === 0) return await runFrom(resumable, run, 0, undefined);
    let unread: unknown;
    const read: ReadSeries = async (...strip) => {
      try {
        return await resumable.read(...strip);
      } catch (error) {
        unread = error;
        throw error;
      }
    };
    try {
      return await runFrom({ ...resumable, read }, run, since, saved);
    } catch (error) {
      if (error === unread || run.signal?.aborted === true) throw error;
      return await runFrom(resumable, run, 0, undefined);
    }
  } finally {
    await saved?.close();
  }
}

/** Scene from which a stack goes on; 0 where the state is of no use to it. */
function sceneOf({ heading }: SavedState, { about, moments }: StateBasis): number {
  const known = JSON.parse(heading) as Partial<StateBasis> | null;
  if (known?.about !== about || !Array.isArray(known.moments)) return 0;
  return known.moments.every((moment, i) => moment === moments[i]) ? known.moments.length : 0;
}

async function runFrom(
  { states, cubeId, basis, stack, read }: ResumableStack,
  run: Omit<ChangeRun, 'files'>,
  since: number,
  saved: SavedState | undefined,
): Promise<readonly FoundChange[]> {
  const keeps = since < basis.moments.length;
  const keeper = new StateKeeper(
    keeps ? await states.writeState(cubeId, expectedBytes(stack)).catch(() => undefined) : undefined,
  );
  const files = {
    series: read,
    saved: async (part: string) => await saved!.part(part),
    keep: async (part: string, bytes: Uint8Array) => await keeper.add(part, bytes),
  };
  try {
    const found = await findChanges({ ...stack, since, keeps }, { ...run, files });
    await keeper.commit(JSON.stringify(basis));
    return found;
  } finally {
    await keeper.giveUp();
  }
}

/** Most bytes of state of a pixel and metric, and of each scene of theirs; `npm run bench -- changes` tells how many it takes. */
const PIXEL_BYTES = 150;
const SCENE_BYTES = 2.25;

function expectedBytes({ spec: { width, height, timesMs }, series }: ResumableStack['stack']): number {
  return width * height * series.length * (PIXEL_BYTES + SCENE_BYTES * timesMs.length);
}

/** Saves a state as far as that can be done: what fails is given up without a word. */
class StateKeeper {
  #writer: StateWriter | undefined;
  #before: Promise<void> = Promise.resolve();

  constructor(writer: StateWriter | undefined) {
    this.#writer = writer;
  }

  async add(part: string, bytes: Uint8Array): Promise<void> {
    this.#before = this.#before.then(() => this.#try((writer) => writer.add(part, bytes)));
    await this.#before;
  }

  async commit(heading: string): Promise<void> {
    await this.#try((writer) => writer.commit(heading));
    this.#writer = undefined;
  }

  async giveUp(): Promise<void> {
    await this.#before;
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.discard().catch(() => undefined);
  }

  async #try(act: (writer: StateWriter) => Promise<void>): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    try {
      await act(writer);
    } catch {
      this.#writer = undefined;
      await writer.discard().catch(() => undefined);
    }
  }
}
