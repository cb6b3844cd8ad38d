#!/usr/bin/env node
// Starts the command line on a suitable Node: the current one, or the one that the package pins as a dependency for this
// platform. A checkout runs its sources, the published package its build.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // The young part of the heap does not grow while the program loads (src/base/young-heap.ts).
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  // Compiled code is cached between starts, which halves the loading time. Threads find the cache by the environment.
  const cache = codeFolder();
  const { directory } = (cache && module.enableCompileCache?.(cache)) || {};
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
  const source = new URL('../src/main.ts', import.meta.url);
  const { main } = await import(
    existsSync(source) ? source.href : new URL('../dist/main.js', import.meta.url).href
  );
  await main(process.argv.slice(2));
} else {
  const pinned = pinnedNode();
  if (pinned === undefined) {
    console.error(
      `groundwatch needs Node 22.18 or newer; this is ${process.version}, and no pinned Node is installed for ` +
        `${process.platform}-${process.arch}.`,
    );
    process.exit(1);
  }
  const run = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // Signals to this process are passed on. Ctrl-C reaches both processes, so this one ignores SIGINT.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal));
  run.on('exit', (code) => process.exit(code ?? 1));
}

/** Folder of compiled code; undefined when another user could have written to it, because its content is executed. */
function codeFolder() {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `groundwatch-code-${user ?? 'mine'}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const its = lstatSync(folder);
    const isOurs = user === undefined || (its.uid === user && (its.mode & 0o077) === 0);
    return its.isDirectory() && isOurs ? folder : undefined;
  } catch {
    return undefined; // starts are only slower without the cache
  }
}

function pinnedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  try {
    const require = module.createRequire(import.meta.url);
    const manifest = require.resolve(`node-${platform}-${process.arch}/package.json`);
    // Not by an address: '#', '%' and '?' in the path of a folder would have a meaning there.
    const file = join(dirname(manifest), 'bin', platform === 'win' ? 'node.exe' : 'node');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
