// groundwatch/risk: the models of the four perils and their building blocks, usable in Node and in browsers.
export * from './assessment.ts';
export { type ArrayLayer, assessPlace, type PlaceAssessment } from './array-layers.ts';
export { LAYER_KINDS, type LayerKind } from './layer-kinds.ts';
export { RISK_MODELS } from './models.ts';
export { riskScore } from './score.ts';
export { confidenceOf } from './confidence.ts';
export { annualDamageWeights, expectedAnnualDamage } from './expected-annual-damage.ts';

// Extreme values
export { sampleLMoments, type LMoments } from '../numerics/l-moments.ts';
export { type Gev, gevCdf, gevFromLMoments, gevQuantile, gevReturnLevel } from '../numerics/gev.ts';
export { gevByMaximumLikelihood, type GevLikelihoodFit } from '../numerics/gev-likelihood.ts';

// Flood
export { type Continent, continentOf } from './regions.ts';
export {
  DEPTH_DAMAGE_DEPTHS_M,
  type DepthDamageCurve,
  floodDamageRatio,
  residentialDepthDamageCurve,
} from './flood/depth-damage.ts';

// Storm
export {
  cycloneDamageRatio,
  CYCLONE_THRESHOLD_MPS,
  type CycloneRegion,
  CYCLONE_HALF_DAMAGE_MPS,
} from './storm/emanuel.ts';
export { windstormDamageRatio } from './storm/schwierz.ts';
export {
  hollandB,
  hollandBFromMaxWind,
  hollandMaxWind,
  hollandWind,
  maxWindRadiusKm,
} from './storm/holland.ts';
export {
  interpolateTrack,
  type TrackFix,
  type TrackState,
  windsFromPressure,
} from './storm/cyclone-track.ts';
export { cycloneRegionOf } from './storm/cyclone-region.ts';
export { type CycloneWindField, cycloneWindField } from './storm/cyclone-wind.ts';

// Wildfire: the Canadian Fire Weather Index System
export type { FireDanger, FireWeather, MoistureCodes } from './wildfire/fire-weather/fire-weather.ts';
export { SPRING_CODES } from './wildfire/fire-weather/fire-weather.ts';
export type { FwiVariant } from './wildfire/fire-weather/fwi-variant.ts';
export { fineFuelMoistureCode } from './wildfire/fire-weather/fine-fuel-moisture-code.ts';
export { duffMoistureCode } from './wildfire/fire-weather/duff-moisture-code.ts';
export { droughtCode } from './wildfire/fire-weather/drought-code.ts';
export { initialSpreadIndex } from './wildfire/fire-weather/initial-spread-index.ts';
export { buildupIndex } from './wildfire/fire-weather/buildup-index.ts';
export { dailySeverityRating, fireWeatherIndex } from './wildfire/fire-weather/fire-weather-index.ts';
export {
  CLOSED_SEASON,
  GLOBAL_FIRE_WEATHER,
  nextSeasonDay,
  type SeasonRule,
  WOTTON_FLANNIGAN,
} from './wildfire/fire-weather/fire-season.ts';
export { nextFireDanger } from './wildfire/fire-weather/next-fire-danger.ts';
export { overwinteredDroughtCode } from './wildfire/fire-weather/overwintering.ts';

// Subsidence
export {
  type DisplacementFit,
  type DisplacementFitOptions,
  type DisplacementSeries,
  type DisplacementStep,
  type Estimate,
  fitDisplacement,
} from './subsidence/displacement-series.ts';
