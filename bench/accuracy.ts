/**
 * Accuracy of the change monitor. Streams each labelled data set (kept outside the repository) and simulated stacks
 * with planted changes through the monitor, in order of time, and prints one table of figures with their targets.
 * `npm run bench -- accuracy NAME...` measures the named sets; `--plot` also draws the figures of docs/methods.
 */
import { LABELLED_SETS, SIMULATED_SETS } from './accuracy/all-sets.ts';
import { figureLines } from './accuracy/figure.ts';

const SETS = [...LABELLED_SETS, ...SIMULATED_SETS];

const plots = process.argv.includes('--plot');
const asked = process.argv.slice(2).filter((word) => word !== '--plot');
const unknown = asked.filter((name) => !SETS.some((set) => set.name === name));
if (unknown.length > 0) {
  console.error(`There is no set ${unknown.join(', ')}: ${SETS.map(({ name }) => name).join(', ')}`);
  process.exitCode = 2;
} else {
  let misses = 0;
  for (const set of SETS) {
    if (asked.length > 0 && !asked.includes(set.name)) continue;
    if (!set.isPresent()) {
      console.log(`      ${set.name}: its data are not beside the repository; skipped`);
      continue;
    }
    const startedMs = performance.now();
    const figures = await set.measure({ plots, seed: 1 });
    misses += figures.filter(({ holds }) => holds === false).length;
    for (const line of figureLines(set.name, figures)) console.log(line);
    console.error(`      ${set.name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  }
  console.log(`${misses} targets missed`);
}
