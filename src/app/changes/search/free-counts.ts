import { release } from '../../../base/release.ts';
import type { ContextSurvey } from '../../../change/scene/context-survey.ts';
import type { Histograms } from '../../../change/scene/histogram.ts';
import type { LevelSurvey } from '../../../change/scene/levels.ts';
import type { LikeSurvey } from '../../../change/scene/like-pixels.ts';

/** Frees the counts of surveys that were evaluated: tens of megabytes, beside which the next pass needs its own. */
export function freeCounts(...surveys: readonly (LevelSurvey | LikeSurvey | ContextSurvey)[]): void {
  for (const part of surveys.flatMap((survey) => Object.values<unknown>({ ...survey })))
    if (typeof part === 'object' && part !== null && 'counts' in part) release((part as Histograms).counts);
}
