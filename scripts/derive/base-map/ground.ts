import { createRequire } from 'node:module';
import { join } from 'node:path';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { innerPoint } from './inner-point.ts';
import { type Path, readColumn, readPaths, ringContains, signedArea } from '../shapefile.ts';
import type { TileLayer } from './tiles.ts';

/**
 * Layers of Natural Earth at 1:10 million: land without its lakes, borders of countries, borders of their regions,
 * rivers, and names of countries. @param folder the folder with its shapefiles
 */
export function groundLayers(folder: string): readonly TileLayer[] {
  const file = (name: string): string => join(folder, `ne_10m_${name}`);
  return [
    { name: 'land', features: land(file('land')) },
    { name: 'borders', features: borders() },
    {
      name: 'regions',
      features: lines(file('admin_1_states_provinces_lines'), () => ({}), 'scalerank').filter(
        ({ from }) => from <= 5,
      ),
    },
    {
      name: 'rivers',
      features: lines(file('rivers_lake_centerlines'), ({ name, scalerank }) => ({
        rank: Math.round(Number(scalerank)),
        ...(name && { name }),
      })).map((line) => ({ ...line, from: Math.min(6, Math.max(2, Number(line.properties['rank']) - 1)) })),
    },
    { name: 'countries', features: countryNames() },
  ];
}

function land(file: string): TileLayer['features'] {
  const byRecord = Map.groupBy(readPaths(`${file}.shp`), ({ record }) => record);
  return [...byRecord.values()].flatMap((paths) =>
    polygonsOf(paths).map((coordinates) => ({
      geometry: { type: 'Polygon' as const, coordinates },
      properties: {},
      from: 0,
    })),
  );
}

/** Outer rings of a shapefile are clockwise; each hole belongs to the smallest outer ring around it. */
function polygonsOf(paths: readonly Path[]): GeoJSON.Position[][][] {
  const outers = paths.filter(({ coordinates }) => signedArea(coordinates) <= 0);
  const polygons = outers.map(({ coordinates }) => [positions(coordinates)]);
  for (const { coordinates } of paths) {
    if (signedArea(coordinates) <= 0) continue;
    const around = outers.findIndex((outer) =>
      ringContains(outer.coordinates, coordinates[0]!, coordinates[1]!),
    );
    if (around >= 0) polygons[around]!.push(positions(coordinates));
  }
  return polygons;
}

function lines(
  file: string,
  describe: (record: Readonly<Record<string, string>>) => GeoJSON.GeoJsonProperties,
  rank?: string,
): (TileLayer['features'][number] & { properties: Record<string, unknown> })[] {
  const columns = ['featurecla', 'name', 'scalerank'].map(
    (name) => [name, column(`${file}.dbf`, name)] as const,
  );
  return readPaths(`${file}.shp`).map(({ coordinates, record }) => {
    const row = Object.fromEntries(columns.map(([name, values]) => [name, values[record] ?? '']));
    return {
      geometry: { type: 'LineString' as const, coordinates: positions(coordinates) },
      properties: describe(row) ?? {},
      from: rank === undefined ? 0 : Math.max(3, Number(row[rank]) - 1),
    };
  });
}

/** A column of a table as UTF-8; empty values when the table does not have it under this name in any case. */
function column(file: string, name: string): readonly string[] {
  for (const spelt of [name, name.toUpperCase()]) {
    try {
      return readColumn(file, spelt).map((text) => Buffer.from(text, 'latin1').toString('utf8'));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return [];
}

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }> }>;

function readAtlas(scale: string): Atlas {
  return createRequire(import.meta.url)(`world-atlas/countries-${scale}.json`) as Atlas;
}

/** Lines between two countries, without coasts. */
function borders(): TileLayer['features'] {
  const atlas = readAtlas('10m');
  return mesh(atlas, atlas.objects.countries, (a, b) => a !== b).coordinates.map((coordinates) => ({
    geometry: { type: 'LineString' as const, coordinates },
    properties: {},
    from: 0,
  }));
}

function countryNames(): TileLayer['features'] {
  const atlas = readAtlas('50m');
  return feature(atlas, atlas.objects.countries).features.flatMap(({ properties: { name }, geometry }) => {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') return [];
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    const sizes = polygons.map(([outer]) => size(outer!));
    const largest = Math.max(...sizes);
    const at = innerPoint({ type: 'Polygon', coordinates: polygons[sizes.indexOf(largest)]! });
    if (at === undefined) return [];
    // From about 2 million km2 a name fits at zoom 1, and at each further zoom of a country of a quarter of that.
    const from = Math.min(5, Math.max(1, Math.ceil(1 + Math.log(160 / largest) / Math.log(4))));
    return [
      {
        geometry: { type: 'Point' as const, coordinates: [at.lng, at.lat] },
        properties: { name, rank: from },
        from,
      },
    ];
  });
}

/** Size of a ring, as large as a country looks on the map [square degrees at the equator]. */
function size(ring: readonly GeoJSON.Position[]): number {
  const flat = Float64Array.from(ring.flatMap(([lng, lat]) => [lng!, lat!]));
  const middle = ring.reduce((sum, [, lat]) => sum + lat!, 0) / ring.length;
  return Math.abs(signedArea(flat) / 2) / Math.max(0.2, Math.cos((middle * Math.PI) / 180));
}

function positions(coordinates: Float64Array): GeoJSON.Position[] {
  return Array.from({ length: coordinates.length / 2 }, (_, i) => [
    coordinates[2 * i]!,
    coordinates[2 * i + 1]!,
  ]);
}
