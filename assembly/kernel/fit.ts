// Fits baselines of many pixels: strips of series in, coefficients out.
import { begin, leaveOut } from './begin';
import { decode, forget } from './decode';
import { factoriseAlone } from './kept-factors';
import { normalEquations, project } from './normal-equations';
import { keptCount, reject, squaresGained } from './reject';
import { choose, chosenBits, residualSquares, size, solvePair, substitute } from './solve';
import { findStart, startA, startB } from './stable-history';
import {
  columns,
  fitOf,
  keptOf,
  paddedTimes,
  PixelFit,
  setWindow,
  solutionOf,
  STRIP,
  windowFrom,
  windowTo,
} from './workspace';

/** Status of a pixel's fit; the caller uses the same numbers. */
const FITTED: i32 = 0;
const TOO_FEW: i32 = 1;
const SINGULAR: i32 = 2;

let fewest: i32 = 0;
let beyond: f64 = 0;
let rounds: i32 = 0;
let perColumn: i32 = 0;
let critical: f64 = 0;

/**
 * Sets the rule of fits.
 * @param columnBits design columns to fit
 * @param fewestNow fewest observations for a fit
 * @param beyondNow residual beyond which an observation is left out, in median absolute residuals
 * @param roundsNow rounds of rejecting and refitting; 0 for plain least squares
 * @param perColumnNow fewest observations per column after rejection
 * @param criticalNow critical value that selects a stable history; 0: the fit uses all of it
 */
export function setFit(
  columnBits: i32,
  fewestNow: i32,
  beyondNow: f64,
  roundsNow: i32,
  perColumnNow: i32,
  criticalNow: f64,
): void {
  choose(columnBits);
  fewest = max(fewestNow, size + 1);
  beyond = beyondNow;
  rounds = roundsNow;
  perColumn = perColumnNow;
  critical = criticalNow;
}

/**
 * Fits pixels whose scenes `[from, to)` are their history.
 * @param samples rows of `rowBytes`, with 16 bytes more after the last
 * @param coefficients `[pixel][columns]` f64, NaN where the fit failed; sigmas f64; counts of kept scenes i32; starts
 *   i32; statuses u8
 * @param masks receives the kept scenes, `paddedTimes / 8` bytes per pixel; 0: not needed
 * @param monitored first pixel in the state that begins with these fits; -1: no monitoring
 */
export function fitPixels(
  samples: usize,
  rowBytes: usize,
  kind: i32,
  missing: i32,
  pixels: i32,
  from: i32,
  to: i32,
  coefficients: usize,
  sigmas: usize,
  counts: usize,
  starts: usize,
  statuses: usize,
  masks: usize,
  monitored: i32,
): void {
  const maskBytes = <usize>paddedTimes >> 3;
  for (let first = 0; first < pixels; first += STRIP) {
    const strip = min(STRIP, pixels - first);
    setWindow(from, to);
    for (let p = 0; p < strip; p++) {
      const fit = fitOf(p);
      fit.observed = decode(p, samples + <usize>(first + p) * rowBytes, kind, missing, from, to);
      fit.start = from;
    }
    fitStrip(strip);
    for (let p = 0; p < strip; p++) {
      const fit = fitOf(p);
      const pixel = <usize>(first + p);
      const sigma = report(p, coefficients + pixel * ((<usize>columns) << 3));
      store<f64>(sigmas + (pixel << 3), sigma);
      store<i32>(counts + (pixel << 2), fit.kept);
      store<i32>(starts + (pixel << 2), fit.start);
      store<u8>(statuses + pixel, <u8>fit.status);
      if (masks != 0) memory.copy(masks + pixel * maskBytes, keptOf(p), maskBytes);
      if (monitored < 0) continue;
      if (sigma > 0) begin(p, monitored + first + p, fit.observed, sigma);
      else leaveOut(monitored + first + p);
    }
  }
}

/**
 * Factorises (X'X + R) over some scenes, for a caller that kept only their mask: see `factors` in solve.ts.
 * @param columnBits design columns that were fitted
 * @param mask of the scenes, `paddedTimes / 8` bytes
 */
export function factorise(columnBits: i32, mask: usize): void {
  const before = chosenBits;
  choose(columnBits);
  setWindow(0, paddedTimes);
  factoriseAlone(mask);
  choose(before);
}

/** Fits the decoded pixels of a strip. */
export function fitStrip(strip: i32): void {
  if (critical > 0) selectHistory(strip);
  for (let p = 0; p < strip; p++) {
    const fit = fitOf(p);
    fit.kept = fit.observed;
    fit.moved = fit.observed >= fewest;
    fit.status = fit.moved ? FITTED : TOO_FEW;
    if (fit.moved && strip > 1) fit.squares = normalEquations(p);
  }
  if (strip > 1) solveMoved(strip);
  else solveAlone();
  for (let round = 0; round < rounds && rejectAll(strip); round++) solveMoved(strip);
}

function selectHistory(strip: i32): void {
  let earliest = windowTo;
  for (let p = 0; p < strip; p += 2) {
    const q = min(p + 1, strip - 1);
    findStart(p, q, critical);
    const a = fitOf(p);
    const b = fitOf(q);
    a.start = startA;
    a.observed = forget(p, startA);
    earliest = min(earliest, min(startA, startB));
    if (q == p) continue;
    b.start = startB;
    b.observed = forget(q, startB);
  }
  setWindow(max(earliest, windowFrom), windowTo);
}

/** Sets up and solves the equations of a strip with a single pixel. */
function solveAlone(): void {
  const fit = fitOf(0);
  if (!fit.moved) return;
  if (factoriseAlone(keptOf(0)) == 0) fit.status = SINGULAR;
  fit.squares = project(0);
  substitute(0, 0);
}

/** Solves the pairs in which a pixel's equations changed; where only one pixel's did, both lanes solve it. */
function solveMoved(strip: i32): void {
  for (let p = 0; p < strip; p += 2) {
    const next = min(p + 1, strip - 1);
    const a = fitOf(p).moved ? p : next;
    const b = fitOf(next).moved ? next : p;
    if (!fitOf(a).moved) continue;
    const regular = solvePair(a, b);
    if ((regular & 1) == 0) fitOf(a).status = SINGULAR;
    if ((regular & 2) == 0) fitOf(b).status = SINGULAR;
  }
}

/** Median absolute residual of a normal distribution [standard deviations]. */
const NORMAL_MEDIAN: f64 = 0.6744897502;

function typicalResidual(pixel: i32, fit: PixelFit): f64 {
  return NORMAL_MEDIAN * sqrt(residualSquares(pixel, fit.squares) / <f64>fit.kept);
}

/** One round of rejection. Returns whether any pixel's equations changed. */
function rejectAll(strip: i32): bool {
  let any = false;
  for (let p = 0; p < strip; p++) {
    const fit = fitOf(p);
    if (!fit.moved) continue;
    fit.moved =
      fit.status == FITTED && reject(p, fit.observed, typicalResidual(p, fit), beyond, perColumn * size);
    if (!fit.moved) continue;
    fit.kept = keptCount;
    fit.squares += squaresGained;
    any = true;
  }
  return any;
}

/** Writes the coefficients. Returns sigma, NaN where the fit failed. */
function report(pixel: i32, coefficients: usize): f64 {
  const fit = fitOf(pixel);
  if (fit.status == FITTED) {
    memory.copy(coefficients, solutionOf(pixel), (<usize>columns) << 3);
    return sqrt(residualSquares(pixel, fit.squares) / <f64>(fit.kept - size));
  }
  for (let c = 0; c < columns; c++) store<f64>(coefficients + ((<usize>c) << 3), NaN);
  return NaN;
}
