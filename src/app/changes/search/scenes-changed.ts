const SCENES_MOVED = 'SCENES_MOVED';

/** Scenes of a cube are no longer those that a search rests on: it is to begin again with those that there are. */
export class ScenesMoved extends Error {
  override readonly name = 'ScenesMoved';
  readonly code = SCENES_MOVED;
}

/** Whether an error is that, also one that another thread threw: its class is lost on the way. */
export function isScenesMoved(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === SCENES_MOVED;
}
