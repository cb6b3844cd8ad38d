import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { type ContextSurvey, mergeContextSurvey } from '../../../change/scene/context-survey.ts';
import { type LevelSurvey, mergeLevelSurvey } from '../../../change/scene/levels.ts';
import { type LikeSurvey, mergeLikeSurvey } from '../../../change/scene/like-pixels.ts';
import { joinEvents, type PixelEvents } from '../../../change/pixel/pixel-events.ts';
import { release } from '../../../base/release.ts';
import { type Block, PHASES, type Phase, pixelsOf, unitName } from './block.ts';
import type { ChangeTask } from './change-task.ts';
import type { StateReference } from './resumable-search.ts';
import { freeCounts } from './free-counts.ts';
import { type Bytes, readPart, releasePart, sealed } from './saved-part.ts';
import type { SavedStateWriter, UnitStore } from './saved-state.ts';
import type { RunningSearch } from './search-passes.ts';
import type { PassJob, PassKind, PassState, StackPasses } from './stack-pass.ts';
import type { UnitTurns } from './unit-turns.ts';

/** Pause between two looks whether other processes have finished the last units of a phase [ms]. */
const LOOK_MS = 250;

/** The result of a unit cannot be written. The search can be run without units. */
export class UnitNotSaved extends Error {
  override readonly name = 'UnitNotSaved';
}

type Survey = LevelSurvey | LikeSurvey | ContextSurvey;

/** The units of a search, and where their results are kept. */
export interface UnitPlace {
  readonly cubeId: string;
  /** Name of the search: a digest of everything that its results depend on. */
  readonly search: string;
  readonly blocks: readonly Block[];
}

/** Runs the units of a search whose turn it is, and reads the results of all. */
export class UnitRunner {
  readonly #search: RunningSearch;
  readonly #place: UnitPlace;
  readonly #turns: UnitTurns;
  /** Units that are reported as processed. */
  readonly #told = new Set<string>();

  constructor(search: RunningSearch, place: UnitPlace, turns: UnitTurns) {
    this.#search = search;
    this.#place = place;
    this.#turns = turns;
  }

  /**
   * Runs units of a phase until all are done.
   * @param waits whether to wait for the units of other processes
   */
  async work(phase: Phase, jobs: readonly PassJob[], waits: boolean): Promise<void> {
    for (;;) {
      const pending = await this.#pending(phase, jobs);
      if (pending.length === 0) return;
      const name = await this.#turns.take(
        this.#place.search,
        pending.map(({ index }) => unitName(phase, index)),
      );
      if (name === undefined) {
        if (!waits) return;
        await sleep(LOOK_MS);
        continue;
      }
      try {
        const block = pending.find(({ index }) => unitName(phase, index) === name)!;
        // Another process may have ended it between the look and the turn.
        if ((await this.#pending(phase, jobs)).includes(block)) await this.#run(phase, block, jobs);
      } finally {
        await this.#turns.giveBack(this.#place.search, name);
      }
    }
  }

  /** Publishes the jobs of a phase, so that other processes can run its units. */
  async publish(phase: Phase, jobs: readonly PassJob[]): Promise<void> {
    const { state, task, left } = this.#search;
    const given: SharedWork = { phase, jobs, task, left, since: state.since, keeps: state.keeps };
    await this.#write(sharedWork(phase), async (writer) => writer.add('work', sealed(serialize(given))));
  }

  /**
   * Reads what a job of a phase found in each block. A survey is valid until the next result is asked for.
   * @throws RangeError when a result is not there, or damaged
   */
  async *results<K extends PassKind>(phase: Phase, job: number): AsyncGenerator<StackPasses[K]['part']> {
    const { cubeId, search, blocks } = this.#place;
    for (const { index } of blocks) {
      const unit = await this.#search.cubes.openUnit(cubeId, search, unitName(phase, index));
      if (unit === undefined)
        throw new RangeError(`the unit ${unitName(phase, index)} is not there any more`);
      try {
        const bytes = await readPart(unit, `result ${job}`);
        const part = deserialize(bytes) as StackPasses[K]['part'];
        yield part;
        if (phase === 'follow') continue;
        // Arrays of the result are parts of these bytes, or copies.
        freeCounts(part as Survey);
        releasePart(bytes);
      } finally {
        await unit.close();
      }
    }
  }

  /** Blocks whose unit in a phase is not done. */
  async #pending(phase: Phase, jobs: readonly PassJob[]): Promise<readonly Block[]> {
    const { cubeId, search, blocks } = this.#place;
    const done = new Set(await this.#search.cubes.unitsOf(cubeId, search));
    return blocks.filter((block) => {
      const name = unitName(phase, block.index);
      if (!done.has(name)) return true;
      if (!this.#told.has(name)) {
        this.#told.add(name);
        const [from, to] = pixelsOf(this.#search.spec, block);
        for (const { kind } of jobs) this.#search.seen(kind, to - from);
      }
      return false;
    });
  }

  async #run(phase: Phase, block: Block, jobs: readonly PassJob[]): Promise<void> {
    const name = unitName(phase, block.index);
    await this.#write(name, async (writer) => {
      for (const [j, job] of jobs.entries()) {
        const part = await this.#pass(writer, { ...job, strips: block });
        const bytes = serialize(part);
        if (phase !== 'follow') freeCounts(part as Survey);
        const packed = sealed(bytes);
        release(bytes);
        await writer.add(`result ${j}`, packed);
      }
      this.#told.add(name);
    });
  }

  async #write(name: string, add: (writer: SavedStateWriter) => Promise<void>): Promise<void> {
    const { cubeId, search } = this.#place;
    const opened = await this.#search.cubes.writeUnit(cubeId, search, name).catch(notSaved);
    const writer = {
      ...opened,
      add: async (part: string, bytes: Uint8Array) => {
        await opened.add(part, bytes).catch(notSaved);
        release(bytes);
      },
    };
    try {
      await add(writer);
      await opened.commit(search).catch(notSaved);
    } finally {
      await opened.discard();
    }
  }

  /** Runs a pass over the strips of a block. The states of its pixels go to the unit. */
  async #pass(writer: SavedStateWriter, job: PassJob): Promise<StackPasses[PassKind]['part']> {
    let before = Promise.resolve();
    const { state } = this.#search;
    const keep = (part: string, bytes: Bytes): Promise<void> => {
      if (state.keeps !== 'states') return Promise.resolve();
      before = before.then(() => writer.add(part, bytes));
      return before;
    };
    const parts = await this.#search.pass({ ...this.#search, state: { ...state, keep } }, job);
    return merged(job.kind, parts);
  }
}

/** What a process needs to run units of a phase. */
export interface SharedWork extends Pick<PassState, 'since' | 'keeps'> {
  readonly phase: Phase;
  readonly jobs: readonly PassJob[];
  readonly task: ChangeTask;
  readonly left: StateReference | undefined;
}

/** Name of the unit with the work of a phase. */
function sharedWork(phase: Phase): string {
  return `work-${phase}`;
}

/** Reads the work of the latest phase of a search; undefined when the search is over. */
export async function latestWork(
  cubes: Pick<UnitStore, 'openUnit' | 'unitsOf'>,
  cubeId: string,
  search: string,
): Promise<SharedWork | undefined> {
  const there = await cubes.unitsOf(cubeId, search);
  const phase = PHASES.findLast((each) => there.includes(sharedWork(each)));
  const unit = phase && (await cubes.openUnit(cubeId, search, sharedWork(phase)));
  try {
    return unit && (deserialize(await readPart(unit, 'work')) as SharedWork);
  } finally {
    await unit?.close();
  }
}

function notSaved(cause: unknown): never {
  throw new UnitNotSaved('the result of a unit cannot be saved', { cause });
}

/** Joins the results of several threads, or of several blocks, into the first of them. */
function merged(
  kind: PassKind,
  parts: readonly StackPasses[PassKind]['part'][],
): StackPasses[PassKind]['part'] {
  const [first, ...others] = parts;
  if (kind === 'levels')
    for (const more of others) mergeLevelSurvey(first as LevelSurvey, more as LevelSurvey);
  else if (kind === 'like')
    for (const more of others) mergeLikeSurvey(first as LikeSurvey, more as LikeSurvey);
  else if (kind === 'context')
    for (const more of others) mergeContextSurvey(first as ContextSurvey, more as ContextSurvey);
  else return [joinEvents(parts.flat() as PixelEvents[])];
  return first!;
}
