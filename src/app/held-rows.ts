import type { IdKind } from '../base/ids.ts';
import type { Owner } from './owner.ts';

/** Kinds of resources that an owner changes or deletes by their id. */
export const HELD_KINDS = [
  'aoi',
  'client',
  'key',
  'member',
  'subscription',
  'watch',
  'webhook',
] as const satisfies readonly IdKind[];
export type HeldKind = (typeof HELD_KINDS)[number];

/** Rows that a transaction keeps as they are while it decides what to do with them. */
export interface HeldRows {
  /**
   * Keeps others from changing or deleting a row of the owner until the transaction ends. Waits for a change in
   * progress. Does nothing when there is no such row.
   */
  hold(owner: Owner, kind: HeldKind, id: string): Promise<void>;
}
