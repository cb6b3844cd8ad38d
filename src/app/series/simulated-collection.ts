import { InvalidInput } from '../../base/errors.ts';
import type { Collection } from './collection-store.ts';

/**
 * Makes sure that the collections with one name contain only observed data or only simulated data.
 * @param members the existing collections with this name
 * @param simulated whether the new data are simulated
 * @throws InvalidInput when the existing collections are of the other kind
 */
export function refuseMixing(
  name: string,
  members: readonly Pick<Collection, 'simulated'>[],
  simulated: true | undefined,
): void {
  if (members.every((member) => member.simulated === simulated)) return;
  throw new InvalidInput(
    simulated
      ? `The sandbox has a collection ${name} of its users: remove it, so that the simulated region can be made`
      : `The collection ${name} belongs to the simulated region; expected another --collection`,
    { param: 'collection' },
  );
}
