import type { RiskModel } from '../assessment.ts';
import { StormAssessor } from './storm-assessor.ts';
import { STORM_EVIDENCE } from './storm-evidence.ts';

/** Wind of tropical cyclones and of extratropical storms. */
export const stormModel: RiskModel = {
  peril: 'storm',
  modelVersion: 'storm-v0.7.0',
  layers: [
    'coast-distance',
    'gust',
    'inland-gust',
    'sea-wind',
    'cyclone-wind',
    'cyclone-count',
    'country',
    'lake-distance',
    'permanent-water',
  ],
  evidence: STORM_EVIDENCE,
  method:
    'Return levels of cyclone winds (best tracks of all basins, Holland fields, pooled over neighbouring tracks, Pareto ' +
    'tail) with Emanuel damage by region in two calibrations, and of windstorm gusts (installed gust maps, else a sea ' +
    'climate fading to the gust of the climate zone) with Schwierz damage; both annual damages add.',
  citations: [
    'Holland 2008, doi:10.1175/2008MWR2395.1',
    'Holland, Belanger & Fritz 2010, doi:10.1175/2010MWR3119.1',
    'Emanuel 2011, doi:10.1175/WCAS-D-11-00007.1',
    'Eberenz, Lüthi & Bresch 2021, doi:10.5194/nhess-21-393-2021',
    'Willoughby, Darling & Rahn 2006, doi:10.1175/MWR3106.1',
    'Kaplan & DeMaria 1995, Journal of Applied Meteorology 34, 2499-2512',
    'Hosking & Wallis 1987, doi:10.1080/00401706.1987.10488243',
    'Schwierz et al. 2010, doi:10.1007/s10584-009-9712-1',
    'Harper, Kepert & Ginger 2010, WMO/TD-No. 1555',
  ],
  limits: [
    'With the shipped layers, mean annual cyclone damage over reported: geometric mean 1.2 in 10 regions, 8 within a factor of 3, all within 10 (docs/methods/closure.md).',
    'Forty-five years of six-hourly tracks: levels beyond 20 years lean on a tail fitted to storms within some 200 km, and ' +
      'peaks at landfall between two fixes are lost.',
    'Two published calibrations of cyclone damage disagree by up to twenty times (Philippines): the answer is the mean of both.',
    'Winds are those over open water or flat country, weaker inland of the track: hills, towns and forests are not seen.',
    'Without a gust layer, inland gusts are those of building codes for the climate zone, not of the place.',
    'Tornadoes and downbursts are one small constant for every place; hail is left out.',
  ],
  prepare: (cards) => new StormAssessor(cards),
};
