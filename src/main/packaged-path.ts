import { fileURLToPath } from 'node:url';

/** Path of a file that ships with the package; works from the sources and from the build. */
export function packagedPath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
