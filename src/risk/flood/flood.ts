import type { RiskModel } from '../assessment.ts';
import { FloodAssessor } from './flood-assessor.ts';
import { FLOOD_EVIDENCE } from './flood-evidence.ts';

/**
 * Model of floods from the sea and from rivers: from depth maps where they have values, elsewhere from heights
 * and distances.
 */
export const floodModel: RiskModel = {
  peril: 'flood',
  modelVersion: 'flood-v0.4.0',
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
    'sea-level',
    'sea-level-error',
    'river-stage',
    'river-stage-error',
    'extreme-rain',
  ],
  evidence: FLOOD_EVIDENCE,
  method:
    'Depth maps of rivers and sea by return period, linear in its logarithm, less what defences hold; where none reaches, ' +
    'sea levels and river stages, from gauges near by or priors, against height above drainage, elevation and distance, ' +
    'with a prior of defences by country and of rain by climate. JRC residential ' +
    'depth-damage curves with beta spread; expected annual damage; quasi-random draws of what is uncertain.',
  citations: [
    'Huizinga, de Moel & Szewczyk 2017, doi:10.2760/16510',
    'Nobre et al. 2011, doi:10.1016/j.jhydrol.2011.03.051',
    'Muis et al. 2016, doi:10.1038/ncomms11969',
    'Vafeidis et al. 2019, doi:10.5194/nhess-19-973-2019',
    'Scussolini et al. 2016, doi:10.5194/nhess-16-1049-2016',
    'Paprotny, Terefenko & Sledziowski 2024, doi:10.5194/essd-16-5145-2024',
    'Andreadis, Schumann & Pavelsky 2013, doi:10.1002/wrcr.20440',
    'Martins & Stedinger 2000, doi:10.1029/1999WR900330',
  ],
  limits: [
    'With the shipped layers, mean annual damage over reported: geometric mean 3.5 in 18 countries, 9 within a factor of 3, 15 within 10 (docs/methods/closure.md).',
    'With a flood map and no protection layer: undefended, dikes, barriers and pumps are ignored. Without maps: defences are a prior by country.',
    'Without a flood map: heights from 9 km cells cannot tell one street from another, and extreme sea level and river stage are priors.',
    'With one: rain floods and streams that it leaves out are left out; events rarer than its last return period count as that one.',
    'River and sea floods at a point are taken as one event: the deeper counts.',
  ],
  prepare: (cards) => new FloodAssessor(cards),
};
