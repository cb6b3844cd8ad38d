// Derives the layers of fire by climate from data/tables/burned-land.csv and the layers of derive-ground.ts, which must be
// made first; data/SOURCE.md describes the procedure.
//   node scripts/derive-fire.ts
// Needs gdal_translate. Run by hand, not by the build: the results are committed.
import { join } from 'node:path';
import { updateCatalogue } from './derive/catalogue.ts';
import { deriveFireClimate } from './derive/fire-climate.ts';

const data = join(import.meta.dirname, '../data');
const layers = join(data, 'layers');
const entries = deriveFireClimate(join(data, 'tables/burned-land.csv'), layers);
process.stdout.write(`${updateCatalogue(join(layers, 'catalogue.json'), entries)} catalogue entries\n`);
