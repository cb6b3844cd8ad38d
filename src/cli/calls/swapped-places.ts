import type { Place } from './places-file.ts';

/** Fewest places of a file whose order of columns is judged. */
const FEWEST = 3;
/** Share of the places that counts as nearly all. */
const NEARLY_ALL = 0.9;
/** Maximum number of places that are asked for again, the other way round. */
const SAMPLE = 20;

interface At {
  readonly lat: number;
  readonly lng: number;
}

/**
 * Whether latitude and longitude of a file seem to be swapped: nearly all places lie where there is no data for any of
 * the perils, as in the open sea, and nearly all of a sample lie where there is some when they are swapped.
 * @param isBarren whether there is no data at a place, one for each
 * @param ask whether there is no data at other places
 */
export async function seemSwapped(
  places: readonly Place[],
  isBarren: readonly boolean[],
  ask: (places: readonly At[]) => Promise<readonly boolean[]>,
): Promise<boolean> {
  const barren = places.filter((_, i) => isBarren[i]);
  if (places.length < FEWEST || barren.length < NEARLY_ALL * places.length) return false;
  const step = Math.ceil(barren.length / SAMPLE);
  const sample = barren.filter((_, i) => i % step === 0);
  const swapped = sample
    .filter(({ lng }) => Math.abs(lng) <= 90)
    .map(({ lat, lng }) => ({ lat: lng, lng: lat }));
  if (swapped.length < NEARLY_ALL * sample.length) return false;
  const onLand = (await ask(swapped)).filter((barrenToo) => !barrenToo).length;
  return onLand >= NEARLY_ALL * sample.length;
}
