import type { ChangeTask, StateBasis } from './find-changes.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import { type Bytes, savedPart, seal } from './saved-part.ts';
import type { SavedState, StateWriter } from './saved-state.ts';
import type { PassState } from './stack-pass.ts';

/** A saved state that a search goes on from: where other threads find it. */
export interface LeftState {
  /** Cube beside which it lies. */
  readonly cubeId: string;
  /** Tells it from one that was put in its place meanwhile. */
  readonly heading: string;
}

/** A search as its state has it begin, and what it leaves. */
export type SearchFrom<T> = (state: PassState, left: LeftState | undefined) => Promise<T>;

const STATELESS: PassState = {
  since: 0,
  keeps: false,
  saved: () => Promise.reject(new RangeError('nothing was saved')),
  keep: () => Promise.resolve(),
};

/**
 * A search that goes on from the state that an earlier one has left, if its scenes are the first of these, and leaves its
 * own for the next. What is found is what a search from the first scene finds: any other state is passed over, and where a
 * search that goes on fails, the scenes are there to begin with the first. A state that cannot be saved costs the next
 * search time, and nothing else.
 */
export class ResumableSearch {
  readonly #cubes: SearchedCubes;
  readonly #task: ChangeTask;
  #keeper: StateKeeper | undefined;

  constructor(cubes: SearchedCubes, task: ChangeTask) {
    this.#cubes = cubes;
    this.#task = task;
  }

  /** @throws what the search throws that begins with the first scene */
  async run<T>(search: SearchFrom<T>): Promise<T> {
    const { basis, series } = this.#task;
    if (basis === undefined) return await search(STATELESS, undefined);
    // Whatever is wrong with it, the scenes are there to work it out again.
    const saved = await this.#cubes.openState(series[0]!.cubeId).catch(() => undefined);
    try {
      const since = saved === undefined ? 0 : sceneOf(saved, this.#task);
      // What a search that goes on throws may be the fault of what was saved; what is not is thrown again.
      if (since > 0)
        return await this.#from(since, saved, search).catch(() => this.#from(0, undefined, search));
      return await this.#from(0, undefined, search);
    } finally {
      await saved?.close();
    }
  }

  /** Gives up the state that is being written, if one is. */
  async giveUp(): Promise<void> {
    await this.#keeper?.giveUp();
  }

  async #from<T>(since: number, saved: SavedState | undefined, search: SearchFrom<T>): Promise<T> {
    const { basis, series } = this.#task;
    const { cubeId } = series[0]!;
    const keeps = since < basis!.moments.length;
    const writer = keeps ? this.#cubes.writeState(cubeId, expectedBytes(this.#task)) : undefined;
    const keeper = new StateKeeper(await writer?.catch(() => undefined));
    this.#keeper = keeper;
    const state = {
      since,
      keeps,
      saved: (part: string) => (saved === undefined ? STATELESS.saved(part) : savedPart(saved, part)),
      keep: (part: string, bytes: Bytes) => keeper.add(part, seal(bytes)),
    };
    try {
      const found = await search(state, saved && { cubeId, heading: saved.heading });
      await keeper.commit(JSON.stringify(headingOf(this.#task)));
      return found;
    } finally {
      await keeper.giveUp();
    }
  }
}

/** What a state is headed by: what it rests on, and the groups of metrics that were followed. */
interface StateHeading extends StateBasis {
  readonly groups: readonly string[];
}

function headingOf({ basis, groups }: ChangeTask): StateHeading {
  return { ...basis!, groups: groups.map((group) => group.join('+')) };
}

/** Scene from which a stack goes on; 0 where the state is of no use to it. */
function sceneOf({ heading }: SavedState, task: ChangeTask): number {
  const known = JSON.parse(heading) as Partial<StateHeading> | null;
  const { about, moments, groups } = headingOf(task);
  if (known?.about !== about || !Array.isArray(known.moments) || !Array.isArray(known.groups)) return 0;
  const isWhole = groups.every((group) => known.groups!.includes(group));
  return isWhole && known.moments.every((moment, i) => moment === moments[i]) ? known.moments.length : 0;
}

/** Most bytes of state of a pixel and metric, and of each scene of theirs; `npm run bench -- changes` tells how many it takes. */
const PIXEL_BYTES = 150;
const SCENE_BYTES = 2.25;

function expectedBytes({ spec: { width, height, timesMs }, groups }: ChangeTask): number {
  return width * height * groups.flat().length * (PIXEL_BYTES + SCENE_BYTES * timesMs.length);
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
