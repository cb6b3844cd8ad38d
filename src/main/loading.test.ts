import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Matches `import … from 'x'` and `export … from 'x'`, but not type-only ones, which load nothing. */
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** The packages that a file loads statically, each with the chain of files that leads to its import. */
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

test('the entry loads no package before a running service was asked to run the command', () => {
  const packages = packagesBehind(new URL('../main.ts', import.meta.url));
  const ours = [...packages.keys()].filter((name) => !name.startsWith('node:'));
  assert.deepEqual(ours, []);
});

test('a command that calls a service loads the client and no database', () => {
  const packages = packagesBehind(new URL('./call-line.ts', import.meta.url));
  assert.deepEqual(
    [...packages.keys()].filter((name) => !name.startsWith('node:')),
    [],
  );
});

test('a command loads no HTTP server and no schemas, and no client and no table of GeoKeys before they are needed', () => {
  const packages = packagesBehind(new URL('./installation.ts', import.meta.url));
  assert.ok(packages.has('pg'), 'the way to what every command needs is found');
  const http = ['typebox', 'typebox/compile', 'fastify', 'ajv', 'openid-client', '@opentelemetry/api'];
  for (const heavy of [...http, 'undici', 'geotiff-geokeys-to-proj4'])
    assert.equal(packages.get(heavy)?.join(' -> '), undefined, heavy);
});

test('help needs no database', () => {
  const packages = packagesBehind(new URL('./command-line.ts', import.meta.url));
  for (const heavy of ['typebox', 'fastify', 'undici', 'pg', 'pg-boss', 'kysely', 'jose', 'age-encryption'])
    assert.equal(packages.get(heavy)?.join(' -> '), undefined, heavy);
});

test('the HTTP service loads the X.509 library only when it makes a certificate, OpenID when somebody signs in, Parquet when asked', () => {
  const packages = packagesBehind(new URL('./api.ts', import.meta.url));
  assert.ok(packages.has('fastify'));
  for (const heavy of ['@peculiar/x509', 'reflect-metadata', 'openid-client', 'hyparquet-writer'])
    assert.equal(packages.get(heavy)?.join(' -> '), undefined, heavy);
});

test('the thread that searches for changes loads no HTTP server and no schemas', () => {
  const packages = packagesBehind(new URL('../app/changes/search/change-thread.ts', import.meta.url));
  for (const heavy of ['typebox', 'typebox/compile', 'fastify', 'ajv'])
    assert.equal(packages.get(heavy)?.join(' -> '), undefined, heavy);
});
