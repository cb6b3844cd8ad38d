import { fileURLToPath } from 'node:url';

/** A file that ships with the package, from its sources or its build. */
export function packaged(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
