import { InvalidInput } from '../../base/errors.ts';
import type { Collection } from './collection-store.ts';

/**
 * Keeps observed and simulated series out of one collection: all metrics of a name are of one kind.
 * @param members what the name holds
 * @throws InvalidInput when they are of the other kind
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
