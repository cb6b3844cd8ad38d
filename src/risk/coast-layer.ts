import type { Reason } from './assessment.ts';

/**
 * Distance off the mapped shore [km] up to which a point does not count as open sea, because it may be on an
 * island or a quay. The coast layer has cells of 4.6 km, and land in a cell is at most half a diagonal from the
 * centre of the cell.
 */
export const SHORE_TOLERANCE_KM = 3.5;

/**
 * Reason for a point beyond the mapped shore. The coast layer lacks many islets, so it cannot tell them from open sea.
 */
export const NO_LAND_MAPPED: Reason = {
  code: 'unmapped',
  message:
    'no land is mapped here: open sea, or an islet that the coast layer lacks; this is the prior for any place',
};

/** Distance inland at which the coast layer ends [km]. */
export const COAST_LAYER_REACH_KM = 79;
