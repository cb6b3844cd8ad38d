import { InvalidInput } from '../../../base/errors.ts';
import { PUBLIC_LAYERS } from '../public-layers.ts';
import { BEST_TRACKS } from './best-tracks.ts';
import { BUILT_UP_LAND } from './built-up.ts';
import { GSHHG_COAST, OSM_COAST } from './coast.ts';
import type { Dataset } from './dataset.ts';
import { GROUND_MOTION } from './ground-motion.ts';
import { FIRE_DETECTIONS } from './fire-detections.ts';
import { FIRE_WEATHER } from './fire-weather.ts';
import { SOIL_CLAY } from './soil-clay.ts';

/** Data sets that are downloaded and become layers, by the order of `layers available`. */
export const DATASETS: readonly Dataset[] = [
  BEST_TRACKS,
  FIRE_DETECTIONS,
  FIRE_WEATHER,
  SOIL_CLAY,
  BUILT_UP_LAND,
  GSHHG_COAST,
  OSM_COAST,
  GROUND_MOTION,
];

/** Data sets that cannot be installed by name, with the way that is left. */
export const BY_HAND: readonly { readonly name: string; readonly how: string }[] = [
  {
    name: 'mcd64',
    how: 'MODIS burned areas are HDF4, which no maintained library reads here. Ask AppEEARS for a table of burned areas, or convert it, and use layers derive fire-history',
  },
];

/** Finds a data set by its name; undefined where the name is that of a public map. @throws InvalidInput */
export function datasetNamed(name: string): Dataset | undefined {
  const byHand = BY_HAND.find((one) => one.name === name);
  if (byHand !== undefined)
    throw new InvalidInput(`NAME: ${name} cannot be installed: ${byHand.how}`, { param: 'name' });
  const found = DATASETS.find((one) => one.name === name);
  if (found === undefined && !Object.hasOwn(PUBLIC_LAYERS, name))
    throw new InvalidInput(
      `NAME: expected one of ${[...DATASETS.map((one) => one.name), ...Object.keys(PUBLIC_LAYERS)].join(', ')}; got ${JSON.stringify(name)}`,
      { param: 'name' },
    );
  return found;
}
