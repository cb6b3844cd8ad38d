import { InvalidInput } from '../../../base/errors.ts';
import { type AddedLayer, addMadeLayer } from '../add-layer.ts';
import { type Dataset, latticeCorners, shortDigest } from './dataset.ts';

const STEP = 1; // size of one request [degrees]
const MOST_SQUARES = 100; // more would take the provider's service for long (our choice)
const COVERAGE = 'clay_30-60cm_mean'; // below the topsoil, where shrinking clay moves foundations
const PER_PERCENT = 10; // SoilGrids maps clay in g/kg

/** Clay by mass of SoilGrids 2.0, by the Web Coverage Service of ISRIC. */
export const SOIL_CLAY: Dataset = {
  name: 'soilgrids',
  meaning: 'SoilGrids 2.0: clay in the soil at 30 to 60 cm, 250 m',
  layers: ['soil-clay'],
  licence: 'CC BY 4.0',
  source: `SoilGrids 2.0, ISRIC World Soil Information, ${COVERAGE} (Poggio et al. 2021, doi:10.5194/soil-7-217-2021)`,
  documentation: 'https://www.isric.org/explore/soilgrids/faq-soilgrids',
  base: 'https://maps.isric.org/',
  plan({ base, boxes }) {
    const squares = latticeCorners(boxes, STEP);
    if (squares.length > MOST_SQUARES)
      throw new InvalidInput(
        `--bbox: soilgrids would take ${squares.length} requests of one square degree; at most ${MOST_SQUARES} are sent at once`,
        { param: 'bbox' },
      );
    return squares.map(([west, south]) => ({
      url: `${base}mapserv?${request(west, south)}`,
      name: `clay_${south}_${west}.tif`,
      format: 'TIFF',
      isMade: true,
    }));
  },
  async install(deps, { environment }, files) {
    const added: AddedLayer[] = [];
    for (const { path, name, sha256 } of files) {
      const raster = await deps.shelf.read({ path, band: 0, nodata: null });
      // Water, ice and towns are 0 or less in the answers of the service.
      const samples = raster.samples.map((gkg) => (gkg > 0 ? gkg / PER_PERCENT : Number.NaN));
      if (samples.every(Number.isNaN)) continue;
      added.push(
        await addMadeLayer(deps, {
          layer: 'soil-clay',
          version: 'soilgrids-2.0',
          date: '2020-05-01',
          licence: SOIL_CLAY.licence,
          source: SOIL_CLAY.source,
          from: `${name} (${shortDigest(sha256)})`,
          raster: { grid: raster.grid, samples },
          environment,
        }),
      );
    }
    return added;
  },
};

/** @see https://docs.ogc.org/is/09-110r4/09-110r4.html (WCS 2.0.1), with axes as MapServer names them */
function request(west: number, south: number): string {
  const crs = 'http://www.opengis.net/def/crs/EPSG/0/4326';
  return [
    'map=/map/clay.map',
    'SERVICE=WCS',
    'VERSION=2.0.1',
    'REQUEST=GetCoverage',
    `COVERAGEID=${COVERAGE}`,
    'FORMAT=GEOTIFF_INT16',
    `SUBSET=long(${west},${west + STEP})`,
    `SUBSET=lat(${south},${south + STEP})`,
    `SUBSETTINGCRS=${crs}`,
    `OUTPUTCRS=${crs}`,
  ].join('&');
}
