/**
 * CPU time to fit velocities to a stack of displacement maps: Huber's regression with seasons and acceleration on
 * every pixel; a third of the pixels have gaps. Compared with the lower bound: one pass of plain least squares over
 * the same samples. CPU time is measured, because other work may share the machine. Budget: the time of twenty such
 * passes, and millions of pixel-dates per second.
 */
import { DisplacementFitter } from '../src/risk/subsidence/displacement-field.ts';
import { Random } from './calibration/simulated-case.ts';
import { DAY_MS } from '../src/base/time.ts';

const PIXELS = 100_000;
const BUDGET_PASSES = 20;
const TERMS = 7;

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/**
 * One pass of plain least squares over complete series: the product with a matrix as large as the pseudo-inverse, and
 * the residuals. Returns the sum of their squares.
 */
function plainPass(values: Float32Array, dates: number): number {
  const design = Float64Array.from({ length: dates * TERMS }, (_, i) => Math.sin(i));
  const b = new Float64Array(TERMS);
  let squares = 0;
  for (let at = 0; at < values.length; at += dates) {
    b.fill(0);
    for (let i = 0; i < dates; i++) {
      const value = values[at + i]!;
      for (let j = 0; j < TERMS; j++) b[j]! += design[i * TERMS + j]! * value;
    }
    for (let i = 0; i < dates; i++) {
      let fitted = 0;
      for (let j = 0; j < TERMS; j++) fitted += design[i * TERMS + j]! * b[j]!;
      squares += (values[at + i]! - fitted) ** 2;
    }
  }
  return squares;
}

console.log('dates   CPU [s] of 100,000 pixels   million pixel-dates a CPU second   plain passes');
for (const dates of [60, 120, 240]) {
  const random = new Random(1);
  const values = Float32Array.from({ length: PIXELS * dates }, (_, i) =>
    Math.floor(i / dates) % 3 === 0 && random.uniform() < 0.1
      ? Number.NaN
      : 4 * random.normal() + (random.uniform() < 0.01 ? 60 : 0),
  );
  const timesMs = Array.from({ length: dates }, (_, i) => i * (1500 / dates) * DAY_MS);
  const robust = cpuSeconds(() => {
    const fitter = new DisplacementFitter(timesMs, PIXELS);
    fitter.fit(values, 0);
    fitter.finish();
  });
  const plain = cpuSeconds(() => plainPass(values, dates));
  const passes = robust / plain;
  console.log(
    `${String(dates).padStart(5)}   ${robust.toFixed(2).padStart(25)}   ${((PIXELS * dates) / 1e6 / robust).toFixed(1).padStart(32)}   ${passes.toFixed(1).padStart(12)}`,
  );
  if (passes > BUDGET_PASSES) {
    console.log(`over the budget of ${BUDGET_PASSES} passes`);
    process.exitCode = 1;
  }
}
