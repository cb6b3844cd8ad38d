import type { Collection } from './series/collection-store.ts';

/** Licence of every layer that was simulated: what tells it from those of the Earth, in every answer that rests on it. */
export const SIMULATED_LICENCE = 'simulated';
/** Images that are served as series alone: changes are looked for in the other indices of the same scenes. */
export const SIMULATED_MOISTURE = 'simulated-moisture';
const NAME = /^simulated(-|$)/;

/** Whether a collection's observations were simulated, as its name says. */
export function isSimulated({ name }: Pick<Collection, 'name'>): boolean {
  return NAME.test(name);
}
