import { type AssessedRisk, assessRisks } from '../app/assess-risk.ts';
import { calibrationOf, type CalibrationSummary, listModels } from '../app/list-models.ts';
import * as contract from '../contract/risk.ts';
import { route, type RouteContext } from './route.ts';

const LOCATIONS_PER_UNIT = 50; // contract.md "Rate limits"

export function riskRoutes(context: RouteContext): void {
  const { deps, limits } = context;
  route(context, contract.assessRisk, async ({ query }) => {
    const { explain = false, ...location } = query;
    const [risk] = await assessRisks(deps.layers, [location], explain);
    return { ...present(risk!), model_version: risk!.modelVersion };
  });
  route(context, contract.assessRiskBatch, async ({ principal, query, body, reply }) => {
    limits.raise(principal, Math.ceil(body.locations.length / LOCATIONS_PER_UNIT), reply);
    const risks = await assessRisks(deps.layers, body.locations, query.explain ?? false);
    return { results: risks.map(present) };
  });
  route(context, contract.listModels, () => ({
    models: listModels().map((model) => ({
      peril: model.peril,
      model_version: model.modelVersion,
      method: model.method,
      layers: model.layers,
      citations: model.citations,
      limits: model.limits,
      calibration: presentCalibration(calibrationOf(model)),
    })),
  }));
}

function presentCalibration({ status, ece, coverage90, cases, checks, note }: CalibrationSummary) {
  return {
    status,
    ece,
    coverage_90: coverage90,
    cases,
    checks: checks.map((check) => ({
      basis: check.basis,
      cases: check.cases,
      ece: check.ece,
      raw_ece: check.rawEce,
      coverage_90: check.coverage90,
    })),
    note,
  };
}

function present({ riskScore, confidence, explanation }: AssessedRisk) {
  return {
    risk_score: riskScore,
    confidence,
    ...(explanation !== undefined && {
      explain: {
        expected_annual_damage_ratio: explanation.expectedAnnualDamageRatio,
        intensity: explanation.intensity,
        hazard_curve: explanation.hazardCurve.map((point) => ({
          return_period_years: point.returnPeriodYears,
          intensity: point.intensity,
          low: point.low,
          high: point.high,
          damage_ratio: point.damageRatio,
        })),
        layers: explanation.layers.map(({ meta, value }) => ({
          layer: meta.layer,
          version: meta.version,
          return_period_years: meta.returnPeriodYears,
          resolution_m: meta.resolutionM,
          date: meta.date,
          licence: meta.licence,
          source: meta.source,
          value,
        })),
        reasons: explanation.reasons,
        simulated: false,
      },
    }),
  };
}
