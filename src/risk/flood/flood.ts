import type { RiskModel } from '../assessment.ts';
import { FloodAssessor } from './flood-assessor.ts';
import { FLOOD_EVIDENCE } from './flood-evidence.ts';

/**
 * Model of floods from the sea and from rivers: from depth maps where they have values, elsewhere from heights
 * and distances.
 */
export const floodModel: RiskModel = {
  peril: 'flood',
  modelVersion: 'flood-v0.7.0',
  layers: [
    'flood-depth',
    'coastal-flood-depth',
    'flood-protection',
    'permanent-water',
    'hand',
    'upstream-area',
    'elevation',
    'coast-distance',
    'water-distance',
    'major-river-distance',
    'height-above-water',
    'country',
    'settled-height',
    'settled-bank',
    'settled-major-bank',
    'coast-level',
    'coast-level-error',
    'sea-level',
    'sea-level-error',
    'river-stage',
    'river-stage-error',
    'extreme-rain',
    'lake-distance',
  ],
  evidence: FLOOD_EVIDENCE,
  method:
    'Depth maps of rivers and sea by return period, linear in its logarithm, less what defences hold; where none reaches, ' +
    'sea levels by coast and river stages, from gauges or priors, against the heights at which towns stand, height above drainage, elevation and distance, ' +
    'with a prior of defences by country and of rain by climate. JRC residential ' +
    'depth-damage curves with beta spread; expected annual damage; quasi-random draws of what is uncertain.',
  citations: [
    'Huizinga, de Moel & Szewczyk 2017, doi:10.2760/16510',
    'Nobre et al. 2011, doi:10.1016/j.jhydrol.2011.03.051',
    'Muis et al. 2016, doi:10.1038/ncomms11969',
    'Vafeidis et al. 2019, doi:10.5194/nhess-19-973-2019',
    'Scussolini et al. 2016, doi:10.5194/nhess-16-1049-2016',
    'Paprotny, Terefenko & Sledziowski 2024, doi:10.5194/essd-16-5145-2024',
    'Rasmussen et al. 2018, doi:10.1088/1748-9326/aaac87',
    'Hart-Davis, Dettmering & Seitz 2025, doi:10.17882/109129',
    'Lun et al. 2021, doi:10.5194/hess-25-5535-2021',
    'Andreadis, Schumann & Pavelsky 2013, doi:10.1002/wrcr.20440',
    'Martins & Stedinger 2000, doi:10.1029/1999WR900330',
  ],
  limits: [
    'With the shipped layers, mean annual damage over reported: geometric mean 0.85 in 18 countries, 16 within a factor of 3, all within 10 (docs/methods/closure.md).',
    'With a flood map and no protection layer: undefended, dikes, barriers and pumps are ignored. Without maps: defences are a prior by country.',
    'Without a flood map: heights from 9 km cells and towns near by cannot tell one street from another; sea levels are those of the coast, river stages priors.',
    'With one: rain floods and streams that it leaves out are left out; events rarer than its last return period count as that one.',
    'River and sea floods at a point are taken as one event: the deeper counts.',
  ],
  prepare: (cards) => new FloodAssessor(cards),
};
