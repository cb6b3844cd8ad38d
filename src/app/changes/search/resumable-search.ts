import { createHash } from 'node:crypto';
import { release } from '../../../base/release.ts';
import { PARAMETERS } from '../../../change/parameters.ts';
import { BLOCK_STRIPS } from './block.ts';
import { openSearchState } from './block-state.ts';
import type { ChangeTask, StateBasis } from './change-task.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import { type Bytes, ENCODING, readPart, unsealed } from './saved-part.ts';
import type { SavedState, SavedStateWriter } from './saved-state.ts';
import type { KeptPart, Keeps, PassState } from './stack-pass.ts';

/** Reference to the saved state that a search resumes from, so that other threads can open it. */
export interface StateReference {
  /** Id of the cube with which the state was saved. */
  readonly cubeId: string;
  /** Heading of the state. A thread compares it to detect that another state has replaced this one. */
  readonly heading: string;
}

/**
 * Runs a search with access to saved state. `left` refers to the state from which the search resumes, if any; `name` is a
 * digest of all that the results depend on, undefined when nothing is saved.
 */
export type SearchFrom<T> = (
  state: PassState,
  left: StateReference | undefined,
  name: string | undefined,
) => Promise<T>;

/** A search that saves nothing. */
export const STATELESS: PassState = {
  since: 0,
  keeps: 'nothing',
  saved: () => Promise.reject(new RangeError('nothing was saved')),
  keep: () => Promise.resolve(),
  kept: () => Promise.resolve(undefined),
  settle: () => Promise.resolve(false),
};

/**
 * A search that resumes from the state saved by an earlier search, and saves its own state for later searches from time
 * to time. It resumes only if the scenes of the stack begin with the scenes of the saved state; otherwise it ignores that state.
 * If a resumed search fails, the search starts again from the first scene. A search whose process died goes on from the
 * last part that it had saved. The changes found are therefore the same
 * as in a search from the first scene. If a state cannot be saved, the next search only takes longer.
 */
export class ResumableSearch {
  readonly #cubes: SearchedCubes;
  readonly #task: ChangeTask;
  #keeper: StateKeeper | undefined;

  constructor(cubes: SearchedCubes, task: ChangeTask) {
    this.#cubes = cubes;
    this.#task = task;
  }

  /** @throws the error of the search from the first scene, if that search fails too */
  async run<T>(search: SearchFrom<T>): Promise<T> {
    const { basis, series } = this.#task;
    if (basis === undefined) return await search(STATELESS, undefined, undefined);
    /** Heading of the state from which a search failed. */
    let refused: string | undefined;
    for (;;) {
      // A state that cannot be opened is ignored: it can be recomputed from the scenes.
      const saved = await openSearchState(this.#cubes, series[0]!.cubeId).catch(() => undefined);
      const since = saved === undefined || saved.heading === refused ? 0 : sceneOf(saved, this.#task);
      try {
        return await this.#from(since, since === 0 ? undefined : saved, search);
      } catch (error) {
        // The state may have caused the error: it was damaged, or another search has replaced it. If the error has
        // another cause, it occurs again in the search from the first scene.
        if (since === 0) throw error;
        refused = saved!.heading;
      } finally {
        await saved?.close();
      }
    }
  }

  /** Discards the state that is being written, if any. */
  async giveUp(): Promise<void> {
    await this.#keeper?.giveUp();
  }

  async #from<T>(since: number, saved: SavedState | undefined, search: SearchFrom<T>): Promise<T> {
    const { basis, series, blockStrips = BLOCK_STRIPS } = this.#task;
    const { cubeId } = series[0]!;
    const keeps = keepsOf(since, basis!.moments.length);
    // What a search that died has left is of use only to one from the same scene, in the same blocks.
    const about = JSON.stringify([headingOf(this.#task), since, keeps, blockStrips]);
    const expected = keeps === 'states' ? expectedBytes(this.#task) : 0;
    const writer = keeps === 'nothing' ? undefined : this.#cubes.writeState(cubeId, expected, about);
    const opened = await writer?.catch(() => undefined);
    const keeper = new StateKeeper(opened);
    const name = opened && createHash('sha256').update(about).digest('hex').slice(0, 32);
    this.#keeper = keeper;
    let saving: Promise<boolean> | undefined;
    const settle = async (): Promise<boolean> =>
      await (saving ??=
        keeps === 'states' ? keeper.commit(JSON.stringify(headingOf(this.#task))) : Promise.resolve(false));
    const state = {
      since,
      keeps,
      saved: (part: string) => (saved === undefined ? STATELESS.saved(part) : readPart(saved, part)),
      keep: (part: string, bytes: Bytes, note?: Bytes) => keeper.add(part, bytes, note),
      kept: (part: string) => keeper.kept(part),
      settle,
    };
    try {
      const found = await search(state, saved && { cubeId, heading: saved.heading }, name);
      const isSaved = await settle();
      // Units that cannot be deleted now are deleted after a later search.
      if (name !== undefined)
        await this.#cubes.dropUnits(cubeId, isSaved ? { butOf: name } : { of: name }).catch(() => undefined);
      return found;
    } finally {
      await keeper.giveUp();
    }
  }
}

/**
 * Number of scenes after which the state is saved again: a sixth of it is written with each scene on average. Searches
 * in between follow the pixels that are not certain to be calm since the state: each scene more adds some.
 */
export const SCENES_PER_STATE = 6;

/** What a search of `scenes` scenes saves that resumes at scene `since`. */
function keepsOf(since: number, scenes: number): Keeps {
  if (since === scenes) return 'nothing';
  return since > 0 && scenes - since < SCENES_PER_STATE ? 'events' : 'states';
}

/** Heading of a state: its basis, the groups of metrics that were searched, and how its parts are encoded. */
interface StateHeading extends StateBasis {
  readonly encoding: string;
  readonly groups: readonly string[];
}

function headingOf({ basis, groups }: ChangeTask): StateHeading {
  return { ...basis!, encoding: ENCODING, groups: groups.map((group) => group.join('+')) };
}

/** Returns the position of the first scene that a state does not cover; 0 if the state cannot be used for the task. */
function sceneOf({ heading }: SavedState, task: ChangeTask): number {
  const known = JSON.parse(heading) as Partial<StateHeading> | null;
  const { about, moments, groups } = headingOf(task);
  if (
    known?.about !== about ||
    known.encoding !== ENCODING ||
    !Array.isArray(known.moments) ||
    !Array.isArray(known.groups)
  )
    return 0;
  const isWhole = groups.every((group) => known.groups!.includes(group));
  return isWhole && known.moments.every((moment, i) => moment === moments[i]) ? known.moments.length : 0;
}

/**
 * Upper bounds of the size of a state [bytes]: a constant part per pixel and metric, a part per pixel, metric and
 * scene, and a part per scene and pixel of a bank of like pixels. `npm run bench -- changes` measures them.
 */
const PIXEL_BYTES = 170;
const SCENE_BYTES = 2.25;
const BANK_BYTES = 56;

function expectedBytes({ spec: { width, height, timesMs }, groups }: ChangeTask): number {
  const pixels = width * height;
  const banked = BANK_BYTES * Math.min(PARAMETERS.bankPixels, pixels) * timesMs.length;
  return groups.flat().length * (pixels * (PIXEL_BYTES + SCENE_BYTES * timesMs.length) + banked);
}

/** Saves a state if possible. After a write error the state is discarded, and the search continues. */
class StateKeeper {
  #writer: SavedStateWriter | undefined;
  #before: Promise<void> = Promise.resolve();

  constructor(writer: SavedStateWriter | undefined) {
    this.#writer = writer;
  }

  async add(part: string, bytes: Uint8Array, note?: Uint8Array): Promise<void> {
    this.#before = this.#before.then(() => this.#try((writer) => writer.add(part, bytes, note)));
    await this.#before;
    release(bytes);
  }

  /** Reads a part that a search that died had saved; undefined when there is none, or it is damaged. */
  async kept(part: string): Promise<KeptPart | undefined> {
    const found = await this.#writer?.kept(part).catch(() => undefined);
    const bytes = found && unsealed(found.bytes);
    return bytes && { bytes, note: found.note };
  }

  /** @returns whether the state is saved */
  async commit(heading: string): Promise<boolean> {
    await this.#try((writer) => writer.commit(heading));
    const isSaved = this.#writer !== undefined;
    this.#writer = undefined;
    return isSaved;
  }

  async giveUp(): Promise<void> {
    await this.#before;
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.discard().catch(() => undefined);
  }

  async #try(act: (writer: SavedStateWriter) => Promise<void>): Promise<void> {
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
