#!/usr/bin/env node
// Starts the service's command line on a Node that can run it: the one in use, or the one that the
// package pins as a platform dependency. A checkout runs its sources; the published package its build.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // Compiled code is kept between starts: it halves the time to load the program.
  module.enableCompileCache?.();
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
