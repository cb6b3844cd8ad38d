/**
 * CPU time to compute the height above nearest drainage (HAND) of fractal terrain, from a million cells to a one-degree
 * tile at 30 m: filling, D8 directions, accumulation and HAND. Heights are integers [m], so the terrain has flats and
 * hollows. CPU time is measured, because other work may share the machine. Budget: a few seconds per million cells.
 */
import { heightAboveDrainage } from '../src/raster/hand.ts';

const CELL_M = 30;
const BUDGET_S_PER_MILLION = 3;

/** Terrain by midpoint displacement with seeded noise: rough at all scales, like real terrain. */
function fractal(size: number): Float32Array {
  let state = 7;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
  const heights = new Float32Array(size * size);
  let octave = 400;
  for (let step = 1024; step >= 2; step /= 2, octave *= 0.55) {
    const across = Math.ceil(size / step) + 2;
    const lattice = Float32Array.from({ length: across * across }, () => octave * random());
    for (let row = 0; row < size; row++) {
      const [y, v] = [Math.floor(row / step), (row % step) / step];
      for (let col = 0; col < size; col++) {
        const [x, u] = [Math.floor(col / step), (col % step) / step];
        const top = lattice[y * across + x]! * (1 - u) + lattice[y * across + x + 1]! * u;
        const bottom = lattice[(y + 1) * across + x]! * (1 - u) + lattice[(y + 1) * across + x + 1]! * u;
        heights[row * size + col]! += top * (1 - v) + bottom * v;
      }
    }
  }
  return heights.map(Math.round);
}

console.log('cells        CPU [s]   per million   of them known');
for (const size of [1000, 1800, 3601]) {
  const heights = fractal(size);
  const sizes = new Float64Array(size).fill(CELL_M);
  const terrain = { heights, width: size, height: size, cellWidthM: sizes, cellHeightM: sizes };
  const before = process.cpuUsage();
  const { handM } = heightAboveDrainage(terrain, { streamAreaKm2: 1, nodataIsWater: false });
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const perMillion = (seconds / (size * size)) * 1e6;
  const known = handM.filter((value) => !Number.isNaN(value)).length / handM.length;
  console.log(
    `${String(size * size).padStart(10)}   ${seconds.toFixed(2).padStart(7)}   ${perMillion.toFixed(2).padStart(11)}   ` +
      `${(known * 100).toFixed(1)} %`,
  );
  if (perMillion > BUDGET_S_PER_MILLION) {
    console.log(`over the budget of ${BUDGET_S_PER_MILLION} s a million cells`);
    process.exitCode = 1;
  }
}
