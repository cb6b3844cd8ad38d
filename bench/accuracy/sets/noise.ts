import { follow, type SampleStack } from '../engine.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure, type Run } from '../figure.ts';
import { simulate, STANDARD, type Simulation } from '../simulated-stack.ts';

const REGION: Simulation = { ...STANDARD, side: 0, width: 112, height: 112, years: 8 };
const ALONE = 2500; // number of pixels that are also monitored alone, each as a stack of one pixel
const NOISES: readonly (readonly [name: string, rho: number, limit: number])[] = [
  ['white', 0, 100],
  ['AR .5', 0.5, 1000],
  ['AR .8', 0.8, Number.NaN],
]; // `limit`: our target for confirmed changes per million pixel-years; NaN: no target

function confirmedIn(stack: SampleStack): number {
  return follow(stack).claims.filter(({ confirmedMs }) => confirmedMs !== null).length;
}

/** A stack with a single pixel of another stack. */
function pixelOf(stack: SampleStack, pixel: number): SampleStack {
  const times = stack.timesMs.length;
  const ndvi = stack.metrics['ndvi']!.subarray(pixel * times, (pixel + 1) * times);
  return { ...stack, width: 1, height: 1, metrics: { ndvi } };
}

function measure({ seed }: Run): Figure[] {
  return NOISES.flatMap(([name, rho, limit], i) => {
    const stack = simulate({ ...REGION, rho, seed: seed + i });
    const line = (what: string, confirmed: number, pixels: number): Figure => {
      const rate = (confirmed / (pixels * REGION.years)) * 1e6;
      const found = `${rate.toFixed(0)} (${confirmed} in ${(pixels * REGION.years).toLocaleString('en')})`;
      if (Number.isNaN(limit)) return plainFigure(what, found);
      return targetFigure(what, found, `at most ${limit}`, rate <= limit);
    };
    let alone = 0;
    for (let p = 0; p < ALONE; p++) alone += confirmedIn(pixelOf(stack, p));
    return [
      line(`${name}: confirmed per million pixel-years`, confirmedIn(stack), REGION.width * REGION.height),
      line(`${name}: the same, pixels alone`, alone, ALONE),
    ];
  });
}

/** Pure noise, drawn by the seed of the run: every confirmed change is false. */
export const NOISE: AccuracySet = {
  name: 'noise',
  isPresent: () => true,
  measure: async (run) => measure(run),
};
