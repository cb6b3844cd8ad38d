import { CHANGE_QUANTITIES, changeBand } from '../../app/pictures/change-raster.ts';
import { hasRaster } from '../../app/pictures/raster-file.ts';
import { valuesBand } from '../../app/pictures/scene-raster.ts';
import { footprintOf, type PlacedScene } from '../../app/pictures/search-scenes.ts';
import type { DatedCollection } from '../../app/series/collection-store.ts';
import { formatTimestamp } from '../../base/time.ts';
import { COG_TYPE, type StacItem } from '../../contract/stac/items.ts';
import { STAC_VERSION, type StacCollection, type StacLink } from '../../contract/stac/landing.ts';

export const JSON_TYPE = 'application/json';
export const GEOJSON_TYPE = 'application/geo+json';

/** Extensions of items. @see https://github.com/stac-extensions */
const PROJECTION = 'https://stac-extensions.github.io/projection/v2.0.0/schema.json';
const RASTER = 'https://stac-extensions.github.io/raster/v2.0.0/schema.json';

type Collection = PlacedScene['collection'];
type Band = ReturnType<typeof valuesBand>;

/** The description of a collection. @param host address of the service */
export function describeStacCollection(collection: DatedCollection, host: string): StacCollection {
  const { id, name, metric, bounds, simulated, firstAt, lastAt } = collection;
  const address = `${host}/stac/collections/${id}`;
  const times = [firstAt, lastAt].map((time) => time && formatTimestamp(time.getTime()));
  return {
    type: 'Collection',
    stac_version: STAC_VERSION,
    stac_extensions: [RASTER],
    id,
    title: `${name}, ${metric}`,
    description: `${simulated ? 'Simulated scenes' : 'Scenes'} of ${metric} in the collection ${name}, and the changes found in them.`,
    license: 'other',
    extent: { spatial: { bbox: [geoBox(bounds)] }, temporal: { interval: [times] } },
    summaries: {
      'groundwatch:metric': [metric],
    },
    item_assets: Object.fromEntries(
      assetsOf(collection).map(({ name, title, roles, band }) => [
        name,
        { title, type: COG_TYPE, roles, ...describeBand(band) },
      ]),
    ),
    links: [
      { href: address, rel: 'self', type: JSON_TYPE, title: 'This collection' },
      { href: `${host}/stac`, rel: 'root', type: JSON_TYPE, title: 'Groundwatch' },
      { href: `${host}/stac`, rel: 'parent', type: JSON_TYPE, title: 'Groundwatch' },
      { href: `${address}/items`, rel: 'items', type: GEOJSON_TYPE, title: 'The scenes' },
    ],
  };
}

/** A scene as an item, without its links to other documents of the page. @param host address of the service */
export function describeStacItem({ scene, collection }: PlacedScene, host: string): StacItem {
  const { id, name, metric, unit, bounds, grid, simulated } = collection;
  const parent = `${host}/stac/collections/${id}`;
  const address = `${parent}/items/${scene.id}`;
  const { width, height, transform } = grid;
  return {
    type: 'Feature',
    stac_version: STAC_VERSION,
    stac_extensions: [PROJECTION, RASTER],
    id: scene.id,
    collection: id,
    geometry: footprintOf(collection),
    bbox: geoBox(bounds),
    properties: {
      datetime: formatTimestamp(scene.observedAt.getTime()),
      title: `${name}, ${metric}, ${scene.key}`,
      'proj:code': hasRaster(grid) ? grid.crs : null,
      'proj:shape': [height, width],
      // In the order of rasterio: x by column, x by row, x, y by column, y by row, y.
      'proj:transform': [1, 2, 0, 4, 5, 3].map((i) => transform[i]!),
      'groundwatch:collection': name,
      'groundwatch:metric': metric,
      'groundwatch:unit': unit,
      'groundwatch:scene': scene.key,
      'groundwatch:source': scene.href,
      'groundwatch:sha256': scene.sha256,
      'groundwatch:clear_fraction': scene.clearFraction,
      ...(simulated && { 'groundwatch:simulated': true }),
    },
    assets: Object.fromEntries(
      assetsOf(collection).map(({ name, path, title, roles, band }) => [
        name,
        {
          href: `${address}/${path}`,
          title,
          type: COG_TYPE,
          roles,
          ...describeBand(band),
        },
      ]),
    ),
    links: [
      { href: address, rel: 'self', type: GEOJSON_TYPE },
      { href: `${host}/stac`, rel: 'root', type: JSON_TYPE },
      { href: parent, rel: 'parent', type: JSON_TYPE },
      { href: parent, rel: 'collection', type: JSON_TYPE },
      { href: `${host}/v1/tiles/scenes/${scene.id}`, rel: 'tilejson', type: JSON_TYPE, title: 'Its tiles' },
    ],
  };
}

interface Asset {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly roles: readonly string[];
  readonly band: Band;
}

function assetsOf(collection: Collection): readonly Asset[] {
  if (!hasRaster(collection.grid)) return [];
  const { metric } = collection;
  return [
    {
      name: 'values',
      path: 'values.tif',
      title: `Samples of ${metric}`,
      roles: ['data'],
      band: valuesBand(collection),
    },
    ...CHANGE_QUANTITIES.map((quantity) => ({
      name: quantity.name,
      path: `changes/${quantity.name}.tif`,
      title: quantity.title,
      roles: ['data', 'changes'],
      band: changeBand(collection, quantity),
    })),
  ];
}

function describeBand({ sample, nodata, scale, offset, unit }: Band): Record<string, unknown> {
  return {
    data_type: sample,
    nodata: Number.isNaN(nodata) ? 'nan' : nodata,
    unit,
    ...((scale !== 1 || offset !== 0) && { 'raster:scale': scale, 'raster:offset': offset }),
  };
}

/** A box as in GeoJSON: east is less than west where it crosses the antimeridian. */
function geoBox([west, south, east, north]: readonly [number, number, number, number]): number[] {
  return [west, south, east > 180 ? east - 360 : east, north];
}

/** The link to the next page of a GET, which has the same parameters and a cursor. */
export function nextByGet(address: string, query: URLSearchParams, cursor: string, type: string): StacLink {
  const next = new URLSearchParams(query);
  next.set('cursor', cursor);
  return { href: `${address}?${next.toString()}`, rel: 'next', type, method: 'GET' };
}
