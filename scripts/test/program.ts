import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleProgram } from '../program/bundle.ts';

/** Folder of the program that tests start, in a checkout; it finds packages as the checkout does. */
const FOLDER = '.test-program';
/** Files that the published package has too, and that the program reads when it runs. */
const SHIPPED = ['data', 'docs', 'web/dist', 'openapi.json', 'package.json', 'NOTICE'];
/** The programs of tests that are killed. */
const TEST_PROGRAMS = [
  'test/fault/*-{node,worker}.ts',
  'test/fixtures/{divided-stack,postgres-holder,searched-stack}.ts',
];

/**
 * Makes the program that tests start as a process of its own: as the published one, with the programs of tests. It is
 * made again when a source has changed.
 * @param root of the checkout
 * @returns path of its command
 */
export async function testProgram(root: string): Promise<string> {
  const folder = join(root, FOLDER);
  const command = join(folder, 'bin/groundwatch.js');
  const digest = digestOf(root);
  const stamp = join(folder, 'inputs.sha256');
  const isThere = (): boolean => {
    try {
      return readFileSync(stamp, 'utf8') === digest;
    } catch {
      return false;
    }
  };
  if (isThere()) return command;
  const part = `${folder}-${process.pid}`;
  rmSync(part, { recursive: true, force: true });
  await bundleProgram(root, part, TEST_PROGRAMS);
  cpSync(join(root, 'bin'), join(part, 'bin'), { recursive: true });
  for (const file of SHIPPED) {
    mkdirSync(dirname(join(part, file)), { recursive: true });
    symlinkSync(join(root, file), join(part, file));
  }
  writeFileSync(join(part, 'inputs.sha256'), digest);
  const former = `${part}-former`;
  try {
    // Ends when it is there, whichever run of the same checkout has put it there.
    for (let tries = 1; !isThere(); tries++)
      try {
        if (existsSync(folder)) renameSync(folder, former);
        renameSync(part, folder);
      } catch (error) {
        // Another run has taken the former one away, or put its own there, since this one looked.
        if (tries === 10) throw error;
        rmSync(former, { recursive: true, force: true });
      }
  } finally {
    for (const left of [part, former]) rmSync(left, { recursive: true, force: true });
  }
  return command;
}

function digestOf(root: string): string {
  const digest = createHash('sha256').update(root);
  const files = globSync(
    [
      '{src,test}/**/*.{ts,js,json,wasm}',
      'bin/*',
      'scripts/{program/bundle,test/program}.ts',
      'package-lock.json',
    ],
    {
      cwd: root,
      exclude: ['**/*.test.ts'],
    },
  );
  for (const file of files.toSorted()) digest.update(`${file}\n`).update(readFileSync(join(root, file)));
  return digest.digest('hex');
}
