import type { StateStore, UnitStore } from './saved-state.ts';
import type { CubeStore } from '../../series/cube-store.ts';

/** Access to cubes that threads need: reading strips and scenes, and reading and writing saved states. */
export interface SearchedCubes
  extends Pick<CubeStore, 'readStrip' | 'readSamples' | 'readScene' | 'scenes'>, StateStore, UnitStore {
  close(): Promise<void>;
}
