import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfinedReaders } from '../../../src/sources/confined/confined-readers.ts';
import { processUse } from '../../../src/sources/confined/process-use.ts';
import { archiveSeeds } from './archive-seeds.ts';
import { mutateFile } from './file-mutations.ts';
import { fileSeeds } from './file-seeds.ts';
import { madeSeeds, putSeed } from './made-seeds.ts';
import { chance } from './mutations.ts';

/** Number of changed files; for example, `GROUNDWATCH_TEST_FUZZ_FILES=100000` reads 100,000. */
const FILES = Number(process.env['GROUNDWATCH_TEST_FUZZ_FILES'] ?? 900);
/** Seed of the random numbers. Every failure message contains the number of the file. */
const SEED = Number(process.env['GROUNDWATCH_TEST_FUZZ_SEED'] ?? 20_261_124);
/** Seeds of files that once failed; they take the place of the first numbers. */
const FAILED = [3_567]; // the pieces of a Parquet file that were asked for ahead ended the process
const CPU_MS = 1000;
/** The first file of a format also loads its reader, and a busy processor counts more time [ms of processor time]. */
const LOADING_MS = 15_000;
/** Most readings of a slow file: one of them is to be quick, since the processor may have been shared in the others. */
const READINGS = 4;
const MEMORY_BYTES = 256 * 2 ** 20;

test(
  'changed files of every format are read or refused by name, within one second of processor time and 256 MiB',
  { timeout: 7_200_000 },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwatch-fuzz-files-'));
    const readers = new ConfinedReaders({
      setup: { allow: [], extraCa: undefined, timeoutMs: 1000, userAgent: 'fuzz' },
      limits: { memoryBytes: MEMORY_BYTES, stepCpuMs: LOADING_MS, callCpuMs: LOADING_MS, callMs: 120_000 },
      environment: { PATH: process.env['PATH'] ?? '' },
    });
    t.after(async () => {
      await readers.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const made = await madeSeeds();
    for (const why of made.missing) t.diagnostic(`formats are not covered: ${why}`);
    const seeds = [...(await fileSeeds()), ...archiveSeeds(), ...made.seeds];
    for (const seed of seeds) {
      const reading = seed.read(readers, putSeed(folder, seed));
      await assert.doesNotReject(reading, `the sound file ${seed.name} is not read`);
    }
    // Open to the end: it shows that the process never ended, and keeps it from ending because nothing is read.
    const witnessPath = join(folder, 'witness.tif');
    writeFileSync(witnessPath, seeds[0]!.bytes);
    const witness = await readers.stacks.open(witnessPath);
    const { pid } = readers;
    const counts = { read: 0, refused: 0, stopped: 0 };
    const stopped: string[] = [];
    let [most, mostBy, peak] = [0, '', 0];
    for (let number = 0; number < FILES; number++) {
      const random = chance(FAILED[number] ?? SEED + number);
      const seed = seeds[Math.floor(random() * seeds.length)]!;
      const path = putSeed(folder, seed, mutateFile(seed.bytes, random));
      const before = cpuOf(readers);
      try {
        await seed.read(readers, path);
        counts.read++;
      } catch (error) {
        const { name, message } = error as Error;
        const where = `file ${number} of seed ${SEED} (${seed.name})`;
        assert.equal(name, 'InvalidInput', `${where}: ${(error as Error).stack}`);
        assert.ok(message.includes(seed.name), `${where} is refused without its name: ${message}`);
        assert.ok(message.length < 4100, `${where}: a message of ${message.length} characters`);
        if (message.includes('reading was stopped')) {
          counts.stopped++;
          stopped.push(`${number}: ${message}`);
        } else counts.refused++;
      }
      // A file may be answered just before the process ends because of it.
      if (readers.pid !== pid) {
        stopped.push(`${number} (${seed.name}), or the file before it: the process ended`);
        break;
      }
      const use = readers.use;
      if (use !== undefined) {
        peak = Math.max(peak, use.peakBytes);
        let cpuMs = use.cpuMs - before;
        // The first file that needs a table or a decoder also loads it, so a slow file is read again.
        for (let readings = 1; cpuMs > CPU_MS && readings < READINGS; readings++) {
          const again = cpuOf(readers);
          await seed.read(readers, path).catch(() => undefined);
          cpuMs = cpuOf(readers) - again;
        }
        if (cpuMs > most) [most, mostBy] = [cpuMs, `${number}, ${seed.name}`];
      }
      if (FILES > 10_000 && number % 5000 === 0)
        t.diagnostic(
          `${number}: ${JSON.stringify(counts)}, most ${most} ms (${mostBy}), ${Math.round(peak / 2 ** 20)} MiB`,
        );
    }
    t.diagnostic(
      `${FILES} files: ${JSON.stringify(counts)}; most processor time of one ${most} ms (${mostBy}); most memory ${Math.round(peak / 2 ** 20)} MiB`,
    );
    assert.deepEqual(stopped, [], 'files that took more than their share');
    await assert.doesNotReject(witness.readBand(0), 'the process has ended');
    assert.ok(most <= CPU_MS, `file ${mostBy} took ${most} ms of processor time`);
    assert.ok(counts.refused > FILES / 4 && counts.read > FILES / 50, JSON.stringify(counts));
  },
);

/** Processor time of the reading process [ms]; 0 while there is none. */
function cpuOf({ pid }: ConfinedReaders): number {
  return pid === undefined ? 0 : (processUse(pid)?.cpuMs ?? 0);
}
