// Builds the console after `npm ci`, so that it is there when the service is first started. Run by npm as `prepare`.
import { join } from 'node:path';
import { buildStaleConsole } from '../src/http/console/build.ts';

try {
  await buildStaleConsole(join(import.meta.dirname, '..'));
} catch (error) {
  // The install is still of use: the service starts without the console, and tries to build it again.
  process.stderr.write(`The console could not be built: ${(error as Error).message}\n`);
}
