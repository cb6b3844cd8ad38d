import type { Peril } from '../../contract/fields.ts';

/** Perils that the anomalies of a metric indicate, by the side of the expected value on which its values are. */
export interface PerilsBySide {
  readonly above: readonly Peril[];
  readonly below: readonly Peril[];
}

const NO_PERIL: PerilsBySide = { above: [], below: [] };

/** The perils of both sides, each once. */
export function perilsOf({ above, below }: PerilsBySide): readonly Peril[] {
  return [...new Set([...above, ...below])];
}

function whenHigh(peril: Peril): PerilsBySide {
  return { above: [peril], below: [] };
}

function whenLow(peril: Peril): PerilsBySide {
  return { above: [], below: [peril] };
}

/** Description of a metric, as listed by the API. */
export interface MetricCard {
  readonly key: string;
  readonly unit: string;
  /** Minimum and maximum valid value; empty if the metric has no bounds. */
  readonly range: readonly number[];
  readonly period: string;
  readonly source: string;
  readonly perils: PerilsBySide;
  /** Source metrics from which this metric is derived after their ingest; empty if this metric is never derived. */
  readonly derivedFrom: readonly string[];
  /**
   * Maximum distance from a place to a station whose values are used for it [m] (our choice: short for metrics that
   * vary locally).
   */
  readonly reachM: number;
}

/** Default properties of spectral indices from satellite images, which need a clear sky. */
const INDEX = {
  unit: '1',
  range: [-1, 1],
  period: 'each clear acquisition',
  perils: NO_PERIL,
  derivedFrom: [],
  reachM: 1000,
} as const;
const WEATHER = { period: 'each observation', perils: NO_PERIL, derivedFrom: [], reachM: 50_000 } as const;
const MOTION = {
  unit: 'mm',
  range: [],
  period: 'each acquisition',
  // Both sides: up and away from the satellite have either sign, and rising ground damages buildings too.
  perils: { above: ['subsidence'], below: ['subsidence'] },
  derivedFrom: [],
  reachM: 1000,
} as const;

/** The built-in metrics. Their ranges include the world records (WMO archive of extremes) with a margin. */
export const KNOWN_METRICS: readonly MetricCard[] = [
  {
    ...INDEX,
    key: 'ndvi',
    source:
      'Normalised difference of near infrared and red reflectance (Rouse et al. 1974), from ingested imagery',
    perils: whenLow('wildfire'),
  },
  {
    ...INDEX,
    key: 'moisture',
    source:
      'Normalised difference moisture index of near and short-wave infrared reflectance (Gao 1996), from ingested imagery',
    perils: whenLow('wildfire'),
    derivedFrom: ['ndmi'],
  },
  {
    ...INDEX,
    key: 'nbr',
    source: 'Normalised burn ratio (Key & Benson 2006), from ingested imagery',
    perils: whenLow('wildfire'),
  },
  {
    ...INDEX,
    key: 'mndwi',
    source: 'Modified normalised difference water index (Xu 2006), from ingested imagery',
    perils: whenHigh('flood'),
  },
  {
    ...INDEX,
    key: 'ndbi',
    source: 'Normalised difference built-up index (Zha et al. 2003), from ingested imagery',
  },
  {
    ...INDEX,
    key: 'evi',
    source: 'Enhanced vegetation index (Huete et al. 2002), from ingested imagery',
    perils: whenLow('wildfire'),
  },
  { ...INDEX, key: 'ndmi', source: 'The same as moisture, by its other name', perils: whenLow('wildfire') },
  {
    ...INDEX,
    key: 'ndwi',
    source:
      'Normalised difference water index of green and near infrared (McFeeters 1996), from ingested imagery',
    perils: whenHigh('flood'),
  },
  {
    ...INDEX,
    key: 'vv',
    unit: 'dB',
    range: [-60, 30],
    period: 'each acquisition',
    source: 'Radar backscatter, sent and received vertically, from ingested imagery',
  },
  {
    ...INDEX,
    key: 'vh',
    unit: 'dB',
    range: [-60, 30],
    period: 'each acquisition',
    source: 'Radar backscatter, sent vertically and received horizontally, from ingested imagery',
  },
  {
    ...INDEX,
    key: 'veg_anom',
    unit: '%',
    range: [0, 100],
    source:
      'Loss of vegetation cover below its lowest value at the same time of year in the years before, from ingested granules of OPERA DIST-ALERT-HLS (VEG-ANOM)',
  },
  {
    ...MOTION,
    key: 'displacement',
    source: 'Displacement along the line of sight or upward, from ingested InSAR or GNSS',
  },
  {
    ...MOTION,
    key: 'displacement_up',
    source: 'Displacement upward, from ingested GNSS or decomposed InSAR',
  },
  {
    ...MOTION,
    key: 'displacement_east',
    source: 'Displacement to the east, from ingested GNSS or decomposed InSAR',
    reachM: 5000,
  },
  {
    ...MOTION,
    key: 'displacement_north',
    source: 'Displacement to the north, from ingested GNSS',
    reachM: 5000,
  },
  {
    ...MOTION,
    key: 'displacement_rate',
    unit: 'mm/yr',
    period: 'each month',
    source: 'Robust rate of displacement over the two years before',
    derivedFrom: ['displacement', 'displacement_up'],
  },
  {
    ...WEATHER,
    key: 'precipitation',
    unit: 'mm',
    range: [0, 10_000],
    source: 'Sum over the time since the observation before, from ingested gauges, radar or reanalysis',
    perils: whenHigh('flood'),
    reachM: 25_000,
  },
  {
    ...WEATHER,
    key: 'precipitation_30d',
    unit: 'mm',
    range: [0, 10_000],
    period: 'each day',
    source: 'Sum of precipitation over 30 days',
    // A month without rain dries out what can burn.
    perils: { above: ['flood'], below: ['wildfire'] },
    derivedFrom: ['precipitation'],
    reachM: 25_000,
  },
  ...[3, 12].map((months) => ({
    ...WEATHER,
    key: `spi_${months}`,
    unit: '1',
    range: [-6, 6],
    period: 'each month',
    source: `Standardised precipitation index of ${months} months (McKee, Doesken & Kleist 1993), against the same months of all years`,
    derivedFrom: ['precipitation'],
    reachM: 25_000,
  })),
  {
    ...WEATHER,
    key: 'river_flow',
    unit: 'm3/s',
    range: [0, 400_000],
    source: 'Discharge, from ingested gauges',
    perils: whenHigh('flood'),
    reachM: 5000,
  },
  {
    ...WEATHER,
    key: 'river_level',
    unit: 'm',
    range: [-500, 6000],
    source: 'Height of the water above the datum of its gauge, from ingested gauges',
    perils: whenHigh('flood'),
    reachM: 5000,
  },
  {
    ...WEATHER,
    key: 'soil_moisture',
    unit: '1',
    range: [0, 1],
    source: 'Volume of water in a volume of soil, from ingested probes or reanalysis',
    reachM: 10_000,
  },
  {
    ...WEATHER,
    key: 'snow_depth',
    unit: 'm',
    range: [0, 50],
    source: 'Depth of the snow that lies, from ingested stations or reanalysis',
    reachM: 25_000,
  },
  {
    ...WEATHER,
    key: 'temperature',
    unit: 'C',
    range: [-95, 65],
    source: 'Air temperature two metres above ground, from ingested stations or reanalysis',
    perils: whenHigh('wildfire'),
  },
  {
    ...WEATHER,
    key: 'humidity',
    unit: '%',
    range: [0, 100],
    source: 'Relative humidity two metres above ground, from ingested stations or reanalysis',
    perils: whenLow('wildfire'),
  },
  {
    ...WEATHER,
    key: 'wind',
    unit: 'm/s',
    range: [0, 150],
    source: 'Wind speed ten metres above ground, from ingested stations or reanalysis',
    perils: whenHigh('storm'),
  },
  {
    ...WEATHER,
    key: 'gust',
    unit: 'm/s',
    range: [0, 150],
    source: 'Greatest gust since the observation before, from ingested stations or reanalysis',
    perils: whenHigh('storm'),
  },
  {
    ...WEATHER,
    key: 'pressure',
    unit: 'hPa',
    range: [300, 1100],
    source: 'Air pressure, from ingested stations or reanalysis',
    perils: whenLow('storm'),
    reachM: 100_000,
  },
  {
    ...WEATHER,
    key: 'fwi',
    unit: '1',
    range: [0, 500],
    period: 'each day',
    source: 'Fire Weather Index (Van Wagner 1987) of the weather at noon',
    perils: whenHigh('wildfire'),
    derivedFrom: ['temperature', 'humidity', 'wind', 'precipitation'],
    reachM: 25_000,
  },
];
