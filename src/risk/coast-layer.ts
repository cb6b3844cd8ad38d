/**
 * Points off the coast but nearer than this to the mapped shore may be an island or a quay, not open sea [km]: the
 * coast layer has cells of 4.6 km, and no land lies farther than half their diagonal from a cell centre.
 */
export const SHORE_TOLERANCE_KM = 3.5;

/** The coast layer ends this far inland [km]. */
export const COAST_LAYER_REACH_KM = 79;
