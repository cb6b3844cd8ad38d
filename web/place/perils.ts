import type { Peril } from '../../src/client/index.ts';

/** Every peril, in the order of the interface. The type breaks the build when one is missing. */
const ALL: Readonly<Record<Peril, true>> = { flood: true, subsidence: true, wildfire: true, storm: true };

export const PERILS = Object.keys(ALL) as readonly Peril[];
