import type { Peril, RiskModel } from './assessment.ts';
import { floodModel } from './flood/flood.ts';
import { stormModel } from './storm/storm.ts';

import { subsidenceModel } from './subsidence/subsidence.ts';
import { wildfireModel } from './wildfire/wildfire.ts';

/** The model of each peril. To add a peril, add its model file and an entry here. */
export const RISK_MODELS: Readonly<Record<Peril, RiskModel>> = {
  flood: floodModel,
  subsidence: subsidenceModel,
  wildfire: wildfireModel,
  storm: stormModel,
};
