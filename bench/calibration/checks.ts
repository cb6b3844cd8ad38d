import { dryMapCase, floodedMapCase } from './flood-cases.ts';
import { handFloodCase } from './flood-hand-cases.ts';
import { terrainFloodCase } from './flood-terrain-cases.ts';
import type { CalibrationCheck } from './outcomes.ts';
import { openCoarsenedHand } from './real-hand-cases.ts';
import { openThinnedSeasons } from './real-cyclone-cases.ts';
import { openDutchGusts, openIrishWinds } from './real-gust-cases.ts';
import { openThinnedFires } from './real-fire-cases.ts';
import { shippedStormCase } from './shipped-storm-cases.ts';
import type { Random, SimulatedCase } from './simulated-case.ts';
import { mappedStormCase } from './storm-cases.ts';
import { otherGroundCase, surveyedGroundCase } from './subsidence-cases.ts';
import { climateFireCase } from './fire-climate-cases.ts';
import { burnedFireCase, countedFireCase, mappedFireCase } from './wildfire-cases.ts';

/** Number of cases of a check with real data, which are few (for example a few dozen stations). */
const REAL_CASES = 4000;
const SIMULATED_CASES = 5000;

/** Name of a check within the model. */
const withinName = (basis: string): string => `within the model: ${basis}`;

/**
 * A check within one class of model: the truth is drawn from the model of the answers. It shows that the intervals of
 * the hazard curve follow from the spreads that the model states. Confidences need not hold here, since they also hold
 * doubt about the model.
 */
const within = (
  peril: CalibrationCheck['peril'],
  basis: string,
  make: (random: Random) => SimulatedCase,
): CalibrationCheck => ({
  peril,
  basis: withinName(basis),
  open: () => Promise.resolve(make),
  cases: SIMULATED_CASES,
});

/** Checks beside the worlds: within one class of model, and on real layers and records, thinned or coarsened. */
export const CHECKS: readonly CalibrationCheck[] = [
  within('flood', 'map, flooded', floodedMapCase),
  within('flood', 'map, dry', dryMapCase),
  within('flood', 'hand', handFloodCase),
  {
    peril: 'flood',
    basis: 'hand, real heights in cells two and three times as large',
    beside: withinName('hand'),
    open: openCoarsenedHand,
    cases: REAL_CASES,
  },
  within('flood', 'terrain', terrainFloodCase),
  { ...within('storm', 'map', mappedStormCase), cases: 4 * SIMULATED_CASES },
  {
    peril: 'storm',
    basis: 'map, real Dutch records of other stations, thinned',
    beside: withinName('map'),
    open: openDutchGusts,
    cases: REAL_CASES,
  },
  {
    peril: 'storm',
    basis: 'map, real Irish records of other stations',
    beside: withinName('map'),
    open: openIrishWinds,
    cases: REAL_CASES,
  },
  within('storm', 'climate', shippedStormCase),
  {
    peril: 'storm',
    basis: 'climate, real seasons of three oceans thinned by half',
    beside: withinName('climate'),
    open: openThinnedSeasons,
    cases: REAL_CASES,
  },
  within('wildfire', 'climate', climateFireCase),
  within('wildfire', 'map', mappedFireCase),
  within('wildfire', 'land burned', burnedFireCase),
  within('wildfire', 'fires counted', countedFireCase),
  {
    peril: 'wildfire',
    basis: 'fires counted, real ones of Castilla-La Mancha thinned to five of ten years',
    beside: withinName('fires counted'),
    open: openThinnedFires,
    cases: REAL_CASES,
  },
  within('subsidence', 'displacement', surveyedGroundCase),
  {
    ...within('subsidence', 'displacement', otherGroundCase),
    basis: 'displacement, of ground that moves otherwise',
  },
];
