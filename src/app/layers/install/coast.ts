import { type AddedLayer, addMadeLayer } from '../add-layer.ts';
import { checkCoastBox, deriveCoast } from '../derive/derive-coast.ts';
import { type Dataset, shortDigest } from './dataset.ts';

/** A data set of land polygons that becomes the distance to the coast. */
interface LandPolygons extends Pick<
  Dataset,
  'name' | 'meaning' | 'licence' | 'source' | 'documentation' | 'base'
> {
  /** File below the address of the provider. */
  readonly file: string;
  /** Shapefile in the archive. */
  readonly member: string;
  readonly version: (day: string) => string;
  /** Reference day of the content. */
  readonly date: (day: string) => string;
}

/** Shorelines of GSHHG, full resolution. Its address and its size are those of NOAA's mirror. */
export const GSHHG_COAST = coast({
  name: 'gshhg-coast',
  meaning: 'GSHHG 2.3.7 shorelines, full resolution, as distance to the coast, 300 m',
  licence: 'LGPL-3.0',
  source: 'GSHHG 2.3.7, full resolution (Wessel and Smith 1996, doi:10.1029/96JB00104)',
  documentation: 'https://www.soest.hawaii.edu/pwessel/gshhg/',
  base: 'https://www.ngdc.noaa.gov/mgg/shorelines/data/gshhg/latest/',
  file: 'gshhg-shp-2.3.7.zip',
  member: 'GSHHS_f_L1.shp',
  version: () => 'gshhg-2.3.7',
  date: () => '2017-06-15',
});

/** Coastlines of OpenStreetMap, whole polygons: those that are split have sides that are no shores. */
export const OSM_COAST = coast({
  name: 'osm-coast',
  meaning: 'Coastlines of OpenStreetMap, as distance to the coast, 300 m',
  licence: 'ODbL 1.0',
  source: 'OpenStreetMap contributors, land polygons by osmdata.openstreetmap.de',
  documentation: 'https://osmdata.openstreetmap.de/data/land-polygons.html',
  base: 'https://osmdata.openstreetmap.de/download/',
  file: 'land-polygons-complete-4326.zip',
  member: 'land_polygons.shp',
  version: (day) => `osm-${day}`,
  date: (day) => day,
});

function coast({ file, member, version, date, ...described }: LandPolygons): Dataset {
  return {
    ...described,
    layers: ['coast-distance'],
    plan({ base, boxes }) {
      boxes.forEach(checkCoastBox);
      return [{ url: base + file, name: file, format: 'ZIP', isMade: false }];
    },
    async install(deps, { boxes, environment }, [fetched]) {
      const { path, sha256, day } = fetched!;
      const added: AddedLayer[] = [];
      for (const [part, box] of boxes.entries())
        added.push(
          await addMadeLayer(deps, {
            layer: 'coast-distance',
            version: version(day),
            date: date(day),
            licence: described.licence,
            source: `${described.source}; ${file}, ${shortDigest(sha256)}`,
            from: `${file}, box ${part + 1}`,
            raster: await deriveCoast(deps.land, { path, member, box }),
            environment,
          }),
        );
      return added;
    },
  };
}
