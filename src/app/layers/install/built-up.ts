import { EARTH_RADIUS_M } from '../../../geo/earth.ts';
import { clipWindow, cutGrid, windowAround } from '../../../geo/grid-window.ts';
import { type Bbox, splitBbox } from '../../../geo/bbox.ts';
import { type AddedLayer, addMadeLayer } from '../add-layer.ts';
import type { WindowedRaster } from '../../imagery/scene-source.ts';
import { type Dataset, type DatasetFile, shortDigest } from './dataset.ts';

const PRODUCT = 'GHS_BUILT_S_E2020_GLOBE_R2023A_4326_3ss_V1_0';
const STEP = 10; // size of a tile [degrees]
/** North-western corner of the first tile of the grid of 3 arc-seconds [degrees]. @see GHSL Data Package 2023 */
const [WEST, NORTH] = [-180.0079, 89.0996];
/** WorldCover's code of built-up land, which the models know. */
const BUILT_UP = 50;
/** Share of a cell under roofs from which it counts as built-up: the share that GHSL asks of urban centres. */
const LEAST_SHARE = 0.5;
const RADIANS = Math.PI / 180;

/** Built-up surface of the Global Human Settlement Layer. */
export const BUILT_UP_LAND: Dataset = {
  name: 'ghsl-built-up',
  meaning: 'GHSL built-up surface 2020, 90 m, as land cover "built-up" where half of the ground is roofed',
  layers: ['land-cover'],
  licence: 'CC BY 4.0',
  source:
    'GHS-BUILT-S R2023A, European Commission, Joint Research Centre, doi:10.2905/9F06F36F-4B11-47EC-ABB0-4F8B7B1D72EA; built-up where at least half of a cell is roofed',
  documentation: 'https://human-settlement.emergency.copernicus.eu/download.php?ds=bu',
  base: 'https://jeodpp.jrc.ec.europa.eu/ftp/jrc-opendata/GHSL/',
  plan: ({ base, boxes }) => {
    const files = new Map<string, DatasetFile>();
    for (const [west, south, east, north] of boxes.flatMap(splitBbox))
      for (let row = rowOf(north); row <= rowOf(south); row++)
        for (let col = colOf(west); col <= colOf(east); col++) {
          const tile = `${PRODUCT}_R${row}_C${col}`;
          const url = `${base}GHS_BUILT_S_GLOBE_R2023A/${PRODUCT.replace('_V1_0', '')}/V1-0/tiles/${tile}.zip`;
          files.set(tile, { url, name: `${tile}.zip`, format: 'ZIP', isMade: false, mayMiss: true });
        }
    return [...files.values()];
  },
  async install(deps, { boxes, environment }, files) {
    const added: AddedLayer[] = [];
    for (const { path, name, sha256 } of files) {
      const raster = await deps.files.open(`${path}/${name.replace('.zip', '.tif')}`);
      try {
        for (const [part, box] of boxes.entries()) {
          const cut = await builtUp(raster, box);
          if (cut === null) continue;
          added.push(
            await addMadeLayer(deps, {
              layer: 'land-cover',
              version: 'ghsl-built-up-r2023a',
              date: '2020-12-31',
              licence: BUILT_UP_LAND.licence,
              source: BUILT_UP_LAND.source,
              from: `${name} (${shortDigest(sha256)}), box ${part + 1}`,
              raster: cut,
              environment,
            }),
          );
        }
      } finally {
        await raster.close();
      }
    }
    return added;
  },
};

const rowOf = (lat: number): number => Math.max(1, Math.min(18, Math.floor((NORTH - lat) / STEP) + 1));
const colOf = (lng: number): number => Math.max(1, Math.min(36, Math.floor((lng - WEST) / STEP) + 1));

/** The cells of a box: BUILT_UP, or nodata where less is roofed, so that another map of land cover answers there. */
async function builtUp(raster: WindowedRaster, box: Bbox) {
  const around = windowAround(raster.grid, box);
  const window = around && clipWindow(raster.grid, around);
  if (window === null) return null;
  const raw = await raster.read(0, window);
  const grid = cutGrid(raster.grid, window);
  const [, dx, , top, , dy] = grid.transform;
  const samples = new Float32Array(raw.length).fill(Number.NaN);
  let isEmpty = true;
  for (let row = 0; row < grid.height; row++) {
    const [north, south] = [top + row * dy, top + (row + 1) * dy].map((lat) => Math.sin(lat * RADIANS));
    const cellM2 = EARTH_RADIUS_M ** 2 * Math.abs(dx) * RADIANS * Math.abs(north! - south!);
    for (let i = row * grid.width; i < (row + 1) * grid.width; i++) {
      const value = raw[i]!;
      // More than a cell is the code of a cell without data.
      if (value === raster.nodata || !(value >= LEAST_SHARE * cellM2 && value <= 1.5 * cellM2)) continue;
      samples[i] = BUILT_UP;
      isEmpty = false;
    }
  }
  return isEmpty ? null : { grid, samples };
}
