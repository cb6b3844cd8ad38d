import { words } from '../format.ts';

/** What the colours of a metric tell, for somebody who does not know its name. */
const METRIC_NAMES: Readonly<Record<string, string>> = {
  ndvi: 'Vegetation (ndvi)',
  evi: 'Vegetation (evi)',
  nbr: 'Burnt ground (nbr)',
  mndwi: 'Open water (mndwi)',
  ndwi: 'Open water (ndwi)',
  ndmi: 'Moisture of plants (ndmi)',
  ndbi: 'Buildings (ndbi)',
  displacement: 'Motion of the ground',
  displacement_up: 'Height of the ground',
  displacement_east: 'Eastward motion of the ground',
  displacement_north: 'Northward motion of the ground',
  vv: 'Radar (vv)',
  vh: 'Radar (vh)',
};

/** Name of a metric for somebody who does not know its key. */
export function metricName(metric: string): string {
  const [, radar, orbit] = /^(vv|vh)_orbit_(\d+)$/.exec(metric) ?? [];
  if (radar !== undefined) return `Radar (${radar}, orbit ${orbit})`;
  return METRIC_NAMES[metric] ?? words(metric);
}
