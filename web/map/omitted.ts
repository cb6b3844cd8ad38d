import { whole } from '../format.ts';

/** How many changes the tiles in view leave out: `features`, or more where `isMore`. */
export interface Omitted {
  readonly features: number;
  readonly isMore: boolean;
}

/** Adds up the notes of tiles on what they leave out: the properties of their layer `omitted`. */
export function omittedIn(notes: readonly Readonly<Record<string, unknown>>[]): Omitted {
  return {
    features: notes.reduce((sum, { features }) => sum + Number(features), 0),
    isMore: notes.some(({ more }) => more === true),
  };
}

/** Says what is left out, and what to do about it; undefined when nothing is. */
export function omittedText({ features, isMore }: Omitted): string | undefined {
  if (features === 0 && !isMore) return undefined;
  const count = features === 0 ? 'Older' : `${isMore ? 'More than ' : ''}${whole(features)}`;
  return `${count} smaller changes are not drawn. Zoom in to see them.`;
}
