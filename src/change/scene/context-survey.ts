import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { SurveyBaseline } from '../pixel/survey-baseline.ts';
import { isSeen, stripPixels } from '../stack.ts';
import type { PixelStrip, StackSpec } from '../stack.ts';
import type { StripState } from '../state/state-writer.ts';
import { fallSlot, partOf, PARTS, startFalls } from './common-fall.ts';
import { addHistograms, addHistogramsAt, countValue, createHistograms } from './histogram.ts';
import type { Histograms } from './histogram.ts';
import { cellOf, latticeOf, type Lattice } from './lattice.ts';
import { bankStep, type BankSeries, isInBank } from './like-bank.ts';
import type { SceneLevels } from './like-pixels.ts';
import { sceneFrame } from './scene-frame.ts';

/**
 * Pass 3: counts of the departures of pixels from their own expected values, by cell and scene. Plain data: the
 * surveys of several threads can be merged.
 */
export interface ContextSurvey {
  /** First surveyed scene. The counts have no entries for earlier scenes. */
  readonly since: number;
  readonly lattice: Lattice;
  readonly noiseFloor: number;
  readonly levels: SceneLevels;
  /** First cell that is surveyed. `departures` and `observed` have entries only for the cells of the surveyed pixels. */
  readonly firstCell: number;
  /** First part of the grid that is surveyed. `falls` and `peers` have entries only for the parts of the surveyed pixels. */
  readonly firstPart: number;
  readonly departures: Histograms;
  /** Departures of all surveyed pixels by scene, and number of observed pixels of each cell, `[cell][scene]`. */
  readonly allDepartures: Histograms;
  readonly observed: Uint32Array;
  /** Departures of pixels with a short history, by class and scene. */
  readonly likeDepartures: Histograms;
  /** Departures of each phenology class in each part of the grid; see `startFalls`. */
  readonly falls: Histograms;
  /** The same counts of the undisturbed pixels only. */
  readonly peers: Histograms;
  /** Series of the pixels of the bank, of all scenes; empty if the metric is not seasonal. */
  readonly bank: BankSeries;
  readonly isSeasonal: boolean;
}

/**
 * Returns the distance between surveyed pixels [rows and columns]. Only a sample is surveyed, because a baseline
 * must be computed for each surveyed pixel, and a sample is enough to estimate the effect of the weather on a
 * whole scene.
 */
function surveyStep({ width, height }: StackSpec, { side }: Lattice): number {
  const pixels = Math.min(side * side, width * height);
  return Math.max(1, Math.floor(Math.sqrt(pixels / PARAMETERS.surveyedPixels)));
}

/**
 * Starts the survey of departures.
 * @param pixels the pixels `[from, to)` that will be surveyed; by default all pixels of the grid
 */
export function startContextSurvey(
  spec: StackSpec,
  traits: MetricTraits,
  levels: SceneLevels,
  since = 0,
  [from, to]: readonly [from: number, to: number] = [0, spec.width * spec.height],
): ContextSurvey {
  const lattice = latticeOf(spec);
  const rowOf = (pixel: number): number => Math.floor(Math.floor(pixel / spec.width) / lattice.side);
  const firstCell = rowOf(from) * lattice.columns;
  const cells = (rowOf(Math.max(from, to - 1)) + 1) * lattice.columns - firstCell;
  const partRowOf = (pixel: number): number => Math.floor(partOf(spec, pixel) / PARTS);
  const firstPart = partRowOf(from) * PARTS;
  const parts = (partRowOf(Math.max(from, to - 1)) + 1) * PARTS - firstPart;
  const [low, high] = traits.range;
  const half = (high - low) / 2;
  const scenes = spec.timesMs.length - since;
  const size = cells * scenes;
  const likeSize = PARAMETERS.likeClasses * scenes;
  const step = surveyStep(spec, lattice);
  return {
    since,
    lattice,
    noiseFloor: traits.noiseFloor,
    levels,
    firstCell,
    firstPart,
    departures: createHistograms(
      size,
      -half,
      half,
      PARAMETERS.histogramBins,
      Math.ceil(lattice.side / step) ** 2,
    ),
    allDepartures: createHistograms(scenes, -half, half, PARAMETERS.histogramBins),
    observed: new Uint32Array(size),
    likeDepartures: createHistograms(likeSize, -half, half, PARAMETERS.histogramBins),
    falls: startFalls(spec, traits, scenes, parts, step),
    peers: startFalls(spec, traits, scenes, parts, step),
    bank: { pixels: [], values: [] },
    isSeasonal: traits.seasonal,
  };
}

/**
 * Counts the departures of the surveyed pixels of a strip. Strips may be counted in any order, but each pixel only
 * once.
 * @param state `state.left` provides the state of the strip before the survey; `state.kept` receives its state after
 *   the last scene
 */
export function surveyContext(
  survey: ContextSurvey,
  spec: StackSpec,
  strip: PixelStrip,
  state: StripState = {},
): void {
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  const baseline = new SurveyBaseline(sceneFrame(spec, survey.levels, survey.noiseFloor));
  const step = surveyStep(spec, survey.lattice);
  const bankSpacing = bankStep(spec);
  for (let p = 0; p < pixels; p++) {
    const pixel = strip.from + p;
    if (survey.isSeasonal && isInBank(spec, pixel, bankSpacing)) {
      strip.complete?.(p);
      survey.bank.pixels.push(pixel);
      survey.bank.values.push(Float32Array.from(strip.values.subarray(p * times, (p + 1) * times)));
    }
    if (Math.floor(pixel / spec.width) % step === 0 && (pixel % spec.width) % step === 0)
      surveyPixel(survey, spec, baseline, strip, p, state);
  }
}

/** Surveys the pixel at a position of a strip. */
function surveyPixel(
  survey: ContextSurvey,
  spec: StackSpec,
  baseline: SurveyBaseline,
  strip: PixelStrip,
  p: number,
  { left, kept }: StripState,
): void {
  const { values } = strip;
  const [pixel, offset] = [strip.from + p, p * spec.timesMs.length];
  if (left !== undefined && !isSeen(values, offset + survey.since, offset + spec.timesMs.length)) {
    const record = left.skipRecord();
    kept?.copyRecord(record);
    return;
  }
  strip.complete?.(p);
  baseline.begin();
  if (left !== undefined) {
    left.beginRecord();
    baseline.load(left, values, offset);
  }
  countPixel(survey, spec, baseline, pixel, values, offset);
  if (kept !== undefined) {
    kept.beginRecord();
    baseline.save(kept);
    kept.endRecord(true);
  }
}

/** Counts the departures of one pixel, whose first scene is at `offset` of `values`. */
function countPixel(
  survey: ContextSurvey,
  spec: StackSpec,
  baseline: SurveyBaseline,
  pixel: number,
  values: Float32Array | Float64Array,
  offset: number,
): void {
  const { since } = survey;
  const times = spec.timesMs.length;
  const scenes = times - since;
  // Index that scene 0 would have in the counts if it were surveyed.
  const first = (cellOf(survey.lattice, spec.width, pixel) - survey.firstCell) * scenes - since;
  const part = partOf(spec, pixel) - survey.firstPart;
  for (let t = since; t < times; t++) {
    const value = values[offset + t]!;
    if (!Number.isFinite(value)) continue;
    baseline.bridgeGap(t);
    if (baseline.predict(t)) {
      const departure = value - baseline.expected;
      survey.observed[first + t] = survey.observed[first + t]! + 1;
      countValue(survey.allDepartures, t - since, departure);
      baseline.updateStreak(t, departure);
      const isUndisturbed = Math.abs(baseline.streak) < PARAMETERS.flagRun.other;
      if (isUndisturbed) countValue(survey.departures, first + t, departure);
      const { phenology } = baseline.history;
      if (phenology >= 0 && survey.falls.counts.length > 0) {
        const slot = fallSlot(part, phenology) * scenes + t - since;
        countValue(survey.falls, slot, departure);
        if (baseline.isSteady(t)) countValue(survey.peers, slot, departure);
      }
      if (!baseline.seasonal.isFitted) {
        const likes = (baseline.byClass.start / times) * scenes - since;
        countValue(survey.likeDepartures, likes + t, departure);
      }
    }
    baseline.history.add(t, value);
  }
}

/** Adds the counts of another part of the same grid, whose cells and parts are among those of the survey. */
export function mergeContextSurvey(survey: ContextSurvey, other: ContextSurvey): void {
  const cells = other.firstCell - survey.firstCell;
  const scenes = survey.allDepartures.counts.length / survey.allDepartures.bins;
  addHistogramsAt(survey.departures, other.departures, cells * scenes);
  addHistograms(survey.likeDepartures, other.likeDepartures);
  addHistograms(survey.allDepartures, other.allDepartures);
  const fall = fallSlot(other.firstPart - survey.firstPart, 0) * scenes;
  if (survey.falls.counts.length > 0) {
    addHistogramsAt(survey.falls, other.falls, fall);
    addHistogramsAt(survey.peers, other.peers, fall);
  }
  survey.bank.pixels.push(...other.bank.pixels);
  // Copies: the series of a survey that was read from a file are parts of the memory of the whole file.
  for (const values of other.bank.values) survey.bank.values.push(values.slice());
  const from = cells * scenes;
  for (let i = 0; i < other.observed.length; i++)
    survey.observed[from + i] = survey.observed[from + i]! + other.observed[i]!;
}
