import type { StateStore } from './saved-state.ts';
import type { CubeStore } from '../../series/cube-store.ts';

/** What a search for changes takes of cubes: series of pixels, and the state that it leaves beside one of them. */
export interface SearchedCubes extends Pick<CubeStore, 'readStrip'>, StateStore {
  close(): Promise<void>;
}
