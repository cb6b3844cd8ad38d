import type { RiskModel } from '../../risk/assessment.ts';
import { calibrationsOf, informationOf } from '../../risk/calibration.ts';
import type { Calibration, Information } from '../../risk/calibration-record.ts';
import { RISK_MODELS } from '../../risk/models.ts';
import type { LayerCard, LayerSnapshot } from './layer-reader.ts';

/** All risk models, in the order of the perils. */
export function listModels(): readonly RiskModel[] {
  return Object.values(RISK_MODELS);
}

/** Returns the perils whose risk model reads the given layer. */
export function perilsReading(layer: string): readonly string[] {
  return listModels()
    .filter((model) => model.layers.includes(layer))
    .map((model) => model.peril);
}

/** Returns the layer versions of a snapshot that a model reads, in the order of the model's list of layers. */
export function layersServing(snapshot: LayerSnapshot, { layers }: RiskModel): readonly LayerCard[] {
  return layers.flatMap((layer) => snapshot.cards(layer));
}

/** A kind of evidence that a model can use, with its information; `bits` is empty if it was not measured. */
export interface EvidenceSummary extends Information {
  readonly layers: readonly string[];
}

/** Returns the kinds of evidence of a model, in ascending order. */
export function evidenceOf({ peril, evidence }: RiskModel): readonly EvidenceSummary[] {
  return evidence.map(({ class: of, name, layers, besides = [] }) => {
    const measured = informationOf(peril).find((information) => information.name === name);
    const { bits = [], cases = 0 } = measured ?? {};
    return { class: of, name, layers: [...layers, ...besides], bits, cases };
  });
}

export type { Calibration };

/** Summary of the calibration of a model's confidences. */
export interface CalibrationSummary {
  readonly status: 'calibrated' | 'uncalibrated';
  /** Expected calibration error of the worst calibration check; null if there are no checks. */
  readonly ece: number | null;
  /** Coverage of 90 % intervals in the check whose coverage is farthest from 0.9; null if there are no checks. */
  readonly coverage90: number | null;
  readonly cases: number;
  /** Bases of the checks in which the confidence does not hold: its error, or the cross-validated one, passes 0.05. */
  readonly notCalibratedFor: readonly string[];
  readonly checks: readonly Calibration[];
  readonly note: string;
}

/** Largest calibration error at which a confidence is called calibrated [1]: half of a bin of the error. */
const HOLDS_WITHIN = 0.05;

const UNCHECKED =
  'The confidence is the spread of the model’s own prediction; it is not checked against cases with known truth.';

const CHECKED =
  'Simulated places whose truth is drawn from more than one class of model; all kinds of evidence see the same places. As many other ' +
  'places made the distributions of the true score, from which confidence and range both follow, as gave these figures; cross-validated ' +
  'ones are of distributions fitted without the block of places judged. Checks called within draw the truth from the ' +
  'model of the answers alone; checks called real take thinned or coarsened real data. To neither a distribution was fitted, and the ' +
  'confidence holds in those only that are not listed as not calibrated. A name after ' +
  'a colon is a stratum. The simulated worlds are ours: they show that confidence means the same between kinds of evidence, not that ' +
  'the real world has these shares. No claims data were used.';

/** Returns the calibration shown on the card of a model. A model that is not calibrated yet has no figures. */
export function calibrationOf({ peril }: RiskModel): CalibrationSummary {
  const checks = calibrationsOf(peril);
  if (checks.length === 0)
    return {
      status: 'uncalibrated',
      ece: null,
      coverage90: null,
      cases: 0,
      notCalibratedFor: [],
      checks,
      note: UNCHECKED,
    };
  const coverages = checks.flatMap(({ coverage90 }) => (coverage90 === null ? [] : [coverage90]));
  return {
    status: 'calibrated',
    ece: Math.max(...checks.map((check) => check.ece)),
    coverage90: farthestFrom90(coverages),
    cases: checks.reduce((sum, check) => sum + (check.partOf === undefined ? check.cases : 0), 0),
    notCalibratedFor: checks
      .filter(({ ece, crossValidated }) => Math.max(ece, crossValidated?.ece ?? 0) > HOLDS_WITHIN)
      .map(({ basis }) => basis),
    checks,
    note: CHECKED,
  };
}

function farthestFrom90(coverages: readonly number[]): number | null {
  if (coverages.length === 0) return null;
  return coverages.reduce((a, b) => (Math.abs(b - 0.9) > Math.abs(a - 0.9) ? b : a));
}
