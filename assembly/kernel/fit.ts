// Fits the baselines of many pixels, one strip of pixels at a time: reads their series and writes their coefficients.
import { copyBytes } from './bytes';
import { begin, leaveOut } from './begin';
import { decode, forget, scatter } from './decode';
import { factoriseAlone } from './kept-factors';
import { normalEquations, project } from './normal-equations';
import { keptCount, reject, squaresGained } from './reject';
import { choose, chosenBits, residualSquares, size, solvePair, substitute } from './solve';
import { findStart, startA, startB } from './stable-history';
import {
  columns,
  fitOf,
  keptOf,
  maskBytes,
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
 * Sets the rule for all following fits.
 * @param columnBits design columns to fit, one bit per column
 * @param fewestNow minimum number of observations for a fit
 * @param beyondNow absolute residual beyond which an observation is rejected, in median absolute residuals
 * @param roundsNow maximum number of rounds of rejecting and refitting; 0 for plain least squares
 * @param perColumnNow minimum number of observations per column after rejection
 * @param criticalNow critical value of the test that selects the stable end of a history; 0: the fit uses the whole
 *   history
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
 * Fits pixels to their history, the scenes `[from, to)`.
 * @param samples one row of `rowBytes` bytes per pixel; 16 more bytes after the last row must be readable
 * @param coefficients receives `[pixel][columns]` f64, NaN where the fit failed
 * @param sigmas receives one f64 per pixel, NaN where the fit failed
 * @param counts receives the number of kept scenes of each pixel, i32
 * @param starts receives the first scene of the fitted history of each pixel, i32
 * @param statuses receives the status of each pixel, u8
 * @param masks receives the kept scenes, `paddedTimes / 8` bytes per pixel; 0: not needed
 * @param monitored index of the first pixel in the monitoring state, which is initialised from the fits; -1: the
 *   pixels are not monitored
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
      const pixel = <usize>(first + p);
      const sigma = reportAll(
        p,
        coefficients + pixel * ((<usize>columns) << 3),
        sigmas + (pixel << 3),
        counts + (pixel << 2),
        starts + (pixel << 2),
        statuses + pixel,
        masks == 0 ? 0 : masks + pixel * maskBytes,
      );
      if (monitored < 0) continue;
      if (sigma > 0) begin(p, monitored + first + p, fitOf(p).observed, sigma);
      else leaveOut(monitored + first + p);
    }
  }
}

/**
 * Fits one pixel whose observations are listed. The result is the same as that of `fitPixels`.
 * @param scenes observed scenes, ascending, i32
 * @param values their values, f64, none of them NaN
 * @param count number of observations
 */
export function fitListed(
  scenes: usize,
  values: usize,
  count: i32,
  coefficients: usize,
  sigmas: usize,
  counts: usize,
  starts: usize,
  statuses: usize,
  masks: usize,
): void {
  const from = count == 0 ? 0 : load<i32>(scenes);
  const to = count == 0 ? 0 : load<i32>(scenes + ((<usize>(count - 1)) << 2)) + 1;
  setWindow(from, to);
  scatter(scenes, values, count);
  const fit = fitOf(0);
  fit.observed = count;
  fit.start = from;
  fitStrip(1);
  reportAll(0, coefficients, sigmas, counts, starts, statuses, masks);
}

/** Writes all results of a pixel to the given addresses. Returns its sigma. */
function reportAll(
  pixel: i32,
  coefficients: usize,
  sigmas: usize,
  counts: usize,
  starts: usize,
  statuses: usize,
  masks: usize,
): f64 {
  const fit = fitOf(pixel);
  const sigma = report(pixel, coefficients);
  store<f64>(sigmas, sigma);
  store<i32>(counts, fit.kept);
  store<i32>(starts, fit.start);
  store<u8>(statuses, <u8>fit.status);
  if (masks != 0) copyBytes(masks, keptOf(pixel), maskBytes);
  return sigma;
}

/**
 * Factorises (X'X + R) over the scenes of a mask, for a caller that saved only the mask of a fit. `factors` in
 * solve.ts returns the address of the result.
 * @param columnBits design columns that were fitted, one bit per column
 * @param mask address of the mask, `paddedTimes / 8` bytes
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

/** Computes and solves the normal equations of a strip that has only one pixel. */
function solveAlone(): void {
  const fit = fitOf(0);
  if (!fit.moved) return;
  if (factoriseAlone(keptOf(0)) == 0) fit.status = SINGULAR;
  fit.squares = project(0);
  substitute(0, 0);
}

/**
 * Solves the equations of a strip in pairs of pixels, and skips pairs whose equations have not changed. If only one
 * pixel of a pair has changed equations, both lanes solve the equations of this pixel.
 */
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

/** Runs one round of rejection on all pixels of a strip. Returns whether the equations of any pixel changed. */
function rejectAll(strip: i32): bool {
  let any = false;
  for (let p = 0; p < strip; p++) {
    const fit = fitOf(p);
    if (!fit.moved) continue;
    const isWhole = fit.kept == fit.observed;
    fit.moved =
      fit.status == FITTED &&
      reject(p, fit.observed, isWhole, typicalResidual(p, fit), beyond, perColumn * size);
    if (!fit.moved) continue;
    fit.kept = keptCount;
    fit.squares += squaresGained;
    any = true;
  }
  return any;
}

/** Writes the coefficients of a pixel. Returns its sigma. All are NaN if the fit failed. */
function report(pixel: i32, coefficients: usize): f64 {
  const fit = fitOf(pixel);
  if (fit.status == FITTED) {
    copyBytes(coefficients, solutionOf(pixel), (<usize>columns) << 3);
    return sqrt(residualSquares(pixel, fit.squares) / <f64>(fit.kept - size));
  }
  for (let c = 0; c < columns; c++) store<f64>(coefficients + ((<usize>c) << 3), NaN);
  return NaN;
}
