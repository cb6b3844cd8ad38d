import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** `import … from 'x'` and `export … from 'x'`, but not those of types alone, which leave nothing to load. */
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** Packages that are loaded with a file, each with the way to the first that names it. */
function packagesBehind(entry: URL): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const seen = new Set<string>();
  const look = (file: URL, way: readonly string[]): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      const here = [...way, file.pathname.split('/src/')[1]!];
      if (!name!.startsWith('.')) found.set(name!, found.get(name!) ?? here);
      else if (name!.endsWith('.ts')) look(new URL(name!, file), here);
    }
  };
  look(entry, []);
  return found;
}

test('a command loads no HTTP server and no schemas, which would take as long as all the rest of it', () => {
  const packages = packagesBehind(new URL('../main.ts', import.meta.url));
  assert.ok(packages.has('pg'), 'the way to what every command needs is found');
  for (const heavy of ['typebox', 'typebox/compile', 'fastify', 'ajv'])
    assert.equal(packages.get(heavy)?.join(' -> '), undefined, heavy);
});

test('nor does the thread that searches for changes', () => {
  const packages = packagesBehind(new URL('../app/changes/search/change-thread.ts', import.meta.url));
  for (const heavy of ['typebox', 'typebox/compile', 'fastify', 'ajv'])
    assert.equal(packages.get(heavy)?.join(' -> '), undefined, heavy);
});
