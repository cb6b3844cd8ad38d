import { words } from '../format.ts';

/** Names of the types of change, in the words of the titles of incidents (src/incident/phenomena.ts). */
const CHANGE_NAMES: Readonly<Record<string, string>> = {
  vegetation_gain: 'New vegetation',
  conversion: 'Change of land use',
  burn: 'Burnt ground',
  water_gain: 'New water',
  water_loss: 'Loss of water',
  built_up: 'New buildings',
  ground_subsidence: 'Sinking ground',
  ground_uplift: 'Rising ground',
};

/** Name of a type of change for somebody who does not know its key: `Burnt ground`, `Vegetation loss`. */
export function changeName(type: string): string {
  return CHANGE_NAMES[type] ?? words(type);
}
