const SCENES_CHANGED = 'SCENES_CHANGED';

/** The scenes of a cube changed during a search. The caller starts the search again with the current scenes. */
export class ScenesChanged extends Error {
  override readonly name = 'ScenesChanged';
  readonly code = SCENES_CHANGED;
}

/** Whether an error is `ScenesChanged`, also one from another thread: errors lose their class between threads. */
export function isScenesChanged(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === SCENES_CHANGED;
}
