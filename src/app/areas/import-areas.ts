import { InvalidInput } from '../../base/errors.ts';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';
import type { Owner } from '../owner.ts';
import type { Storage } from '../storage.ts';
import type { Aoi } from './aoi-store.ts';
import type { FileArea } from './area-file-reader.ts';
import { createAois } from './create-aois.ts';
import { measureArea } from './measure-area.ts';

/** Maximum length of the name of an area, as in the interface [characters]. */
const LONGEST_NAME = 200;
/** Number of areas that are created in one transaction. */
const AT_ONCE = 50;

/** A fault of an area of a file. */
export interface AreaFault {
  /** Number of the area in its file, from 1. */
  readonly number: number;
  readonly message: string;
}

/** What an import did. */
export interface ImportedAreas {
  readonly created: readonly Pick<Aoi, 'id' | 'name' | 'areaM2'>[];
  /** Areas that were left out. */
  readonly faults: readonly AreaFault[];
  /** Number of areas whose heights were dropped. */
  readonly droppedHeights: number;
}

/**
 * Creates an area of interest for each area of a file. All are checked before the first is created.
 * @param plan.title name of areas without a name, to which their number is added
 * @param plan.from number of the first area that is created, from 1
 * @param plan.skipsFaulty whether areas that cannot be used are left out
 * @throws InvalidInput that names each area that cannot be used by its number, unless they are left out and others remain
 */
export async function importAreas(
  storage: Pick<Storage, 'transaction'>,
  owner: Owner,
  areas: readonly FileArea[],
  plan: { readonly title: string; readonly from: number; readonly skipsFaulty: boolean },
  progress: (done: number, of: number) => void,
): Promise<ImportedAreas> {
  const faults: AreaFault[] = [];
  const good: { readonly number: number; readonly name: string; readonly geometry: unknown }[] = [];
  let droppedHeights = 0;
  for (const [i, area] of areas.entries()) {
    const number = i + 1;
    if (number < plan.from) continue;
    const name = area.name?.trim() || `${plan.title} ${number}`;
    const problem =
      'problem' in area
        ? area.problem
        : (nameProblem(name) ?? (await problemOf(area.geometry, owner.accountId)));
    if (problem !== undefined) faults.push({ number, message: problem });
    else if ('geometry' in area) {
      good.push({ number, name, geometry: area.geometry });
      droppedHeights += Number(area.hadHeights);
    }
  }
  if (faults.length > 0 && (!plan.skipsFaulty || good.length === 0))
    throw faulty(faults, areas.length, good.length);
  const created: Aoi[] = [];
  for (let at = 0; at < good.length; at += AT_ONCE) {
    const part = good.slice(at, at + AT_ONCE);
    try {
      const made = await storage.transaction((stores) => createAois(stores, owner, part));
      created.push(...made);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const rest = `areas ${part[0]!.number} to ${part.at(-1)!.number} were not created; ${created.length} before them were`;
      throw new InvalidInput(`${error.message} (${rest}: --from ${part[0]!.number} continues)`, {
        ...(error.param !== undefined && { param: error.param }),
        cause: error,
      });
    }
    progress(created.length, good.length);
  }
  return { created, faults, droppedHeights };
}

/** Why a name cannot be used; undefined when it can. */
function nameProblem(name: string): string | undefined {
  if (name.length > LONGEST_NAME)
    return `name: expected at most ${LONGEST_NAME} characters, got ${name.length}`;
  const hidden = hiddenCharacter(name);
  return hidden === undefined ? undefined : `name: expected ${NAME_RULE}, got ${hidden}`;
}

async function problemOf(geometry: unknown, accountId: string): Promise<string | undefined> {
  const measured = await measureArea(geometry, accountId);
  if (measured.ok) return undefined;
  const { path, message } = measured.problem;
  return path === '' ? message : `${path}: ${message}`;
}

const MOST_DETAILS = 1000; // maximum number of faults that are listed

function faulty(faults: readonly AreaFault[], of: number, good: number): InvalidInput {
  const [first] = faults;
  const wayOut = good > 0 ? '. --skip-faulty leaves them out' : '';
  return new InvalidInput(
    `${faults.length} of ${of} areas cannot be used; area ${first!.number}: ${first!.message}${wayOut}`,
    {
      param: 'file',
      details: faults.slice(0, MOST_DETAILS).map(({ number, message }) => ({
        param: `areas[${number - 1}]`,
        message: `area ${number}: ${message}`,
      })),
    },
  );
}
