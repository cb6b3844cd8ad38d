import { deserialize, serialize } from 'node:v8';
import { type SceneContext, sceneContext } from '../../../change/scene/context.ts';
import { mergeContextSurvey, startContextSurvey } from '../../../change/scene/context-survey.ts';
import {
  type ClassEdges,
  classEdges,
  mergeLevelSurvey,
  startLevelSurvey,
} from '../../../change/scene/levels.ts';
import {
  mergeLikeSurvey,
  type SceneLevels,
  sceneLevels,
  startLikeSurvey,
} from '../../../change/scene/like-pixels.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import { joinEvents, type PixelEvents } from '../../../change/pixel/pixel-events.ts';
import type { Phase } from './block.ts';
import { freeCounts } from './free-counts.ts';
import { sealed } from './saved-part.ts';
import { followJobs, type RunningSearch, type SearchPasses, surveyedMetrics } from './search-passes.ts';
import type { PassJob } from './stack-pass.ts';
import { type UnitPlace, UnitRunner } from './unit-runner.ts';
import type { UnitTurns } from './unit-turns.ts';
import { contextPart } from './whole-search.ts';

/**
 * Runs the passes of a search block by block. In each of the four phases every block publishes a small result: counts of
 * its values and departures, which add up to those of the grid, and at last its events. So the series and states of one
 * block are in memory at a time, beside these sums and the events of all. Neither the order of the blocks nor the process
 * that ran one affects the result.
 */
export class BlockSearch implements SearchPasses {
  readonly #search: RunningSearch;
  readonly #units: UnitRunner;
  readonly #isShared: boolean;

  /** @param isShared whether other processes may run units too */
  constructor(search: RunningSearch, place: UnitPlace, turns: UnitTurns, isShared: boolean) {
    this.#search = search;
    this.#isShared = isShared;
    this.#units = new UnitRunner(search, place, turns);
  }

  async contexts(): Promise<ReadonlyMap<number, SceneContext>> {
    const { spec, traits, state } = this.#search;
    const { since } = state;
    const surveyed = surveyedMetrics(this.#search);
    const known = new Map<number, SceneContext>();
    if (since > 0)
      for (const metric of surveyed)
        known.set(metric, deserialize(await state.saved(contextPart(metric))) as SceneContext);

    const edges = await this.#phase(
      'levels',
      surveyed,
      () => null,
      async (metric, job): Promise<ClassEdges> => {
        const survey = startLevelSurvey(spec, traits[metric]!, since);
        for await (const part of this.#units.results<'levels'>('levels', job)) mergeLevelSurvey(survey, part);
        const derived = classEdges(survey, spec, known.get(metric)?.levels.edges);
        freeCounts(survey);
        return derived;
      },
    );
    const levels = await this.#phase(
      'like',
      surveyed,
      (metric) => edges.get(metric)!,
      async (metric, job): Promise<SceneLevels> => {
        const survey = startLikeSurvey(spec, traits[metric]!, edges.get(metric)!, since);
        for await (const part of this.#units.results<'like'>('like', job)) mergeLikeSurvey(survey, part);
        const derived = sceneLevels(survey, spec, traits[metric]!, known.get(metric)?.levels);
        freeCounts(survey);
        return derived;
      },
    );
    return await this.#phase(
      'context',
      surveyed,
      (metric) => levels.get(metric)!,
      async (metric, job): Promise<SceneContext> => {
        const survey = startContextSurvey(spec, traits[metric]!, levels.get(metric)!, since);
        for await (const part of this.#units.results<'context'>('context', job))
          mergeContextSurvey(survey, part);
        const context = sceneContext(survey, spec, traits[metric]!, known.get(metric));
        freeCounts(survey);
        if (state.keeps === 'states') await state.keep(contextPart(metric), sealed(serialize(context)));
        return context;
      },
    );
  }

  async events(followed: ReadonlyMap<number, FollowedMetric>): Promise<readonly PixelEvents[]> {
    const jobs = followJobs(this.#search.task, followed);
    await this.#work('follow', jobs);
    const events: PixelEvents[] = [];
    for (const job of jobs.keys()) {
      const parts: PixelEvents[] = [];
      for await (const part of this.#units.results<'follow'>('follow', job)) parts.push(...part);
      events.push(joinEvents(parts));
    }
    return events;
  }

  /** Runs a survey of some metrics over all blocks, and derives the statistics of each metric from it. */
  async #phase<T>(
    phase: Exclude<Phase, 'follow'>,
    metrics: readonly number[],
    given: (metric: number) => unknown,
    derive: (metric: number, job: number) => Promise<T>,
  ): Promise<ReadonlyMap<number, T>> {
    const jobs = metrics.map(
      (metric) => ({ kind: phase, metrics: [metric], given: given(metric) }) as PassJob,
    );
    await this.#work(phase, jobs);
    const derived = new Map<number, T>();
    for (const [job, metric] of metrics.entries()) derived.set(metric, await derive(metric, job));
    return derived;
  }

  async #work(phase: Phase, jobs: readonly PassJob[]): Promise<void> {
    if (this.#isShared) await this.#units.publish(phase, jobs);
    await this.#units.work(phase, jobs, true);
  }
}
