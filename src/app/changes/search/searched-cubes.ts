import type { StateStore } from './saved-state.ts';
import type { CubeStore } from '../../series/cube-store.ts';

/** Access to cubes that a search for changes needs: reading strips, and reading and writing saved states. */
export interface SearchedCubes extends Pick<CubeStore, 'readStrip'>, StateStore {
  close(): Promise<void>;
}
