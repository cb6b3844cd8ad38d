import { InvalidInput, type Problem } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { NAMED_FAULTS } from '../../contract/limits.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { type AreaGeometry, countVertices } from '../../geo/polygon.ts';
import { claim, type KeptLimits, WITHOUT_LIMITS } from '../account-use.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';
import type { Aoi } from './aoi-store.ts';
import { InsideTest } from './inside-test.ts';
import { checkedName, type NewAoi } from './manage-aois.ts';
import type { MeasuredArea } from './geometry-work.ts';
import { measureAreas } from './measure-area.ts';

/** Number of areas whose changes are looked up by one query. */
const LOOKED_UP_AT_ONCE = 100;

/** A new area whose name and geometry are valid. */
interface ValidArea {
  readonly name: string;
  readonly geometry: AreaGeometry;
  readonly bounds: Bbox;
  readonly areaM2: number;
}

/**
 * Creates several areas of interest, all or none: call it in a transaction. All are validated before any is created.
 * Changes that were found inside them earlier become visible to their owner.
 * @returns the areas in the order given
 * @throws InvalidInput that names each invalid area by its index, or the limit of the account that is reached
 */
export async function createAois(
  stores: Stores,
  owner: Owner,
  inputs: readonly NewAoi[],
  limits: KeptLimits = WITHOUT_LIMITS,
): Promise<readonly Aoi[]> {
  const { accountId, environment } = owner;
  const valid = await validAreas(inputs, accountId);
  const tests = valid.map(({ geometry }) => new InsideTest(stores, owner, geometry));
  const reveal = async (aois?: readonly Aoi[]): Promise<void> => {
    for (let from = 0; from < valid.length; from += LOOKED_UP_AT_ONCE) {
      const boxes = valid.slice(from, from + LOOKED_UP_AT_ONCE).map(({ bounds }) => bounds);
      for (const [i, changes] of await stores.changes.overlappingEach(owner, boxes)) {
        const inside = await tests[from + i]!.among(changes, aois === undefined ? accountId : undefined);
        if (aois !== undefined && inside.length > 0) await stores.changes.reveal(inside, aois[from + i]!);
      }
    }
  };
  await reveal(); // most of the work is done before the ground is locked
  await claim(stores, owner, 'areas', limits, valid.length);
  const vertices = valid.reduce((sum, { geometry }) => sum + countVertices(geometry), 0);
  await claim(stores, owner, 'vertices', limits, vertices);
  const boxes = valid.map(({ bounds }) => bounds);
  await stores.changes.lockGround(environment, boxes, 'create area');
  const aois = await stores.aois.createAll(
    valid.map((area) => ({ id: newId('aoi'), accountId, environment, ...area })),
  );
  await reveal(aois);
  return aois;
}

/** The areas with their measures. @throws InvalidInput that names each invalid one */
async function validAreas(inputs: readonly NewAoi[], accountId: string): Promise<readonly ValidArea[]> {
  const measured = await measureAreas(
    inputs.map(({ geometry }) => geometry),
    accountId,
  );
  const valid = inputs.flatMap(({ name }, i): ValidArea[] => {
    const area = measured[i]!;
    if (nameProblem(name, i) !== undefined || !area.ok) return [];
    const { geometry, bounds, areaM2 } = area;
    return [{ name: checkedName(name), geometry, bounds, areaM2 }];
  });
  if (valid.length < inputs.length) refuseAreas(problemsOf(inputs, measured), inputs.length);
  return valid;
}

/**
 * Refuses a batch of which some areas do not fit the schema, with the faults of all: those of the schema, and those of
 * the names and geometries that are there.
 * @param inputs the areas as they came
 * @param found problems of the schema, whose fields begin with `aois[INDEX]`
 * @throws InvalidInput
 */
export async function refuseMisshapen(
  inputs: readonly unknown[],
  found: readonly Problem[],
  accountId: string,
): Promise<never> {
  const given = inputs.map((input): { readonly name?: unknown; readonly geometry?: unknown } =>
    typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {},
  );
  const measured = await measureAreas(
    given.map(({ geometry }) => geometry),
    accountId,
  );
  const named = new Set(found.map(({ param }) => param));
  const others = problemsOf(given, measured).filter(({ param }) => !named.has(param));
  const all = [...found, ...others].toSorted((a, b) => indexOf(a) - indexOf(b));
  return refuseAreas(all, inputs.length);
}

/** Index of the area of a problem. */
function indexOf({ param }: Problem): number {
  return Number(/^aois\[(\d+)\]/.exec(param)?.[1] ?? -1);
}

/** Problems of the names and geometries that are there, in the order of the areas. */
function problemsOf(
  inputs: readonly { readonly name?: unknown; readonly geometry?: unknown }[],
  measured: readonly MeasuredArea[],
): readonly Problem[] {
  return inputs.flatMap(({ name, geometry }, i): Problem[] => {
    const inName = typeof name === 'string' ? nameProblem(name, i) : undefined;
    const problems = inName === undefined ? [] : [inName];
    const area = measured[i]!;
    if (geometry === undefined || area.ok) return problems;
    const { path, message } = area.problem;
    const param = `aois[${i}].geometry${path === '' ? '' : `.${path}`}`;
    return [...problems, { param, message: `${param}: ${message}` }];
  });
}

/** @throws InvalidInput */
function refuseAreas(problems: readonly Problem[], count: number): never {
  const [first] = problems;
  const faulty = new Set(problems.map(indexOf)).size;
  throw new InvalidInput(`${first!.message} (${faulty} of ${count} areas cannot be used; none was created)`, {
    param: first!.param,
    details: problems.slice(0, NAMED_FAULTS),
  });
}

function nameProblem(name: string, index: number): Problem | undefined {
  try {
    checkedName(name);
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { param: `aois[${index}].name`, message: `aois[${index}].${error.message}` };
  }
}
