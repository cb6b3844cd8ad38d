#!/usr/bin/env node
// Starts the service's command line on a Node that can run it: the one in use, or the one that the
// package pins as a platform dependency. A checkout runs its sources; the published package its build.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // Compiled code is kept between starts: it halves the time to load the program, and threads find it by the environment.
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
  // Who stops the service stops this process: it hands that on. Ctrl-C reaches both by itself.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal));
  run.on('exit', (code) => process.exit(code ?? 1));
}

/** Where compiled code is kept; undefined where somebody else could have put some there, which would be run. */
function codeFolder() {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `groundwatch-code-${user ?? 'mine'}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const its = lstatSync(folder);
    const isOurs = user === undefined || (its.uid === user && (its.mode & 0o077) === 0);
    return its.isDirectory() && isOurs ? folder : undefined;
  } catch {
    return undefined; // it is only slower without
  }
}

function pinnedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  try {
    const require = module.createRequire(import.meta.url);
    const manifest = require.resolve(`node-${platform}-${process.arch}/package.json`);
    const file = fileURLToPath(
      new URL(platform === 'win' ? 'bin/node.exe' : 'bin/node', `file://${manifest}`),
    );
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
