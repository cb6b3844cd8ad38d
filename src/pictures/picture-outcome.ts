import type { PictureOf, PictureTask } from '../app/pictures/picture-maker.ts';

/** What a thread for pictures answers. `absent` has the message of NotFound. */
export type PictureOutcome =
  | { readonly kind: 'made'; readonly picture: PictureOf<PictureTask> }
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: unknown };
