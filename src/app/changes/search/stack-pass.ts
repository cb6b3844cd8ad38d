import { setImmediate } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { alertEvents } from '../../../change/alert/alert-monitor.ts';
import {
  type ContextSurvey,
  startContextSurvey,
  surveyContext,
} from '../../../change/scene/context-survey.ts';
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
import { StateReader } from '../../../change/state/state-reader.ts';
import { StateWriter, type StripState } from '../../../change/state/state-writer.ts';
import { release } from '../../../base/release.ts';
import { pixelsOf } from './block.ts';
import { type Bytes, releasePart, sealed } from './saved-part.ts';
import type { ReadStrip, StackReader } from './stack-reader.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/** For each kind of pass over a stack: its input (plain data), and its result for the strips of one thread. */
export interface StackPasses {
  readonly levels: { readonly given: null; readonly part: LevelSurvey };
  readonly like: { readonly given: ClassEdges; readonly part: LikeSurvey };
  readonly context: { readonly given: SceneLevels; readonly part: ContextSurvey };
  readonly alerts: { readonly given: null; readonly part: readonly PixelEvents[] };
  readonly follow: { readonly given: readonly FollowedMetric[]; readonly part: readonly PixelEvents[] };
}
export type PassKind = keyof StackPasses;

/** One pass over a stack: its kind, the positions of the metrics whose strips are read together, and its input. */
export type PassJob<K extends PassKind = PassKind> = {
  readonly [L in K]: {
    readonly kind: L;
    readonly metrics: readonly number[];
    readonly given: StackPasses[L]['given'];
    /** For each strip, 1 if its result is known already, so that the pass leaves it out; undefined: none is. */
    readonly known?: Uint8Array;
    /** The strips `[first, last)` that are processed; undefined: all of the stack. */
    readonly strips?: { readonly first: number; readonly last: number };
  };
}[K];

/**
 * What a search saves: the states of all pixels after the last scene, for later searches; only the events of the
 * strips, for a search that goes on if this one dies; or nothing.
 */
export type Keeps = 'states' | 'events' | 'nothing';

/** Access to the state that is saved between searches: the state of each pixel of a stack. */
export interface PassState {
  /** Position of the first new scene. The scenes before it were processed by an earlier search. */
  readonly since: number;
  readonly keeps: Keeps;
  /** Reads a part that an earlier search saved. @throws RangeError when it is damaged */
  readonly saved: (part: string) => Promise<Bytes>;
  /**
   * Saves a part for a later search; see `sealed`. The buffer may be transferred to another thread: do not use it
   * afterwards.
   * @param note result of the part, for a search that goes on after this one died
   */
  readonly keep: (part: string, sealed: Bytes, note?: Bytes) => Promise<void>;
  /** Reads a part, and its note, that a search from the same scene had saved before it died. */
  readonly kept: (part: string) => Promise<KeptPart | undefined>;
  /**
   * Saves the state when all its parts are kept, so that a search that fails afterwards is not lost; a second call does
   * nothing.
   * @returns whether the state is saved
   */
  readonly settle: () => Promise<boolean>;
}

/** A part that a search had saved before it died. */
export interface KeptPart {
  readonly bytes: Bytes;
  readonly note: Bytes | undefined;
}

/** Name of the saved part of a pass over some metrics, for the strip of a number. */
export function partName({ kind, metrics }: Pick<PassJob, 'kind' | 'metrics'>, index: number): string {
  return `${kind} ${metrics.join('+')} ${index}`;
}

/** The stack that a thread processes in a pass. */
export interface StackSource {
  readonly spec: StackSpec;
  /** Traits of each metric. */
  readonly traits: readonly MetricTraits[];
  readonly reader: StackReader;
  readonly state: PassState;
}

/** Progress of a pass: the position shared by all threads, and the function that reports processed pixels. */
export interface PassRun {
  /** Position of the next strip, shared by all threads of the pass. */
  readonly next: Int32Array;
  /** Called after each strip with its number of pixels. */
  readonly seen: (pixels: number) => void;
}

/** Maximum number of parts that may wait to be written to disk. */
const MOST_KEEPING = 2;

interface Strips {
  readonly index: number;
  readonly strips: readonly ReadStrip[];
  /** State of these pixels from an earlier search. */
  readonly left: Bytes | undefined;
}

/**
 * Processes strips of a pass until none is left. The next strip is read while the current one is processed.
 * @returns the result of the strips that this thread processed
 */
export async function processStrips<K extends PassKind>(
  { spec, traits, reader, state }: StackSource,
  job: PassJob<K>,
  { next, seen }: PassRun,
): Promise<StackPasses[K]['part']> {
  const { since, keeps } = state;
  const pixels = spec.width * spec.height;
  const partOf = (index: number): string => partName(job, index);
  const hasState = job.kind !== 'levels' && job.kind !== 'alerts';
  // The passes `levels` and `like` need only the values of new scenes. A pass with the states of pixels needs earlier
  // ones of some pixels, and one of alerts all.
  const asked = job.kind === 'levels' || job.kind === 'like' ? since : 0;
  const goesOn = job.kind === 'context' || job.kind === 'follow';
  const fetch = (): Promise<Strips> | undefined => {
    let index = Atomics.add(next, 0, 1);
    while (job.known?.[index] === 1) index = Atomics.add(next, 0, 1);
    const from = index * STRIP_PIXELS;
    if (from >= pixels || (job.strips !== undefined && index >= job.strips.last)) return undefined;
    const to = Math.min(pixels, from + STRIP_PIXELS);
    const series = job.metrics.map(async (metric): Promise<ReadStrip> => {
      if (goesOn) return await reader.strip(metric, from, to, since);
      return { from, values: await reader.read(metric, from, to, asked) };
    });
    const left = hasState && since > 0 ? state.saved(partOf(index)) : undefined;
    return Promise.all([Promise.all(series), left]).then(([strips, bytes]) => ({
      index,
      strips,
      left: bytes,
    }));
  };
  const writer = keeps === 'states' && hasState ? new StateWriter() : undefined;
  const { visit, result } = startPart(spec, traits, job as PassJob, since);
  const keeping: Promise<void>[] = [];
  for (let coming = fetch(); coming !== undefined;) {
    const { index, strips, left } = await coming;
    await setImmediate(); // lets this thread receive messages between strips
    coming = fetch();
    coming?.catch(() => undefined); // an error of the read is thrown where `coming` is awaited
    writer?.rewind();
    visit(strips, { left: left && new StateReader(left), kept: writer });
    if (left !== undefined) releasePart(left);
    // The events of a strip are not in its state, and are needed if the search dies before its end.
    const events =
      keeps !== 'nothing' && job.kind === 'follow' ? (result() as readonly PixelEvents[]).at(-1) : undefined;
    if (writer !== undefined || events !== undefined) {
      const written = writer?.written() ?? new Uint8Array(0);
      const part = sealed(written);
      release(written);
      keeping.push(state.keep(partOf(index), part, events && Uint8Array.from(serialize(events))));
    }
    if (keeping.length > MOST_KEEPING) await keeping.shift();
    seen(stripPixels(spec, strips[0]!));
    for (const strip of strips) reader.giveBack(strip);
  }
  await Promise.all(keeping);
  writer?.free();
  return result();
}

/**
 * One thread's part of a pass. `visit` processes the strips of all metrics for the same pixels. `result` is the
 * result for all strips visited.
 */
interface PassPart {
  readonly visit: (strips: readonly PixelStrip[], pixels: StripState) => void;
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
      visit: ([strip], pixels) => surveyLikePixels(survey, spec, strip!, pixels),
      result: () => survey,
    };
  }
  if (job.kind === 'context') {
    const pixels = job.strips && pixelsOf(spec, job.strips);
    const survey = startContextSurvey(spec, its, job.given, since, pixels);
    return { visit: ([strip], state) => surveyContext(survey, spec, strip!, state), result: () => survey };
  }
  const found: PixelEvents[] = [];
  // Alerts are followed from the first scene in each search. They need no saved state, because a pass reads whole
  // series anyway and one observation takes about 40 ns.
  if (job.kind === 'alerts')
    return { visit: ([strip]) => void found.push(alertEvents(spec, strip!)), result: () => found };
  return {
    visit: (strips, pixels) => void found.push(resumeStrips(spec, job.given, strips, since, pixels)),
    result: () => found,
  };
}
