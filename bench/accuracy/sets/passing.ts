import { Random } from '../../calibration/simulated-case.ts';
import { isPresent } from '../data-set.ts';
import { TOGETHER } from '../detections/detection.ts';
import { plainFigure, targetFigure, type AccuracySet, type Figure, type Run } from '../figure.ts';
import { MATO_GROSSO_SETS, matoGrossoGrounds } from '../spliced/mato-grosso-ground.ts';
import { disturbedStack, type Passing } from '../spliced/passing.ts';
import { SOURCES } from './conversions.ts';
import { countMonitor, yearsOf } from './harmless.ts';

const STACKS = 10; // stacks of each kind
const STUDENT_T = 2.262; // of 9 degrees of freedom, for an interval of 95 %
const MOST_CONFIRMED = 1; // our target [percent of pixel-years]
const NONE: ReadonlySet<number> = new Set();

/** Counts of one stack, of all indices together. */
interface Outcome {
  readonly years: number;
  readonly confirmed: number;
  readonly standing: number;
  readonly disturbed: number;
  readonly disturbedConfirmed: number;
}

async function outcomes(passing: Passing, seeds: readonly number[]): Promise<Outcome[]> {
  const [forest, crops] = await matoGrossoGrounds();
  return seeds.map((seed) => {
    const { stack, disturbed } = disturbedStack(passing === 'coppice' ? forest! : crops!, passing, seed);
    const stacks = { what: passing, source: SOURCES.matoGrosso, stacks: [stack], changed: NONE, disturbed };
    const count = countMonitor(stacks, TOGETHER);
    return {
      years: stack.width * stack.height * yearsOf(stack),
      confirmed: count.confirmed,
      standing: count.standing,
      disturbed: disturbed.size,
      disturbedConfirmed: count.disturbed ?? 0,
    };
  });
}

/** Mean over stacks of the share of pixel-years that is confirmed, with its interval over stacks (Student's t). */
function pooled(what: string, stacks: readonly Outcome[]): Figure {
  const sum = (field: keyof Outcome): number => stacks.reduce((total, stack) => total + stack[field], 0);
  const rates = stacks.map(({ confirmed, years }) => (100 * confirmed) / years);
  const mean = rates.reduce((a, b) => a + b) / rates.length;
  const variance = rates.reduce((a, rate) => a + (rate - mean) ** 2, 0) / (rates.length - 1);
  const half = STUDENT_T * Math.sqrt(variance / rates.length);
  const numbers = {
    mean,
    low: mean - half,
    high: mean + half,
    least: Math.min(...rates),
    most: Math.max(...rates),
    pixelYears: sum('years'),
    confirmed: sum('confirmed'),
    standing: sum('standing'),
    disturbed: sum('disturbed'),
    disturbedConfirmed: sum('disturbedConfirmed'),
  };
  const of = (key: 'mean' | 'low' | 'high' | 'least' | 'most'): string => numbers[key].toFixed(2);
  const found =
    `${of('mean')} % (${of('low')} to ${of('high')}, by stack ${of('least')} to ${of('most')}) of ` +
    `${numbers.pixelYears.toFixed(0)} pixel-years confirmed (${numbers.confirmed}, ${numbers.standing} stand); ` +
    `${numbers.disturbedConfirmed} of ${numbers.disturbed} disturbed pixels`;
  if (what === 'coppice') return { ...plainFigure(what, found), numbers };
  return { ...targetFigure(what, found, `at most ${MOST_CONFIRMED} %`, mean <= MOST_CONFIRMED), numbers };
}

async function measure({ seed }: Run): Promise<Figure[]> {
  const random = new Random(seed);
  const seeds = Array.from({ length: STACKS }, () => Math.floor(random.uniform() * 2 ** 31));
  const figures: Figure[] = [];
  for (const passing of ['flood', 'muddy flood', 'coppice'] as const)
    figures.push(pooled(passing, await outcomes(passing, seeds)));
  return figures;
}

/**
 * Floods that drain and coppice that grows again, pooled over ten stacks of each, since one stack has too few of them.
 * Coppice has no target: its wood is really felled.
 */
export const PASSING: AccuracySet = {
  name: 'passing',
  isPresent: () => MATO_GROSSO_SETS.every(isPresent),
  measure,
};
