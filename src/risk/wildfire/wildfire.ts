import { type Basis, basisOf, conclude, concludeInFull } from '../conclusion.ts';
import { EvidenceLadder } from '../evidence.ts';
import type { EvidenceKind } from '../evidence-kind.ts';
import type { Assessment, Assessor, Explanation, LayerMeta, LayerReading, RiskModel } from '../assessment.ts';
import { mappedDangerExceedance } from './fire-climate.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { mayBeLand } from '../shores.ts';
import { wildfireCurve, wildfireDamage } from './wildfire-damage.ts';
import {
  type FireEvidence,
  FireLayers,
  hasRecord,
  isKnown,
  isMapped,
  yearRatiosAt,
} from './wildfire-evidence.ts';

/**
 * Prior expected annual damage ratio of a building by wildfire [1/yr], where nothing is known: score 0.2 (our
 * choice).
 */
const PRIOR = priorAssessment(0.0001);

const INTENSITY = 'mean Daily Severity Rating of the fire season of a year [1]';

const OF_CLIMATE = basisOf('wildfire', 'climate');
const OF_COVER = basisOf('wildfire', 'land cover');
const OF_MAP = basisOf('wildfire', 'map');
const OF_BURNED_LAND = basisOf('wildfire', 'land burned');
const OF_COUNT = basisOf('wildfire', 'fires counted');

const EVIDENCE: readonly EvidenceKind[] = [
  { class: 'regional', name: 'climate', layers: ['fire-climate'] },
  { class: 'terrain', name: 'land cover', layers: ['land-cover'] },
  { class: 'map', name: 'fire danger', layers: ['fire-danger', 'fire-severity'] },
  {
    class: 'fine',
    name: 'fire danger and fine land cover',
    layers: ['land-cover'],
    besides: ['fire-danger', 'fire-severity'],
    withinM: 100,
  },
  { class: 'measured', name: 'land burned', layers: ['burn-history'] },
  { class: 'measured', name: 'fires counted', layers: ['fire-frequency'] },
];

class WildfireAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #layers: FireLayers;
  readonly #ladder: EvidenceLadder;

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#ladder = new EvidenceLadder('wildfire', EVIDENCE, cards);
    this.#layers = new FireLayers(cards);
  }

  assess(readings: readonly LayerReading[]): Assessment {
    const seen = this.#layers.look(readings);
    if (!isKnown(seen) || !mayBeLand(this.#layers.ground(readings, seen))) return PRIOR;
    const { mean, draws } = wildfireDamage(seen);
    return conclude(basisAt(seen), mean, draws);
  }

  explain(readings: readonly LayerReading[]): Explanation {
    const layers = usedLayers(this.#cards, readings);
    const seen = this.#layers.look(readings);
    const ground = this.#layers.ground(readings, seen);
    if (!mayBeLand(ground))
      return explainPrior(PRIOR, INTENSITY, layers, [this.#layers.waterReason(readings, seen, ground)]);
    if (!isKnown(seen)) return explainPrior(PRIOR, INTENSITY, layers, this.#layers.absence(readings, seen));
    const { curve } = seen;
    const { mean, draws } = wildfireDamage(seen);
    return {
      ...concludeInFull(basisAt(seen), mean, draws, this.#ladder, readings),
      intensity: INTENSITY,
      hazardCurve: wildfireCurve(seen, yearRatiosAt(seen), seen.hasYears),
      layers,
      reasons: this.#layers.reasons(readings, seen),
      ...(curve.count > 0 && { exceedance: mappedDangerExceedance(curve) }),
    };
  }
}

function basisAt(seen: FireEvidence): Basis {
  if (Number.isFinite(seen.fireFrequency)) return OF_COUNT;
  if (hasRecord(seen)) return OF_BURNED_LAND;
  if (Number.isFinite(seen.severity)) return OF_MAP;
  return isMapped(seen) ? OF_COVER : OF_CLIMATE;
}

/**
 * Model of wildfire: how often a place burns, from danger, fuel, slope and history, and the damage that a fire
 * causes to a building.
 */
export const wildfireModel: RiskModel = {
  peril: 'wildfire',
  modelVersion: 'wildfire-v0.7.0',
  layers: [
    'coast-distance',
    'fire-climate',
    'fire-climate-loss',
    'fire-climate-severity',
    'fire-danger',
    'fire-severity',
    'land-cover',
    'slope',
    'burn-history',
    'fire-frequency',
    'fire-record-years',
    'lake-distance',
    'permanent-water',
  ],
  evidence: EVIDENCE,
  method:
    'Burn probability 1 - exp(-rate): the rate of the climate and country, lower where people are many, log-linear in ' +
    'seasonal severity (Fire Weather Index climatology), fuel by land cover and slope, updated by the fires before; times ' +
    'the conditional loss by fuel and climate; confidence from quasi-random draws of what is uncertain.',
  citations: [
    'GWIS (European Commission, JRC) by way of Our World in Data: burned land of countries 2012-2023 (level)',
    'Knorr et al. 2014, doi:10.5194/bg-11-1085-2014 (people)',
    'Alexandre et al. 2015, doi:10.1071/WF13197; Archibald et al. 2013, doi:10.1073/pnas.1211466110 (loss)',
    'Boer et al. 2020, doi:10.1038/s41558-020-0716-1 (temperate Australia)',
    'Van Wagner & Pickett 1985, Forestry Technical Report 33 (Fire Weather Index System, coefficient 147.27723; 147.2 on request)',
    'DaCamara 2024, doi:10.3390/cli12090143 (danger)',
    'Oliveira, Pereira & Carreiras 2012, doi:10.1071/WF10131 (level without a climate)',
    'Nunes et al. 2005, doi:10.1007/s10980-005-0070-8 (land cover)',
    'Barros & Pereira 2014, doi:10.1371/journal.pone.0084760 (land cover)',
    'Carmo et al. 2011, Landscape and Urban Planning 100, 169-176 (land cover, slope)',
  ],
  limits: [
    'With the shipped layers, mean annual damage over published: 0.7 in the United States, the only figure (docs/methods/closure.md).',
    'By the layers that ship, places differ by climate zone, country and people only: dry and wet, wooded and farmed parts of a ' +
      'zone in one country are alike, such as the east and west of the USA.',
    'Shipped heights have cells of 9 km, from which no slope is made.',
    'Ranking of the fires of 2004-2007 in Castilla-La Mancha by a fit to 1998-2003, area under the curve with its 90 % interval: ' +
      'land use and slope 0.51 (0.48 to 0.54), hardly better than chance; with the land burned before 0.74 (0.70 to 0.77), ' +
      'with the number of fires before 0.77 (0.73 to 0.80), and that month by month 0.79 (0.75 to 0.81).',
    'The effect of danger is taken from Portugal, not fitted; the severity usual in a climate is a judgement.',
    'Losses by fuel and climate are judgements; the land around the point, defensible space and fire brigades are ignored.',
  ],
  prepare: (cards) => new WildfireAssessor(cards),
};
