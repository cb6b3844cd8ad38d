import { setImmediate } from 'node:timers/promises';
import { type ContextSurvey, startContextSurvey, surveyContext } from '../../../change/scene/context.ts';
import {
  type ClassEdges,
  type LevelSurvey,
  startLevelSurvey,
  surveyLevels,
} from '../../../change/scene/levels.ts';
import {
  type LikeSurvey,
  type SceneLevels,
  startLikeSurvey,
  surveyLikePixels,
} from '../../../change/scene/like-pixels.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import type { MetricTraits } from '../../../change/metric.ts';
import { resumeStrips } from '../../../change/monitor.ts';
import type { PixelEvents } from '../../../change/pixel/pixel-events.ts';
import { type PixelStrip, stripPixels, type StackSpec } from '../../../change/stack.ts';
import { StateTape, type StripTapes } from '../../../change/pixel/state-tape.ts';
import { type Bytes, SEAL_BYTES } from './saved-part.ts';
import type { StackReader } from './series-reader.ts';
import { STRIP_PIXELS } from './strip-grid.ts';

/** What each pass over a stack is given, plain data, and what comes of the part of it that one thread sees. */
export interface StackPasses {
  readonly levels: { readonly given: null; readonly part: LevelSurvey };
  readonly like: { readonly given: ClassEdges; readonly part: LikeSurvey };
  readonly context: { readonly given: SceneLevels; readonly part: ContextSurvey };
  readonly follow: { readonly given: readonly FollowedMetric[]; readonly part: readonly PixelEvents[] };
}
export type PassKind = keyof StackPasses;

/** A pass: over the metrics at some positions, whose strips it takes together. */
export type PassJob<K extends PassKind = PassKind> = {
  readonly [L in K]: {
    readonly kind: L;
    readonly metrics: readonly number[];
    readonly given: StackPasses[L]['given'];
  };
}[K];

/** The state of the pixels of a stack, between one search and the next. */
export interface PassState {
  /** First scene that is new: what an earlier search found in those before it stands. */
  readonly since: number;
  /** Whether the state after the last scene is to be kept. */
  readonly keeps: boolean;
  /** A part that an earlier search has kept. @throws RangeError when it is not what was kept */
  readonly saved: (part: string) => Promise<Bytes>;
  /** Keeps a part for a later search: all of a buffer, whose last `SEAL_BYTES` are room for a checksum. It is handed on. */
  readonly keep: (part: string, bytes: Bytes) => Promise<void>;
}

/** What a pass goes over, by the thread that does. */
export interface StackSource {
  readonly spec: StackSpec;
  /** Of each metric. */
  readonly traits: readonly MetricTraits[];
  readonly reader: StackReader;
  readonly state: PassState;
}

/** How a pass goes over a stack. */
export interface PassRun {
  /** Position of the next strip, shared with others who take strips of the same pass. */
  readonly next: Int32Array;
  /** Told how many pixels a strip had. */
  readonly seen: (pixels: number) => void;
}

/** Parts that may wait for the disk. */
const MOST_KEEPING = 2;

interface Strips {
  readonly index: number;
  readonly strips: readonly PixelStrip[];
  /** What an earlier run has left of them. */
  readonly left: StateTape | undefined;
}

/**
 * Takes strips of a pass until none is left, the next one on its way while one is worked on.
 * @returns what came of the strips that were taken
 */
export async function workOff<K extends PassKind>(
  { spec, traits, reader, state }: StackSource,
  job: PassJob<K>,
  { next, seen }: PassRun,
): Promise<StackPasses[K]['part']> {
  const { since, keeps } = state;
  const pixels = spec.width * spec.height;
  const partOf = (index: number): string => `${job.kind} ${job.metrics.join('+')} ${index}`;
  const hasState = job.kind !== 'levels';
  // These two look at values of new scenes alone; the others may need those of any.
  const asked = job.kind === 'levels' || job.kind === 'like' ? since : 0;
  const fetch = (): Promise<Strips> | undefined => {
    const index = Atomics.add(next, 0, 1);
    const from = index * STRIP_PIXELS;
    if (from >= pixels) return undefined;
    const to = Math.min(pixels, from + STRIP_PIXELS);
    const series = job.metrics.map(async (metric) => ({
      from,
      values: await reader.read(metric, from, to, asked),
    }));
    const left = hasState && since > 0 ? state.saved(partOf(index)) : undefined;
    return Promise.all([Promise.all(series), left]).then(([strips, bytes]) => ({
      index,
      strips,
      left: bytes && new StateTape(bytes),
    }));
  };
  const tape = keeps && hasState ? new StateTape() : undefined;
  const { visit, result } = startPart(spec, traits, job as PassJob, since);
  const keeping: Promise<void>[] = [];
  for (let coming = fetch(); coming !== undefined;) {
    const { index, strips, left } = await coming;
    await setImmediate(); // what other threads have sent to this one is heard between strips
    coming = fetch();
    coming?.catch(() => undefined); // thrown where it is waited for, if this strip does not fail before
    tape?.rewind();
    visit(strips, { left, kept: tape });
    if (tape !== undefined) keeping.push(state.keep(partOf(index), tape.recorded(SEAL_BYTES)));
    if (keeping.length > MOST_KEEPING) await keeping.shift();
    seen(stripPixels(spec, strips[0]!));
    for (const [m, { values }] of strips.entries()) reader.giveBack(job.metrics[m]!, values);
  }
  await Promise.all(keeping);
  return result();
}

/** A part of a pass: what takes a strip of each metric, of the same pixels, and what came of all of them. */
interface PassPart {
  readonly visit: (strips: readonly PixelStrip[], tapes: StripTapes) => void;
  readonly result: () => StackPasses[PassKind]['part'];
}

function startPart(spec: StackSpec, traits: readonly MetricTraits[], job: PassJob, since: number): PassPart {
  const its = traits[job.metrics[0]!]!;
  if (job.kind === 'levels') {
    const survey = startLevelSurvey(spec, its, since);
    return { visit: ([strip]) => surveyLevels(survey, spec, strip!), result: () => survey };
  }
  if (job.kind === 'like') {
    const survey = startLikeSurvey(spec, its, job.given, since);
    return {
      visit: ([strip], tapes) => surveyLikePixels(survey, spec, strip!, tapes),
      result: () => survey,
    };
  }
  if (job.kind === 'context') {
    const survey = startContextSurvey(spec, its, job.given, since);
    return { visit: ([strip], tapes) => surveyContext(survey, spec, strip!, tapes), result: () => survey };
  }
  const found: PixelEvents[] = [];
  return {
    visit: (strips, tapes) => void found.push(resumeStrips(spec, job.given, strips, since, tapes)),
    result: () => found,
  };
}
