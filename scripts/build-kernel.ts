// Compiles assembly/kernel to src/change/kernel/kernel.wasm. The result is committed, because an install builds
// nothing. Part of `npm run generate`; CI fails when the committed file differs from the compiled sources.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = 'assembly/kernel/index.ts';
const OUT = join(ROOT, 'src/change/kernel/kernel.wasm');

/** Initial and maximum memory [pages of 64 KiB], as src/change/kernel/kernel-memory.ts allocates it. */
const PAGES = '--initialMemory 16 --maximumMemory 65536';
/** Relaxed SIMD is not enabled: its results differ between processors, but changes must be reproducible to the byte. */
const FEATURES = '--enable simd --enable threads';
/** No allocator, and one memory that all threads share. */
const RUNTIME = `--runtime stub --importMemory --sharedMemory ${PAGES}`;
const SPEED = '--optimizeLevel 3 --shrinkLevel 0 --converge --noAssert --uncheckedBehavior always';

// Runs the compiler as a command, because the types of its library declare AssemblyScript's globals and would change
// ours.
const folder = mkdtempSync(join(tmpdir(), 'groundwatch-kernel-'));
try {
  const out = join(folder, 'kernel.wasm');
  const options = `--outFile ${out} ${SPEED} ${RUNTIME} ${FEATURES}`.split(' ');
  const compiler = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');
  execFileSync(process.execPath, [compiler, SOURCE, ...options], { cwd: ROOT, stdio: 'inherit' });
  const built = readFileSync(out);
  if (existsSync(OUT) && built.equals(readFileSync(OUT))) {
    console.log('src/change/kernel/kernel.wasm is up to date');
  } else {
    writeFileSync(OUT, built);
    console.log('src/change/kernel/kernel.wasm written');
  }
} finally {
  rmSync(folder, { recursive: true });
}
