import type { FastifyReply } from 'fastify';
import { changeCard } from '../../app/changes/change-card.ts';
import { assessPlace, assessPlaces, partOf } from '../../app/risk/assess-risk.ts';
import {
  calibrationOf,
  type CalibrationSummary,
  evidenceOf,
  type EvidenceSummary,
  layersServing,
  listModels,
} from '../../app/risk/list-models.ts';
import type { Calibration } from '../../app/risk/list-models.ts';
import type { LayerCard } from '../../app/risk/layer-reader.ts';
import * as contract from '../../contract/risk.ts';
import { placesOf, ScannedPlaces, scanPlaces } from './location-scanner.ts';
import { placesText, resultsText, riskText } from './risk-text.ts';
import { route, type RouteContext } from '../route.ts';
import { LOCATIONS_PER_UNIT } from '../../contract/limits.ts';

/** Number of locations above which a batch is computed in a turn of its own. */
const LARGE_BATCH = 100;
/** Number of explained places that are computed in one turn of a batch: about 10 ms. */
const EXPLAINED = 100;

export function riskRoutes(context: RouteContext): void {
  const { deps, limits, takeTurn, writeAnswer } = context;
  route(context, contract.assessRisk, ({ principal, query, request, reply }) => {
    const place = assessPlace(deps.layers.snapshot(principal.environment), query, query.explain ?? false);
    writeAnswer(request, reply, riskText(place));
  });
  route(
    context,
    contract.assessRiskBatch,
    ({ principal, query, body, request, reply }) => {
      const places = body instanceof ScannedPlaces ? body : placesOf(body.locations);
      const units = Math.ceil(places.perils.length / LOCATIONS_PER_UNIT);
      const answer = async (): Promise<FastifyReply> => {
        const explained = query.explain ?? false;
        const count = places.perils.length;
        const snapshot = deps.layers.snapshot(principal.environment);
        const step = explained ? EXPLAINED : count;
        const texts: string[] = [];
        for (let at = 0; at < count; at += step) {
          if (count > LARGE_BATCH) await takeTurn(request);
          texts.push(placesText(assessPlaces(snapshot, partOf(places, at, at + step), explained)));
        }
        writeAnswer(request, reply, resultsText(texts));
        return reply;
      };
      const raised = limits.raise(principal, units, reply);
      return raised instanceof Promise ? raised.then(answer) : answer();
    },
    scanPlaces,
  );
  route(context, contract.listModels, async ({ storage, principal }) => ({
    models: listModels().map((model) => ({
      peril: model.peril,
      model_version: model.modelVersion,
      method: model.method,
      layers: model.layers,
      layer_versions: layersServing(deps.layers.snapshot(principal.environment), model).map(presentLayer),
      citations: model.citations,
      limits: model.limits,
      evidence: evidenceOf(model).map(presentEvidence),
      calibration: presentCalibration(calibrationOf(model)),
    })),
    change: await changeCard(storage, principal),
  }));
}

function presentLayer({ layer, version, unit, returnPeriodYears, resolutionM, date, licence }: LayerCard) {
  return {
    layer,
    version,
    unit,
    return_period_years: returnPeriodYears,
    resolution_m: resolutionM,
    date,
    licence,
  };
}

function presentEvidence({ name, class: of, layers, bits, cases }: EvidenceSummary) {
  return {
    class: of,
    name,
    layers,
    bits: bits.map(([logM, value]) => ({ resolution_m: Math.round(10 ** logM), bits: value })),
    cases,
  };
}

function presentRanges({ rangeMisses: [below, above], crossValidated: of }: Calibration) {
  return {
    range_misses: { below, above },
    cross_validated:
      of === null
        ? null
        : {
            blocks: of.blocks,
            ece: of.ece,
            range_coverage_90: of.rangeCoverage90,
            range_misses: { below: of.rangeMisses[0], above: of.rangeMisses[1] },
          },
  };
}

function presentCalibration(summary: CalibrationSummary) {
  const { status, ece, coverage90, cases, notCalibratedFor, checks, note } = summary;
  return {
    status,
    ece,
    coverage_90: coverage90,
    cases,
    not_calibrated_for: notCalibratedFor,
    checks: checks.map((check) => ({
      basis: check.basis,
      cases: check.cases,
      ece: check.ece,
      raw_ece: check.rawEce,
      coverage_90: check.coverage90,
      range_coverage_90: check.rangeCoverage90,
      reliability: check.reliability.map(([stated, held]) => [stated, held]),
      ...presentRanges(check),
    })),
    note,
  };
}
