/**
 * Calibration of the confidence of changes, by type, from the claims of the monitor in simulated regions with known
 * truth: Brier score and its parts (Dimitriadis, Gneiting & Jordan 2021), on cases that the current curves were not
 * fitted to. `--write` fits the curves again and writes them to src/change/object/calibration-figures.ts. This
 * changes answers, so raise the model version. `--plot` draws docs/methods/change-reliability.svg.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLOURS, panelsSvg } from '../src/app/changes/backtest/svg-panels.ts';
import { reliabilityPanel } from '../src/app/changes/backtest/backtest-plot.ts';
import { frequencyAt, recalibrate, type Level } from '../src/numerics/accuracy/recalibration.ts';
import { scoreParts } from '../src/numerics/accuracy/score-decomposition.ts';
import { CHANGE_CALIBRATIONS } from '../src/change/object/calibration-figures.ts';
import type { ChangeCalibration } from '../src/change/object/calibration-record.ts';
import { MODEL_VERSION } from '../src/change/parameters.ts';
import type { ChangeObject } from '../src/change/object/objects.ts';
import { Random } from './calibration/simulated-case.ts';
import { countryside, overlap } from './accuracy/countryside.ts';
import { calibrationRegion, isTrueClaim } from './accuracy/calibration-region.ts';
import { WORLDS } from './accuracy/calibration-worlds.ts';
import { follow, followAll } from './accuracy/engine.ts';

const FIT_REGIONS = 32; // regions of each world that the curves are fitted to
const CHECK_REGIONS = 20;
const FIT_SEED = 1;
const CHECK_SEED = 2;
const FIT_COUNTRY_SEEDS = [11, 12, 13, 14];
const CHECK_COUNTRY_SEEDS = [21, 22, 23];
const COUNTRY_METRICS = ['ndvi', 'nbr', 'mndwi'] as const;
const LEAST_CASES = 25; // minimum number of cases of a type for its own curve
// Minimum total weight of the cases of one level of a curve (our choice, tuned on the claims of the fit).
const LEAST_WEIGHT = 10;
const OTHERS_WEIGHT = 0.1; // weight of a case of another type (our choice, tuned on the claims of the fit)
const PRIOR_CASES = 1; // weight of the prior, half of it true, so that no level is 0 or 1 (Krichevsky & Trofimov 1981)
const DIGITS = 4;

/** Claims of one type, with their truth. */
interface Claims {
  readonly scores: number[];
  readonly confidences: number[];
  readonly truths: number[];
  /** Whether each claim is confirmed. */
  readonly stands: boolean[];
}

/** Claims by type, without those that are rejected or recovered at the end of their region's record. */
function claimsOf(regions: number, seed: number, countrySeeds: readonly number[]): Map<string, Claims> {
  const byType = new Map<string, Claims>();
  const random = new Random(seed);
  for (const [rank, world] of WORLDS.entries()) {
    for (let i = 0; i < regions; i++) {
      const region = calibrationRegion(world, random);
      for (const object of follow(region.stack).objects)
        take(byType, object, isTrueClaim(region, world, object));
    }
    console.error(`${rank + 1} of ${WORLDS.length} worlds of seed ${seed}`);
  }
  for (const countrySeed of countrySeeds) {
    // Events without an end are lasting changes. Only the flood has an end: it lasts three weeks.
    const { stack, events } = countryside(countrySeed, COUNTRY_METRICS);
    const lasting = events.filter(({ until }) => until === null);
    for (const object of followAll(stack).objects) {
      const shared = lasting.reduce((most, event) => Math.max(most, overlap(object, event)), 0);
      take(byType, object, shared * 2 >= object.pixels.length);
    }
    console.error(`countryside ${countrySeed}`);
  }
  return byType;
}

/** Adds a claim, unless it was rejected or has recovered. */
function take(byType: Map<string, Claims>, object: ChangeObject, isTrue: boolean): void {
  if (object.status === 'rejected' || object.status === 'recovered') return;
  const claims = byType.get(object.type) ?? { scores: [], confidences: [], truths: [], stands: [] };
  claims.scores.push(object.score);
  claims.confidences.push(object.confidence);
  claims.truths.push(isTrue ? 1 : 0);
  claims.stands.push(object.status === 'confirmed');
  byType.set(object.type, claims);
}

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

/** Fits the curve of a type to its own claims and, with a low weight, to the claims of all other types. */
function curveOf(type: string, fits: ReadonlyMap<string, Claims>): Level[] {
  const claims = [...fits].flatMap(([other, { scores, truths }]) =>
    scores.map((score, i) => ({ score, truth: truths[i]!, weight: other === type ? 1 : OTHERS_WEIGHT })),
  );
  const levels = recalibrate(
    claims.map(({ score }) => score),
    claims.map(({ truth }) => truth),
    claims.map(({ weight }) => weight),
    LEAST_WEIGHT,
  );
  let least = 0;
  return levels.map(({ from, to, frequency, weight }) => {
    // The prior changes the levels with the fewest cases most, but no level may be lower than the level before it.
    least = Math.max(least, (frequency * weight + PRIOR_CASES / 2) / (weight + PRIOR_CASES));
    return { from: rounded(from), to: rounded(to), frequency: rounded(least), weight: rounded(weight) };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function write(found: ReadonlyMap<string, ChangeCalibration>): void {
  const entries = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, calibration]) => `  ${type}: ${JSON.stringify(calibration)},`);
  writeFileSync(
    join(import.meta.dirname, '../src/change/object/calibration-figures.ts'),
    [
      "import type { ChangeCalibration } from './calibration-record.ts';",
      "import type { ChangeType } from '../metric.ts';",
      '',
      '/** Generated by `node bench/change-calibration.ts --write`. Do not edit. */',
      'export const CHANGE_CALIBRATIONS: Readonly<Partial<Record<ChangeType, ChangeCalibration>>> = {',
      ...entries,
      '};',
      '',
    ].join('\n'),
  );
}

const checks = claimsOf(CHECK_REGIONS, CHECK_SEED, CHECK_COUNTRY_SEEDS);
const writes = process.argv.includes('--write');
const fits = writes ? claimsOf(FIT_REGIONS, FIT_SEED, FIT_COUNTRY_SEEDS) : new Map<string, Claims>();
const found = new Map<string, ChangeCalibration>();
const all: Claims = { scores: [], confidences: [], truths: [], stands: [] };
for (const [type, claims] of [...checks].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const fit = fits.get(type);
  if (writes && (fit === undefined || fit.scores.length < LEAST_CASES)) {
    console.log(
      `${type.padEnd(18)} ${fit?.scores.length ?? 0} cases are too few for a curve: its score stands`,
    );
    continue;
  }
  const levels = fit === undefined ? undefined : curveOf(type, fits);
  const stated =
    levels === undefined ? claims.confidences : claims.scores.map((score) => frequencyAt(levels, score));
  const raw = scoreParts(claims.scores, claims.truths);
  const parts = scoreParts(stated, claims.truths);
  all.confidences.push(...stated);
  all.truths.push(...claims.truths);
  all.stands.push(...claims.stands);
  const right = claims.truths.reduce((sum, truth) => sum + truth, 0);
  console.log(
    `${type.padEnd(18)} ${claims.truths.length} claims, ${((100 * right) / claims.truths.length).toFixed(1)} % real and lasting: ` +
      `Brier ${parts.score.toFixed(4)} = MCB ${parts.miscalibration.toFixed(4)} - DSC ${parts.discrimination.toFixed(4)} ` +
      `+ UNC ${parts.uncertainty.toFixed(4)}; the score alone ${raw.score.toFixed(4)}, MCB ${raw.miscalibration.toFixed(4)}`,
  );
  if (levels !== undefined)
    found.set(type, {
      levels,
      cases: fit!.scores.length,
      checked: claims.truths.length,
      brier: rounded(parts.score),
      miscalibration: rounded(parts.miscalibration),
      discrimination: rounded(parts.discrimination),
      uncertainty: rounded(parts.uncertainty),
    });
}
const together = scoreParts(all.confidences, all.truths);
for (const [name, keep] of [
  ['suspected', (i: number) => !all.stands[i]],
  ['confirmed', (i: number) => all.stands[i]!],
  ['all', () => true],
] as const) {
  const confidences = all.confidences.filter((_, i) => keep(i));
  const truths = all.truths.filter((_, i) => keep(i));
  const { score, miscalibration, discrimination, uncertainty } = scoreParts(confidences, truths);
  console.log(
    `${name.padEnd(18)} ${truths.length} claims: stated ${mean(confidences).toFixed(2)}, came true ${mean(truths).toFixed(2)}, ` +
      `Brier ${score.toFixed(4)}, MCB ${miscalibration.toFixed(4)}, DSC ${discrimination.toFixed(4)}, UNC ${uncertainty.toFixed(4)}`,
  );
}
if (writes) write(found);
if (!writes && Object.keys(CHANGE_CALIBRATIONS).length === 0)
  console.log('No curve is in force: confidences are scores. --write fits them.');
if (process.argv.includes('--plot')) {
  const panel = reliabilityPanel(together, all.confidences, 'All types, claims that no curve was fitted on');
  const dots = {
    kind: 'points' as const,
    name: 'means of each type',
    colour: COLOURS.orange,
    points: [...checks].map(([type, claims]) => {
      const levels = found.get(type)?.levels;
      const stated =
        levels === undefined ? claims.confidences : claims.scores.map((s) => frequencyAt(levels, s));
      return [mean(stated), mean(claims.truths)] as const;
    }),
  };
  writeFileSync(
    join(import.meta.dirname, '../docs/methods/change-reliability.svg'),
    panelsSvg(
      [{ ...panel, series: [...panel.series, dots] }],
      `${all.truths.length} claims in simulated regions, ${MODEL_VERSION}`,
    ),
  );
}
