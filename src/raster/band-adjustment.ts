import type { Band } from './spectral-index.ts';

/** Reflectance as the reference sensor would measure it = reflectance * slope + intercept. */
export interface BandLine {
  readonly band: Band;
  readonly slope: number;
  readonly intercept: number;
}

/** Published lines from the bands of a sensor to those of the reference sensor. */
export interface BandAdjustment {
  /** Name of the adjustment, for provenance. */
  readonly name: string;
  /** Where the lines are published. */
  readonly source: string;
  readonly lines: readonly BandLine[];
  /** Whether the line of the near infrared is that of the narrow band (B8A of Sentinel-2). */
  readonly narrowNir: boolean;
}

/** The sensor to whose bands others are adjusted: the operational land imager of Landsat 8 and 9. */
export const REFERENCE_SENSOR = 'landsat-8';

const HLS_SOURCE =
  'Claverie et al. 2018, doi:10.1016/j.rse.2018.09.002; NASA, HLS product user guide, table of bandpass adjustment';

const SENTINEL_2A: BandAdjustment = {
  name: 'hls-sentinel-2a',
  source: HLS_SOURCE,
  narrowNir: true,
  lines: [
    { band: 'green', slope: 1.0053, intercept: -0.0009 },
    { band: 'red', slope: 0.9765, intercept: 0.0009 },
    { band: 'nir', slope: 0.9983, intercept: -0.0001 },
    { band: 'swir1', slope: 0.9987, intercept: -0.0011 },
    { band: 'swir2', slope: 1.003, intercept: -0.0012 },
  ],
};
const SENTINEL_2B: BandAdjustment = {
  name: 'hls-sentinel-2b',
  source: HLS_SOURCE,
  narrowNir: true,
  lines: [
    { band: 'green', slope: 1.0075, intercept: -0.0008 },
    { band: 'red', slope: 0.9761, intercept: 0.001 },
    { band: 'nir', slope: 0.9966, intercept: 0 },
    { band: 'swir1', slope: 1, intercept: -0.0003 },
    { band: 'swir2', slope: 0.9867, intercept: 0.0004 },
  ],
};
/** Least-squares lines of surface reflectance. */
const LANDSAT_7: BandAdjustment = {
  name: 'roy-landsat-7',
  source: 'Roy et al. 2016, doi:10.1016/j.rse.2015.12.024, table 2, surface reflectance, ETM+ to OLI',
  narrowNir: false,
  lines: [
    { band: 'green', slope: 0.8483, intercept: 0.0088 },
    { band: 'red', slope: 0.9047, intercept: 0.0061 },
    { band: 'nir', slope: 0.8462, intercept: 0.0412 },
    { band: 'swir1', slope: 0.8937, intercept: 0.0254 },
    { band: 'swir2', slope: 0.9071, intercept: 0.0172 },
  ],
};
/** Landsat 8 and 9 are the reference, and HLS has been adjusted to it by its provider. */
const NONE: BandAdjustment = { name: 'none', source: 'the reference itself', narrowNir: false, lines: [] };

const ADJUSTMENTS: readonly (readonly [platform: RegExp, adjustment: BandAdjustment])[] = [
  [/^landsat[-_][89]|^hls/i, NONE],
  [/^sentinel-2a/i, SENTINEL_2A],
  [/^sentinel-2b/i, SENTINEL_2B],
  [/^landsat[-_]7/i, LANDSAT_7],
];

/** Satellites and products that can be adjusted, for messages. */
export const ADJUSTED_PLATFORMS = 'Landsat 7, 8 and 9, Sentinel-2A and 2B, and HLS';

/** The adjustment of a satellite or product to the reference sensor; undefined if none is published. */
export function bandAdjustment(platform: string): BandAdjustment | undefined {
  return ADJUSTMENTS.find(([pattern]) => pattern.test(platform))?.[1];
}
