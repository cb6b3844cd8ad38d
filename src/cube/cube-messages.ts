import type { CubeScene } from '../app/series/cube-store.ts';

/** Job for the thread of a cube store. */
export type CubeJob =
  | { readonly kind: 'read'; readonly cubeId: string; readonly from: number; readonly to: number }
  | { readonly kind: 'close'; readonly folder: string; readonly lockTimeoutMs: number };

/** Result of a job. `damaged` has the fields of DamagedFile, `unwritten` those of WriteFailed. */
export type CubeOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'strip';
      readonly scenes: readonly CubeScene[];
      readonly values: Float32Array | Float64Array;
    }
  | { readonly kind: 'damaged'; readonly path: string; readonly what: string }
  | {
      readonly kind: 'unwritten';
      readonly path: string;
      readonly reason: string;
      readonly code: string | undefined;
    }
  | { readonly kind: 'failed'; readonly error: unknown };
