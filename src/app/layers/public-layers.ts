import { type Bbox, splitBbox } from '../../geo/bbox.ts';
import { InvalidInput } from '../../base/errors.ts';

/** A public map that can be installed by name: the addresses of its tiles and the values of its card. */
export interface PublicLayer {
  /** Description for the command line help. */
  readonly meaning: string;
  readonly layer: string;
  readonly version: string;
  /** Reference day of the content. */
  readonly date: string;
  readonly licence: string;
  readonly source: string;
  /** Base address of the tiles. The address of a mirror may replace it. */
  readonly base: string;
  /** Return periods [years]; null for a map that is not a hazard map. */
  readonly returnPeriods: readonly (number | null)[];
  /** Path below `base` of a file that lists the tiles. Present when tile names cannot be derived from positions. */
  readonly index?: string;
  /** Returns the paths below `base` of the tiles that a box overlaps. `index` is the parsed index file. */
  readonly tiles: (bounds: Bbox, returnPeriod: number | null, index: unknown) => readonly string[];
}

const JRC_RETURN_PERIODS = [10, 20, 50, 75, 100, 200, 500]; // return periods of the flood maps of the JRC [years]

/** Public maps by name. Tile layouts follow the documentation of the providers. */
export const PUBLIC_LAYERS: Readonly<Record<string, PublicLayer>> = {
  'copernicus-dem-30': {
    meaning: 'Copernicus DEM GLO-30: elevation, 1 arc-second',
    layer: 'elevation',
    version: 'copernicus-glo30',
    date: '2015-01-31', // end of the TanDEM-X acquisitions
    licence: 'Copernicus DEM licence (free, with attribution)',
    source: 'Copernicus DEM GLO-30, DLR and Airbus, provided under COPERNICUS by the European Union and ESA',
    base: 'https://copernicus-dem-30m.s3.amazonaws.com/',
    returnPeriods: [null],
    tiles: (bounds) =>
      degreeTiles(bounds, 1).map((place) => folderTile(`Copernicus_DSM_COG_10_${place}_DEM`)),
  },
  'copernicus-dem-90': {
    meaning: 'Copernicus DEM GLO-90: elevation, 3 arc-seconds',
    layer: 'elevation',
    version: 'copernicus-glo90',
    date: '2015-01-31', // end of the TanDEM-X acquisitions
    licence: 'Copernicus DEM licence (free, with attribution)',
    source: 'Copernicus DEM GLO-90, DLR and Airbus, provided under COPERNICUS by the European Union and ESA',
    base: 'https://copernicus-dem-90m.s3.amazonaws.com/',
    returnPeriods: [null],
    tiles: (bounds) =>
      degreeTiles(bounds, 1).map((place) => folderTile(`Copernicus_DSM_COG_30_${place}_DEM`)),
  },
  'glo-30-hand': {
    meaning: 'Height above nearest drainage from Copernicus GLO-30, 1 arc-second',
    layer: 'hand',
    version: 'glo30-hand-2021',
    date: '2015-01-31', // date of the DEM that the map is derived from
    licence: 'CC0-1.0',
    source: 'GLO-30 HAND, Alaska Satellite Facility, from the Copernicus DEM',
    base: 'https://glo-30-hand.s3.amazonaws.com/v1/2021/',
    returnPeriods: [null],
    tiles: (bounds) => degreeTiles(bounds, 1).map((place) => `Copernicus_DSM_COG_10_${place}_HAND.tif`),
  },
  worldcover: {
    meaning: 'ESA WorldCover 2021: land cover, 10 m',
    layer: 'land-cover',
    version: 'worldcover-v200',
    date: '2021-12-31',
    licence: 'CC BY 4.0',
    source: 'ESA WorldCover 10 m 2021 v200, contains modified Copernicus Sentinel data (2021)',
    base: 'https://esa-worldcover.s3.eu-central-1.amazonaws.com/v200/2021/map/',
    returnPeriods: [null],
    tiles: (bounds) =>
      degreeTiles(bounds, 3).map(
        (place) => `ESA_WorldCover_10m_2021_v200_${place.replaceAll('_00', '').replace('_', '')}_Map.tif`,
      ),
  },
  'jrc-flood': {
    meaning: 'JRC global river flood depths, 3 arc-seconds, 10 to 500 years',
    layer: 'flood-depth',
    version: 'jrc-glofas-2.1',
    date: '2024-02-01',
    licence: 'CC BY 4.0',
    source: 'Baugh et al. (2024), Global river flood hazard maps, European Commission, Joint Research Centre',
    base: 'https://jeodpp.jrc.ec.europa.eu/ftp/jrc-opendata/CEMS-GLOFAS/flood_hazard/',
    returnPeriods: JRC_RETURN_PERIODS,
    index: 'tile_extents.geojson',
    tiles: (bounds, years, index) =>
      listedTiles(index, bounds).map(({ id, name }) => `RP${years}/ID${id}_${name}_RP${years}_depth.tif`),
  },
};

/** Finds a public map by its name. @throws InvalidInput that lists the known names */
export function publicLayer(name: string): PublicLayer {
  if (Object.hasOwn(PUBLIC_LAYERS, name)) return PUBLIC_LAYERS[name]!;
  throw new InvalidInput(
    `NAME: expected one of ${Object.keys(PUBLIC_LAYERS).join(', ')}; got ${JSON.stringify(name)}`,
    { param: 'name' },
  );
}

function folderTile(name: string): string {
  return `${name}/${name}.tif`;
}

/**
 * Returns the names of the tiles that a box overlaps. A tile is named after its south-western corner:
 * `N47_00_E008_00`.
 * @param step tile size [degrees]
 */
export function degreeTiles(bounds: Bbox, step: number): readonly string[] {
  const places: string[] = [];
  for (const [west, south, east, north] of splitBbox(bounds)) {
    // A tile that only touches the edge of the box is not needed.
    for (let lat = Math.floor(south / step) * step; lat < north; lat += step) {
      for (let lng = Math.floor(west / step) * step; lng < east; lng += step) {
        const vertical = `${lat < 0 ? 'S' : 'N'}${String(Math.abs(lat)).padStart(2, '0')}`;
        const horizontal = `${lng < 0 ? 'W' : 'E'}${String(Math.abs(lng)).padStart(3, '0')}`;
        places.push(`${vertical}_00_${horizontal}_00`);
      }
    }
  }
  return places;
}

/**
 * Returns the tiles of an index whose bounds overlap a box.
 * @throws InvalidInput when the index is not a GeoJSON feature collection
 */
function listedTiles(
  index: unknown,
  bounds: Bbox,
): readonly { readonly id: number; readonly name: string }[] {
  const features = (index as { features?: unknown } | null)?.features;
  if (!Array.isArray(features)) throw new InvalidInput('the list of tiles is no GeoJSON feature collection');
  const found = [];
  for (const feature of features as readonly ListedTile[]) {
    const { id, name } = feature.properties ?? {};
    const ring = feature.geometry?.coordinates?.flat(feature.geometry.type === 'MultiPolygon' ? 2 : 1);
    if (typeof id !== 'number' || typeof name !== 'string' || !/^[\w-]+$/.test(name) || ring === undefined)
      continue;
    const positions = ring as readonly (readonly [number, number])[];
    const lngs = positions.map(([lng]) => lng);
    const lats = positions.map(([, lat]) => lat);
    const touches = splitBbox(bounds).some(
      ([west, south, east, north]) =>
        Math.min(...lngs) < east &&
        Math.max(...lngs) > west &&
        Math.min(...lats) < north &&
        Math.max(...lats) > south,
    );
    if (touches) found.push({ id, name });
  }
  return found;
}

interface ListedTile {
  readonly properties?: { readonly id?: unknown; readonly name?: unknown };
  readonly geometry?: { readonly type: string; readonly coordinates?: readonly unknown[] };
}
