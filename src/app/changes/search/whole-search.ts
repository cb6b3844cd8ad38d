import { deserialize, serialize } from 'node:v8';
import { type SceneContext, sceneContext } from '../../../change/scene/context.ts';
import { mergeContextSurvey } from '../../../change/scene/context-survey.ts';
import { classEdges, mergeLevelSurvey } from '../../../change/scene/levels.ts';
import { mergeLikeSurvey, sceneLevels } from '../../../change/scene/like-pixels.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import { joinEvents, type PixelEvents } from '../../../change/pixel/pixel-events.ts';
import { freeCounts } from './free-counts.ts';
import { sealed } from './saved-part.ts';
import { followJobs, type RunningSearch, type SearchPasses, surveyedMetrics } from './search-passes.ts';
import { type PassJob, partName } from './stack-pass.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/** Name of the part of a state with the context of a metric. */
export function contextPart(metric: number): string {
  return `contexts ${metric}`;
}

/** Runs each pass over the whole stack. The state of each strip is a part of the state of the search. */
export class WholeSearch implements SearchPasses {
  readonly #search: RunningSearch;

  constructor(search: RunningSearch) {
    this.#search = search;
  }

  async contexts(): Promise<ReadonlyMap<number, SceneContext>> {
    const contexts = new Map<number, SceneContext>();
    for (const metric of surveyedMetrics(this.#search)) contexts.set(metric, await this.#context(metric));
    return contexts;
  }

  async events(followed: ReadonlyMap<number, FollowedMetric>): Promise<readonly PixelEvents[]> {
    const events: PixelEvents[] = [];
    for (const job of followJobs(this.#search.task, followed))
      events.push(
        joinEvents(
          (job.kind === 'alerts'
            ? await this.#search.pass(this.#search, job)
            : await this.#follow(job)
          ).flat(),
        ),
      );
    return events;
  }

  /** Follows each pixel of a group. Strips that a search had finished before it died are not followed again. */
  async #follow(job: PassJob<'follow'>): Promise<readonly (readonly PixelEvents[])[]> {
    const search = this.#search;
    const { state, spec } = search;
    if (state.keeps === 'nothing') return await search.pass(search, job);
    const pixels = spec.width * spec.height;
    const known = new Uint8Array(Math.ceil(pixels / STRIP_PIXELS));
    const events: PixelEvents[] = [];
    for (const index of known.keys()) {
      const kept = await state.kept(partName(job, index));
      if (kept?.note === undefined) continue;
      events.push(deserialize(kept.note) as PixelEvents);
      known[index] = 1;
      search.seen('follow', Math.min(pixels, (index + 1) * STRIP_PIXELS) - index * STRIP_PIXELS);
    }
    const rest = events.length === 0 ? job : { ...job, known };
    return [events, ...(await search.pass(search, rest))];
  }

  /** Computes the neighbourhood statistics of each scene of one metric. Saves them, serialised with `node:v8`. */
  async #context(metric: number): Promise<SceneContext> {
    const search = this.#search;
    const { spec, traits, state, pass, seen } = search;
    const its = traits[metric]!;
    const metrics = [metric];
    const part = contextPart(metric);
    // It is saved after the states of all strips, so a search that had saved it needs none of the three passes.
    const done = state.keeps === 'states' ? await state.kept(part) : undefined;
    if (done !== undefined) {
      for (const kind of ['levels', 'like', 'context'] as const) seen(kind, spec.width * spec.height);
      return deserialize(done.bytes) as SceneContext;
    }
    const known = state.since === 0 ? undefined : (deserialize(await state.saved(part)) as SceneContext);
    const [levels, ...moreLevels] = await pass(search, { kind: 'levels', metrics, given: null });
    for (const more of moreLevels) mergeLevelSurvey(levels!, more);
    const edges = classEdges(levels!, spec, known?.levels.edges);
    freeCounts(levels!, ...moreLevels);
    const [like, ...moreLike] = await pass(search, { kind: 'like', metrics, given: edges });
    for (const more of moreLike) mergeLikeSurvey(like!, more);
    const given = sceneLevels(like!, spec, its, known?.levels);
    freeCounts(like!, ...moreLike);
    const [survey, ...moreSurveys] = await pass(search, { kind: 'context', metrics, given });
    for (const more of moreSurveys) mergeContextSurvey(survey!, more);
    const context = sceneContext(survey!, spec, its, known);
    freeCounts(survey!, ...moreSurveys);
    if (state.keeps === 'states') await state.keep(part, sealed(serialize(context)));
    return context;
  }
}
