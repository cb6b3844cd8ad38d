import type { Assessor, LayerMeta, RiskModel } from './assessment.ts';
import { explainPrior, priorAssessment, usedLayers } from './prior.ts';

/** Prior expected annual damage ratio of a building to ground movement [1/yr]: score 0.2, where nothing is known (ours). */
const PRIOR_ANNUAL_DAMAGE = 0.0001;

const PRIOR = priorAssessment(PRIOR_ANNUAL_DAMAGE);

/** Subsidence: no displacement or soil layer ships, so every place has the prior with confidence 0. */
export const subsidenceModel: RiskModel = {
  peril: 'subsidence',
  modelVersion: 'subsidence-v0.1.0',
  layers: [],
  method: 'A documented prior with confidence 0: no hazard layer is modelled yet.',
  citations: [],
  limits: ['Knows nothing of the place: the score is the same everywhere and carries no confidence.'],
  prepare(cards: readonly LayerMeta[]): Assessor {
    return {
      assess: () => PRIOR,
      explain: (readings) =>
        explainPrior(PRIOR, 'angular distortion [1]', usedLayers(cards, readings), [
          { code: 'prior', message: 'no ground movement is modelled yet: this is the prior for any place' },
        ]),
    };
  },
};
