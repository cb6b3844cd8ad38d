import type { Peril } from '../contract/fields.ts';

/** Metrics whose anomalies speak for a peril, by their keys (lower case). A metric may speak for several. */
export const METRIC_PERILS: Readonly<Record<Peril, readonly string[]>> = {
  flood: ['precipitation', 'precipitation_30d', 'river_flow', 'river_level', 'mndwi', 'ndwi'],
  wildfire: ['fwi', 'nbr', 'ndvi', 'evi', 'moisture', 'ndmi'],
  storm: ['gust', 'wind', 'pressure'],
  subsidence: ['displacement_rate', 'displacement'],
};

/** Metrics to watch for a peril. */
export function metricsForPeril(peril: Peril): readonly string[] {
  return METRIC_PERILS[peril];
}
