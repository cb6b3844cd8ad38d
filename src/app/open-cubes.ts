import type { CubeAddress, SearchedCubes } from './ports.ts';

/** Opens cubes in the thread that calls this. */
export async function openCubes({ module, at }: CubeAddress): Promise<SearchedCubes> {
  const { openCubes } = (await import(module)) as { readonly openCubes: (at: unknown) => SearchedCubes };
  return openCubes(at);
}
