import type { RiskModel } from '../assessment.ts';
import { StormAssessor } from './storm-assessor.ts';
import { STORM_EVIDENCE } from './storm-evidence.ts';

/** Wind of tropical cyclones and of extratropical storms. */
export const stormModel: RiskModel = {
  peril: 'storm',
  modelVersion: 'storm-v0.3.0',
  layers: ['coast-distance', 'gust', 'sea-wind', 'cyclone-wind', 'cyclone-count'],
  evidence: STORM_EVIDENCE,
  method:
    'Return levels of cyclone winds (best tracks, Holland fields, pooled over neighbouring tracks) with Emanuel damage by ' +
    'region, and of windstorm gusts (installed gust maps, else a sea climate fading to an inland prior) with Schwierz damage; ' +
    'both annual damages add.',
  citations: [
    'Holland 2008, doi:10.1175/2008MWR2395.1',
    'Holland, Belanger & Fritz 2010, doi:10.1175/2010MWR3119.1',
    'Emanuel 2011, doi:10.1175/WCAS-D-11-00007.1',
    'Eberenz, Lüthi & Bresch 2021, doi:10.5194/nhess-21-393-2021',
    'Schwierz et al. 2010, doi:10.1007/s10584-009-9712-1',
    'Harper, Kepert & Ginger 2010, WMO/TD-No. 1555',
  ],
  limits: [
    'Cyclones ship for the Atlantic basin only; other basins need a layer derived from their best tracks, and without one ' +
      'their coasts are given the prior, with confidence 0.',
    'Forty-six years of tracks: levels beyond 100 years lean on pooling storms within some 200 km.',
    'Winds are those over open water or flat country: hills, towns and forests are not seen.',
    'Without a gust layer, inland gusts are one prior for every continent.',
    'Tornadoes and downbursts are one small constant for every place; hail is left out.',
  ],
  prepare: (cards) => new StormAssessor(cards),
};
