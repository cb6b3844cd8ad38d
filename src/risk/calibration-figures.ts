import type { Peril } from './assessment.ts';
import type { Calibration } from './calibration.ts';

/** Written by `node bench/calibration.ts --write`: not by hand. */
export const CALIBRATIONS: Readonly<Record<Peril, readonly Calibration[]>> = {
  flood: [],
  subsidence: [],
  wildfire: [],
  storm: [],
};
