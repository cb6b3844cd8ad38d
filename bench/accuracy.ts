/**
 * Accuracy of the change monitor. Streams each labelled data set (kept outside the repository) and simulated stacks
 * with planted changes through the monitor, in order of time, and prints one table of figures with their targets.
 * `npm run bench -- accuracy NAME...` measures the named sets. `--data FOLDER` reads the sets of another folder by the
 * same names; `--json` prints one JSON document; `--seed NUMBER` repeats what another run drew; `--plot` also draws the
 * figures of docs/methods. The rows of the library nrt need a Python that has it: `GROUNDWATCH_BENCH_PYTHON`.
 */
import { LABELLED_SETS, SIMULATED_SETS } from './accuracy/all-sets.ts';
import { readSetsFrom } from './accuracy/data-set.ts';
import { figureLines, figureRecord } from './accuracy/figure.ts';
import { readOptions, type Options } from './accuracy/options.ts';

const SETS = [...LABELLED_SETS, ...SIMULATED_SETS];

async function run({ names, data, json, ...settings }: Options): Promise<void> {
  if (data !== null) readSetsFrom(data);
  const records: ReturnType<typeof figureRecord>[] = [];
  const skipped: string[] = [];
  const failed: { readonly set: string; readonly error: string }[] = [];
  console.error(`seed ${settings.seed}`);
  for (const set of SETS) {
    if (names.length > 0 && !names.includes(set.name)) continue;
    if (!set.isPresent()) {
      skipped.push(set.name);
      console.error(`      ${set.name}: its data are not there; skipped`);
      continue;
    }
    const startedMs = performance.now();
    try {
      const figures = await set.measure(settings);
      records.push(...figures.map((figure) => figureRecord(set.name, figure)));
      if (!json) for (const line of figureLines(set.name, figures)) console.log(line);
    } catch (error) {
      failed.push({ set: set.name, error: String(error) });
      console.error(`      ${set.name}: cannot be measured: ${String(error)}`);
    }
    console.error(`      ${set.name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  }
  const missed = records.filter(({ holds }) => holds === false).length;
  if (json)
    console.log(JSON.stringify({ seed: settings.seed, missed, skipped, failed, figures: records }, null, 2));
  else console.log(`${missed} targets missed`);
  if (failed.length > 0) process.exitCode = 1;
}

try {
  await run(
    readOptions(
      process.argv.slice(2),
      SETS.map(({ name }) => name),
    ),
  );
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
