// Compiles assembly/kernel into src/change/kernel/kernel.wasm, which is committed: an install builds nothing. Part of
// `npm run generate`; CI fails when the committed file is not what the sources give.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = 'assembly/kernel/index.ts';
const OUT = join(ROOT, 'src/change/kernel/kernel.wasm');

/** Pages of 64 KiB that the memory begins with and may grow to: what src/change/kernel/kernel-memory.ts allocates. */
const PAGES = '--initialMemory 16 --maximumMemory 65536';
/** Relaxed SIMD stays off: its results differ between processors, and a change must be reproducible to the byte. */
const FEATURES = '--enable simd --enable threads';
/** No allocator, and a memory that all threads share. */
const RUNTIME = `--runtime stub --importMemory --sharedMemory ${PAGES}`;
const SPEED = '--optimizeLevel 3 --shrinkLevel 0 --converge --noAssert --uncheckedBehavior always';

// As a command, not as a library: the compiler's types declare AssemblyScript's own globals, and would change ours.
const folder = mkdtempSync(join(tmpdir(), 'groundwatch-kernel-'));
try {
  const out = join(folder, 'kernel.wasm');
  const options = `--outFile ${out} ${SPEED} ${RUNTIME} ${FEATURES}`.split(' ');
  const compiler = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');
  execFileSync(process.execPath, [compiler, SOURCE, ...options], { cwd: ROOT, stdio: 'inherit' });
  const built = readFileSync(out);
  if (existsSync(OUT) && built.equals(readFileSync(OUT))) {
    console.log('src/change/kernel/kernel.wasm is as it should be');
  } else {
    writeFileSync(OUT, built);
    console.log('src/change/kernel/kernel.wasm written');
  }
} finally {
  rmSync(folder, { recursive: true });
}
