import type { Polarisation } from '../../../raster/backscatter.ts';

/**
 * Names of OPERA RTC-S1: track and burst, acquisition, production, satellite, pixel size [m], version, layer (NASA JPL,
 * OPERA RTC-S1 product specification, D-108758).
 */
export const OPERA_RTC =
  /^(?<id>OPERA_L2_RTC-S1_T(?<orbit>\d{3})-(?<place>\d{6}-IW[1-3])_(?<taken>\d{8}T\d{6})Z_(?<made>\d{8}T\d{6})Z_(?<satellite>S1[A-D])_30_v(?<version>[\d.]+\d))(?:_(?<layer>VV|VH|HH|HV|mask|BROWSE\w*))?(?:\.\w+)?$/i;

/** What the name of a file of OPERA RTC-S1 says. Its samples are linear power of gamma-0. */
export interface RadarFileName {
  readonly id: string;
  readonly orbit: number;
  readonly place: string;
  /** yyyymmddThhmmss, UTC. */
  readonly taken: string;
  readonly rank: string;
  readonly platform: string;
  readonly part: Polarisation | 'mask';
}

/** Parses the name of a GeoTIFF of OPERA RTC-S1; undefined for other files, and for layers that are not needed. */
export function readRadarFileName(name: string): RadarFileName | undefined {
  const groups = /\.tiff?$/i.test(name) ? OPERA_RTC.exec(name)?.groups : undefined;
  const layer = groups?.['layer']?.toLowerCase();
  if (groups === undefined || (layer !== 'vv' && layer !== 'vh' && layer !== 'mask')) return undefined;
  const { id, orbit, place, taken, made, satellite, version } = groups;
  return {
    id: id!,
    orbit: Number(orbit),
    place: place!,
    taken: taken!,
    rank: `${version}_${made}`,
    platform: `sentinel-1${satellite!.slice(-1).toLowerCase()}`,
    part: layer,
  };
}
