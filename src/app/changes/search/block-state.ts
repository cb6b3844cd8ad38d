import type { SavedState, StateStore, UnitStore } from './saved-state.ts';
import { readPart } from './saved-part.ts';
import { type Phase, unitName } from './block.ts';

/** Part of a saved state with the place of the states of the strips. A state without it has them as parts of its own. */
export const UNITS_PART = 'units';

/** Where the states of the strips are: the units of a search. */
export interface UnitsOfState {
  readonly search: string;
  /** Number of strips in a block of that search. */
  readonly blockStrips: number;
}

/** Maximum number of units whose files stay open. Strips are read in order, so few are in use at a time. */
const MOST_OPEN = 8;

/**
 * Opens the state that a search saved with a cube, as a whole or block by block. A state whose units were deleted
 * meanwhile fails when they are read.
 */
export async function openSearchState(
  cubes: StateStore & UnitStore,
  cubeId: string,
): Promise<SavedState | undefined> {
  const head = await cubes.openState(cubeId);
  if (head === undefined) return undefined;
  const told = await readPart(head, UNITS_PART).catch(() => undefined);
  if (told === undefined) return head;
  const { search, blockStrips } = JSON.parse(new TextDecoder().decode(told)) as UnitsOfState;
  const open = new Map<string, Promise<SavedState | undefined>>();
  const close = async (unit: string): Promise<void> => {
    const state = open.get(unit);
    open.delete(unit);
    await (await state?.catch(() => undefined))?.close();
  };
  return {
    heading: head.heading,
    async part(name) {
      const [kind, , strip] = name.split(' ');
      if (strip === undefined) return await head.part(name);
      const unit = unitName(kind as Phase, Math.floor(Number(strip) / blockStrips));
      if (!open.has(unit) && open.size >= MOST_OPEN) await close(open.keys().next().value!);
      const state = open.get(unit) ?? cubes.openUnit(cubeId, search, unit);
      open.set(unit, state);
      const opened = await state;
      if (opened === undefined) throw new RangeError(`the saved state has lost its unit ${unit}`);
      return await opened.part(name);
    },
    async close() {
      for (const unit of Array.from(open.keys())) await close(unit);
      await head.close();
    },
  };
}
