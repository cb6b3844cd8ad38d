// Derives data/layers and the storm table from unpacked Debian packages; data/SOURCE.md describes the whole
// procedure.
//   node scripts/derive-layers.ts ROOT
// ROOT is the folder with the unpacked packages (ROOT/usr/share/ferret-vis/data, ...). Needs gdal_translate and
// Rscript. Run by hand, not by the build: the results are committed.
import { join } from 'node:path';
import { updateCatalogue } from './derive/catalogue.ts';
import { deriveSeaWind } from './derive/sea-wind.ts';
import { deriveCycloneWind, extractStorms } from './derive/storms.ts';
import { deriveTerrain } from './derive/terrain.ts';

const root = process.argv[2];
if (root === undefined) {
  process.stderr.write('usage: node scripts/derive-layers.ts ROOT\n');
  process.exit(2);
}
const data = join(import.meta.dirname, '../data');
const layers = join(data, 'layers');
const storms = join(data, 'tables/atlantic-storms-1975-2020.csv');
const ferret = join(root, 'usr/share/ferret-vis/data');

extractStorms(join(root, 'usr/lib/R/site-library/dplyr/data/Rdata'), storms);
const entries = [
  ...deriveTerrain(ferret, join(root, 'usr/share/magics'), layers),
  ...deriveCycloneWind(storms, layers),
  ...deriveSeaWind(ferret, layers),
];
const count = updateCatalogue(join(layers, 'catalogue.json'), entries);
process.stdout.write(`${count} catalogue entries\n`);
