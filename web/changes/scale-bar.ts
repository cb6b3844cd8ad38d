import { number } from '../format.ts';

/** Largest share of the width of a picture that its scale bar takes. */
const LONGEST = 0.35;

/** The length of a round scale bar for a picture, as a share of its width, and the text of that length. */
export function scaleBar(widthM: number): { readonly share: number; readonly text: string } {
  const most = widthM * LONGEST;
  const power = 10 ** Math.floor(Math.log10(most));
  const lengthM = power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
  return { share: lengthM / widthM, text: length(lengthM) };
}

/** Formats a length [m]: metres below 1 km, else kilometres. */
export function length(m: number): string {
  return m < 1000 ? `${number(m)} m` : `${number(m / 1000)} km`;
}
