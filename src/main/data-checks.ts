import type { CheckFinding, InstallationCheck } from '../cli/installation-check.ts';
import { allCubesOf } from '../app/series/colour-cube.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';

const MAX_NAMED = 3; // maximum number of problems that a finding lists; it states the number of the others

type Open = () => Promise<Pick<DiagnosisDeps, 'deps'>>;

export const layersCheck = (open: Open): InstallationCheck => ({
  part: 'layers',
  needs: 'database',
  remedy: 'groundwatch layers check names the damaged ones; layers add --replace installs one again',
  async look() {
    const { deps } = await open();
    const damaged: string[] = [];
    let count = 0;
    for await (const { path, problem } of deps.shelf.check()) {
      count++;
      if (problem !== null) damaged.push(`${path}: ${problem}`);
    }
    return intact(count, 'files', damaged, 'layers remove, then layers add again');
  },
});

export const cataloguesCheck = (open: Open): InstallationCheck => ({
  part: 'standing feeds',
  needs: 'database',
  remedy: 'groundwatch feeds list names the failing ones',
  async look() {
    const { catalogues } = (await open()).deps.storage;
    const followed = await catalogues.list();
    const failing: string[] = [];
    for (const catalogue of followed)
      for (const { aoi, problem } of await catalogues.areas(catalogue))
        if (problem !== null) failing.push(`${catalogue.name}, ${aoi.id}: ${problem}`);
    if (failing.length === 0) return { status: 'ok', found: `${followed.length} catalogues are followed` };
    return {
      status: 'warn',
      found: `${failing.length} areas could not be served: ${failing.slice(0, MAX_NAMED).join('; ')}`,
      remedy: 'groundwatch feeds list names all; each is tried again within the hour',
    };
  },
});

export const cubesCheck = (open: Open): InstallationCheck => ({
  part: 'cubes',
  needs: 'database',
  remedy: 'groundwatch collections check says more',
  async look() {
    const { deps } = await open();
    const damaged: string[] = [];
    const collections = await deps.storage.collections.list();
    for (const { id, name, metric } of collections)
      for (const cubeId of await allCubesOf(deps.cube, id))
        for (const damage of await deps.cube.check(cubeId)) damaged.push(`${name} (${metric}): ${damage}`);
    return intact(
      collections.length,
      'collections',
      damaged,
      'groundwatch collections repair drops what is damaged; then ingest its scenes again',
    );
  },
});

/**
 * Returns the finding of a check of stored data: `ok` when nothing is damaged, else `fail` with the first descriptions.
 * @param count number of parts that were checked
 * @param damaged one description per damaged part
 */
function intact(
  count: number,
  noun: string,
  damaged: readonly string[],
  remedy: string,
): Omit<CheckFinding, 'part'> {
  if (damaged.length === 0) return { status: 'ok', found: `${count} ${noun}, every byte as written` };
  const more = damaged.length - MAX_NAMED;
  return {
    status: 'fail',
    found: `${damaged.slice(0, MAX_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
    remedy,
  };
}
