import type { SearchedCubes } from './searched-cubes.ts';
import type { CubeAddress } from '../../series/cube-store.ts';

/** Opens cubes in the calling thread. */
export async function openCubes({ module, at }: CubeAddress): Promise<SearchedCubes> {
  const { openCubes } = (await import(module)) as { readonly openCubes: (at: unknown) => SearchedCubes };
  return openCubes(at);
}
