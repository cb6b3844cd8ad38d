import { dryMapCase, floodedMapCase } from './flood-cases.ts';
import { handFloodCase } from './flood-hand-cases.ts';
import { terrainFloodCase } from './flood-terrain-cases.ts';
import type { CalibrationCheck } from './outcomes.ts';
import { openCoarsenedHand } from './real-hand-cases.ts';
import { openThinnedSeasons } from './real-cyclone-cases.ts';
import { openDutchGusts, openIrishWinds } from './real-gust-cases.ts';
import { shippedStormCase } from './shipped-storm-cases.ts';
import type { Random, SimulatedCase } from './simulated-case.ts';
import { mappedStormCase } from './storm-cases.ts';
import { otherGroundCase, soilCase, surveyedGroundCase } from './subsidence-cases.ts';
import { openThinnedFires } from './real-fire-cases.ts';
import { burnedFireCase, countedFireCase, mappedFireCase } from './wildfire-cases.ts';

const simulated =
  (make: (random: Random) => SimulatedCase): CalibrationCheck['open'] =>
  () =>
    Promise.resolve(make);

/** Highest confidence of an assessment from height above nearest drainage: src/risk/flood/flood-assessor.ts. */
const HAND_CONFIDENCE = 0.69;

/** Number of cases of a check with real data, which are few (for example a few dozen stations). */
const REAL_CASES = 4000;

/** Stratum of a flood assessment: whether, according to the assessment, water may reach the place. */
const byReach: CalibrationCheck['stratumOf'] = ({ hazardCurve }) =>
  hazardCurve.some(({ high }) => high > 0) ? 'water may reach' : 'beyond all water';

/** All checks, in order of execution; each comes after the check whose correction it uses. */
export const CHECKS: readonly CalibrationCheck[] = [
  { peril: 'flood', basis: 'map, flooded', open: simulated(floodedMapCase) },
  { peril: 'flood', basis: 'map, dry', open: simulated(dryMapCase) },
  {
    peril: 'flood',
    basis: 'hand',
    open: simulated(handFloodCase),
    highest: HAND_CONFIDENCE,
    stratumOf: byReach,
  },
  {
    peril: 'flood',
    basis: 'hand, real heights in cells two and three times as large',
    open: openCoarsenedHand,
    isOfCorrection: false,
    correctedAs: 'hand',
    highest: HAND_CONFIDENCE,
  },
  { peril: 'flood', basis: 'terrain', open: simulated(terrainFloodCase), stratumOf: byReach },
  { peril: 'storm', basis: 'map', open: simulated(mappedStormCase) },
  {
    peril: 'storm',
    basis: 'map, real Dutch records of other stations, thinned',
    open: openDutchGusts,
    isOfCorrection: false,
    correctedAs: 'map',
    cases: REAL_CASES,
  },
  {
    peril: 'storm',
    basis: 'map, real Irish records of other stations',
    open: openIrishWinds,
    isOfCorrection: false,
    correctedAs: 'map',
    cases: REAL_CASES,
  },
  {
    peril: 'storm',
    basis: 'prior',
    open: simulated(shippedStormCase),
    stratumOf: ({ hazardCurve }) => (hazardCurve.at(-1)!.damageRatio > 0.05 ? 'cyclones' : 'windstorms'),
  },
  {
    peril: 'storm',
    basis: 'prior, real seasons of three oceans thinned by half',
    open: openThinnedSeasons,
    isOfCorrection: false,
    correctedAs: 'prior',
    cases: REAL_CASES,
  },
  { peril: 'wildfire', basis: 'map', open: simulated(mappedFireCase) },
  { peril: 'wildfire', basis: 'land burned', open: simulated(burnedFireCase) },
  { peril: 'wildfire', basis: 'fires counted', open: simulated(countedFireCase) },
  {
    peril: 'wildfire',
    basis: 'fires counted, real ones of Castilla-La Mancha thinned to five of ten years',
    open: openThinnedFires,
    isOfCorrection: false,
    correctedAs: 'fires counted',
    cases: REAL_CASES,
  },
  {
    peril: 'subsidence',
    basis: 'displacement',
    open: simulated(surveyedGroundCase),
    stratumOf: ({ layers }) =>
      layers.some(({ meta }) => meta.layer === 'velocity-gradient') ? 'with gradients' : 'velocity alone',
  },
  {
    peril: 'subsidence',
    basis: 'displacement, of ground that moves otherwise',
    open: simulated(otherGroundCase),
    isOfCorrection: false,
    correctedAs: 'displacement',
  },
  { peril: 'subsidence', basis: 'soil', open: simulated(soilCase), isOfCorrection: false },
];
