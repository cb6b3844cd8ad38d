const SCENES_CHANGED = 'SCENES_CHANGED';

/** Error when the scenes of a cube changed during a search. The caller then searches the current scenes again. */
export class ScenesChanged extends Error {
  override readonly name = 'ScenesChanged';
  readonly code = SCENES_CHANGED;
}

/** Whether an error is `ScenesChanged`. Compares the code, because an error from another thread has lost its class. */
export function isScenesChanged(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === SCENES_CHANGED;
}
