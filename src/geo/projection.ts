import proj4, { type Converter } from 'proj4';
import type { Position } from './position.ts';

/**
 * A map projection to and from WGS84 longitude and latitude. Coordinates are NaN where the projection is not
 * defined.
 */
export interface Projection {
  /** Whether x and y are longitude and latitude in degrees; longitudes may exceed 180. */
  readonly isGeographic: boolean;
  toLngLat(x: number, y: number): Position;
  fromLngLat(lng: number, lat: number): readonly [x: number, y: number];
}

/** PROJ definitions, by authority code, of reference systems that files may name by the code alone. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  'EPSG:4326': '+proj=longlat +datum=WGS84 +no_defs',
  'EPSG:4979': '+proj=longlat +datum=WGS84 +no_defs',
  'OGC:CRS84': '+proj=longlat +datum=WGS84 +no_defs',
  'EPSG:4258': '+proj=longlat +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +no_defs',
  'EPSG:4269': '+proj=longlat +datum=NAD83 +no_defs',
  'EPSG:3857':
    '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +no_defs',
  'EPSG:3395': '+proj=merc +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  'EPSG:6933': '+proj=cea +lon_0=0 +lat_ts=30 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  'EPSG:3035':
    '+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs',
  'EPSG:3034':
    '+proj=lcc +lat_0=52 +lon_0=10 +lat_1=35 +lat_2=65 +x_0=4000000 +y_0=2800000 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs',
  'EPSG:3031': '+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  'EPSG:3413': '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  'EPSG:3995': '+proj=stere +lat_0=90 +lat_ts=71 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  'EPSG:5070':
    '+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 +datum=NAD83 +units=m +no_defs',
  'EPSG:2056':
    '+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=2600000 +y_0=1200000 +ellps=bessel +towgs84=674.374,15.056,405.346,0,0,0,0 +units=m +no_defs',
  'EPSG:21781':
    '+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=600000 +y_0=200000 +ellps=bessel +towgs84=674.374,15.056,405.346,0,0,0,0 +units=m +no_defs',
  'EPSG:23700':
    '+proj=somerc +lat_0=47.1443937222222 +lon_0=19.0485717777778 +k_0=0.99993 +x_0=650000 +y_0=200000 +ellps=GRS67 +towgs84=52.17,-71.82,-14.9,0,0,0,0 +units=m +no_defs',
  'EPSG:27700':
    '+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy +towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +units=m +no_defs',
  'EPSG:2154':
    '+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=49 +lat_2=44 +x_0=700000 +y_0=6600000 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs',
  'EPSG:5514':
    '+proj=krovak +lat_0=49.5 +lon_0=24.8333333333333 +alpha=30.2881397527778 +k=0.9999 +x_0=0 +y_0=0 +ellps=bessel +towgs84=570.8,85.7,462.8,4.998,1.587,5.261,3.56 +units=m +no_defs',
  'EPSG:27572':
    '+proj=lcc +lat_1=46.8 +lat_0=46.8 +lon_0=0 +k_0=0.99987742 +x_0=600000 +y_0=2200000 +a=6378249.2 +b=6356515 +towgs84=-168,-60,320,0,0,0,0 +pm=paris +units=m +no_defs',
  'EPSG:3844':
    '+proj=sterea +lat_0=46 +lon_0=25 +k=0.99975 +x_0=500000 +y_0=500000 +ellps=krass +towgs84=2.329,-147.042,-92.08,-0.309,0.325,0.497,5.69 +units=m +no_defs',
  'EPSG:28992':
    '+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565.4171,50.3319,465.5524,-0.398957,0.343988,-1.877402,4.0725 +units=m +no_defs',
};

/** Families of UTM zones: EPSG code minus zone number, first and last zone, and the rest of the PROJ definition. */
const UTM_FAMILIES: readonly (readonly [code: number, first: number, last: number, rest: string])[] = [
  [32600, 1, 60, '+datum=WGS84'],
  [32700, 1, 60, '+south +datum=WGS84'],
  [25800, 28, 38, '+ellps=GRS80 +towgs84=0,0,0,0,0,0,0'],
  [26900, 1, 23, '+datum=NAD83'],
];

/**
 * PROJ definition of a reference system by its authority code, such as `EPSG:32633`.
 * @throws RangeError for an unknown code; file readers then use the parameters in the file
 */
export function projectionDefinition(code: string): string {
  const known = DEFINITIONS[code.toUpperCase()];
  if (known !== undefined) return known;
  const number = Number(/^EPSG:(\d{5})$/i.exec(code)?.[1]);
  for (const [base, first, last, rest] of UTM_FAMILIES) {
    const zone = number - base;
    if (zone >= first && zone <= last) return `+proj=utm +zone=${zone} ${rest} +units=m +no_defs`;
  }
  throw new RangeError(
    `unknown reference system ${code}: expected a WGS84 UTM zone (EPSG:32601-32660, EPSG:32701-32760), ${Object.keys(DEFINITIONS).join(', ')}, or a PROJ definition`,
  );
}

/**
 * Whether a definition means longitude and latitude in WGS84, or in a datum so close to WGS84 (NAD83, ETRS89: under
 * 2 m) that PROJ applies no shift.
 */
function isPlainLngLat(definition: string): boolean {
  return (
    /\+proj=(longlat|latlong)\b/.test(definition) &&
    !/\+(pm|to_meter|units|axis|nadgrids)=/.test(definition) &&
    /\+(datum|ellps)=(WGS84|NAD83|GRS80)\b/.test(definition) &&
    !/\+towgs84=(?!0(,0)*(\s|$))/.test(definition)
  );
}

const LNG_LAT: Projection = {
  isGeographic: true,
  toLngLat: (x, y) => [x, y],
  fromLngLat: (lng, lat) => [lng, lat],
};

const NOWHERE = [Number.NaN, Number.NaN] as const;

function fromProj4(definition: string): Projection {
  let converter: Converter;
  try {
    converter = proj4(definition);
  } catch (error) {
    throw new RangeError(`unusable PROJ definition ${JSON.stringify(definition)}`, { cause: error });
  }
  const convert = (direction: 'forward' | 'inverse', x: number, y: number): Position => {
    try {
      const [a, b] = converter[direction]([x, y]);
      return a !== undefined && b !== undefined && Number.isFinite(a) && Number.isFinite(b)
        ? [a, b]
        : NOWHERE;
    } catch {
      return NOWHERE; // proj4js throws for coordinates that it cannot project
    }
  };
  return {
    isGeographic: /\+proj=(longlat|latlong)\b/.test(definition),
    toLngLat: (x, y) => convert('inverse', x, y),
    fromLngLat: (lng, lat) => convert('forward', lng, lat),
  };
}

const cache = new Map<string, Projection>();
/** Maximum number of cached projections: more than a service needs, but unusual files cannot exhaust the memory. */
const CACHE_SIZE = 256;

/**
 * Returns the projection for an authority code (`EPSG:32633`) or a PROJ definition (`+proj=...`).
 * @throws RangeError for an unknown code or a definition that cannot be used
 */
export function projectionOf(reference: string): Projection {
  const cached = cache.get(reference);
  if (cached !== undefined) return cached;
  const definition = reference.includes('+proj=') ? reference : projectionDefinition(reference);
  const projection = isPlainLngLat(definition) ? LNG_LAT : fromProj4(definition);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(reference, projection);
  return projection;
}
