import { join } from 'node:path';
import { type BurnedShares, burningCountries, countryCode, fitBurnedShares } from './burned-land.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { mixClasses } from './class-mixing.ts';
import { CLIMATE_GRID } from './climate-zones.ts';
import { countryAreas } from './countries.ts';
import { rasterCodes } from './country-raster.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid } from './global-grid.ts';
import { POPULATION_GRID } from './population.ts';

/** Burning of a climate zone before the fit, and the loss that its fires cause. */
interface Zone {
  readonly name: string;
  /** Share of the land that burns in a year [1/yr] (our choice, an order of magnitude). */
  readonly share: number;
  /** Mean damage ratio of a building where mixed land burns [1] (our choice). */
  readonly loss: number;
  /** Mean Daily Severity Rating of the four worst months [1] (our choice; known for Iberia and Canada only). */
  readonly severity: number;
}

const zone = (name: string, share: number, loss: number, severity: number): Zone => ({
  name,
  share,
  loss,
  severity,
});

/**
 * Climate zones in the order of their codes, from 1. Losses: fires in the crowns of conifers and in shrubs throw embers
 * into houses; litter burns weaker, and the grass of savannas weakest (the crown, litter and grass pyromes of Archibald et
 * al. 2013, doi:10.1073/pnas.1211466110), where the land around houses is burned or cleared every year. In humid climates
 * most burned land is stubble or was burned on purpose. Of 38,440 buildings within the fires of the conterminous USA in
 * 2000-2005, 3,604 (9.4 %) burned (Alexandre et al. 2015, doi:10.1071/WF13197); of those in the densest class of
 * California 15.6 % (Kramer et al. 2019, abstract). These fires lie mostly in the dry-summer and steppe zones, which
 * therefore have 8 to 12 %.
 */
const ZONES: readonly Zone[] = [
  zone('Af', 0.001, 0.003, 0.5),
  zone('Am', 0.01, 0.003, 2),
  zone('As', 0.02, 0.005, 6),
  zone('Aw', 0.08, 0.003, 8),
  zone('BSh', 0.04, 0.012, 15),
  zone('BSk', 0.008, 0.08, 14),
  zone('BWh', 0.0002, 0.02, 30),
  zone('BWk', 0.0004, 0.02, 20),
  zone('Cfa', 0.004, 0.015, 3),
  zone('Cfb', 0.0007, 0.05, 1.5),
  zone('Cfc', 0.0005, 0.05, 0.7),
  zone('Csa', 0.006, 0.12, 14),
  zone('Csb', 0.006, 0.12, 9),
  zone('Csc', 0.006, 0.12, 4),
  zone('Cwa', 0.015, 0.006, 6),
  zone('Cwb', 0.02, 0.01, 4),
  zone('Cwc', 0.02, 0.01, 2),
  zone('Dfa', 0.004, 0.008, 4),
  zone('Dfb', 0.002, 0.02, 2.5),
  zone('Dfc', 0.003, 0.1, 2),
  zone('Dfd', 0.004, 0.1, 3),
  zone('Dsa', 0.004, 0.12, 12),
  zone('Dsb', 0.005, 0.12, 8),
  zone('Dsc', 0.006, 0.1, 4),
  zone('Dsd', 0.006, 0.1, 4),
  zone('Dwa', 0.004, 0.01, 4),
  zone('Dwb', 0.008, 0.02, 4),
  zone('Dwc', 0.005, 0.1, 3),
  zone('Dwd', 0.005, 0.1, 3),
  zone('EF', 1e-6, 0.02, 0.05),
  zone('ET', 0.0005, 0.02, 0.5),
];

/** Code of Australia, and the first and last code of the temperate zones. */
const AUSTRALIA = 36;
const TEMPERATE = [9, 17] as const;

/**
 * Temperate zones of Australia. Their eucalypt forests burn in the crowns and throw embers farthest. About 2 % of the
 * temperate forest burned in the larger years before 2019, and 21 % in 2019-20 (Boer et al. 2020,
 * doi:10.1038/s41558-020-0716-1), so about 2 % in the mean of 20 years. That a quarter of the land is forest is ours.
 */
const EUCALYPTS = { share: 0.005, loss: 0.12 } as const;

/** Standard deviation over which zones and countries are mixed, and reach over the coast [km] (our choice). */
const MIXING = { sigmaKm: 60, reachKm: 200 } as const;

/**
 * Decline of burned area with people: `exp(-0.0168 p)` with p people per km2, of a global fit [km2].
 * @see doi:10.5194/bg-11-1085-2014 (Knorr et al. 2014)
 */
const DECLINE = 0.0168;

/**
 * Exponent of the decline in towns (our choice). Burned area as a whole declines as in DECLINE; houses in towns burn
 * more often than that, since embers reach them, but rarely from grass. So the share is `(1 + DECLINE p / a)^-a`, which
 * begins like the exponential, with `a` of 0.75 where the loss is EMBER_LOSS or more, and 1.25 where it is GRASS_LOSS.
 */
const EXPONENTS = { embers: 0.75, grass: 1.25 } as const;
const EMBER_LOSS = 0.05;
const GRASS_LOSS = 0.01;

/** Cell size of the layer of shares [degrees]: two cells of the layer of people. */
const STEP = 1 / 12;
const GRID = cellGrid(STEP);

/** Steps of a factor of ten in which the layers are stored, and the smallest share stored [log10 1/yr]. */
const STEPS = 10;
const LEAST = -8;
const NODATA = -32_768;

/** Ratio of the rate at which a building burns to the share of the land around that burns, by people per km2. */
export function buildingRatio(people: number, loss: number): number {
  const grass = Math.log(EMBER_LOSS / loss) / Math.log(EMBER_LOSS / GRASS_LOSS);
  const exponent = EXPONENTS.embers + (EXPONENTS.grass - EXPONENTS.embers) * Math.min(1, Math.max(0, grass));
  return (1 + (DECLINE * people) / exponent) ** -exponent;
}

/** Derives the layers of fire by climate into `layers`, from the layers of zones and people there. @returns their entries */
export function deriveFireClimate(table: string, layers: string): CatalogueEntry[] {
  const zones = readRaster(join(layers, 'climate-zone.tif'));
  const areas = countryAreas();
  const known = burningCountries(table, CLIMATE_GRID, zones, rasterCodes(CLIMATE_GRID, areas, 0));
  const shares = fitBurnedShares(known, (code) => ZONES[code - 1]!.share);
  tell(shares);
  // One class for each pair of a zone and a country, over the coast too; 1,000 is above every country code.
  const countries = rasterCodes(CLIMATE_GRID, areas, MIXING.reachKm);
  const pairs = Int32Array.from(zones, (code, i) =>
    code > 0 ? code * 1000 + countryCode(countries[i]!) : 0,
  );
  const shareOf = (code: number, country: number): number =>
    hasEucalypts(code, country)
      ? EUCALYPTS.share
      : shares.zones[code]! * (shares.countries.get(country) ?? 1);
  const lossOf = (code: number, country: number): number =>
    hasEucalypts(code, country) ? EUCALYPTS.loss : ZONES[code - 1]!.loss;
  const mixed = (of: (code: number, country: number) => number): Float32Array =>
    mixClasses(CLIMATE_GRID, pairs, (pair) => Math.log10(of(Math.floor(pair / 1000), pair % 1000)), MIXING);
  const burned = mixed(shareOf);
  const losses = mixed(lossOf);
  const people = readRaster(join(layers, 'population-density.tif'));
  const rates = Int16Array.from({ length: GRID.width * GRID.height }, (_, cell) => {
    const log = at(burned, cell);
    if (Number.isNaN(log)) return NODATA;
    const ratio = peopleRatio(people, cell, 10 ** at(losses, cell));
    return Math.round(STEPS * Math.max(LEAST, log + Math.log10(ratio)));
  });
  writeGeoTiff(join(layers, 'fire-climate.tif'), GRID, [rates], NODATA);
  const stored = (logs: Float32Array): Int16Array =>
    Int16Array.from(logs, (log) => (Number.isNaN(log) ? NODATA : Math.round(STEPS * log)));
  const bands = [stored(losses), stored(mixed((code) => ZONES[code - 1]!.severity))];
  writeGeoTiff(join(layers, 'fire-climate-zone.tif'), CLIMATE_GRID, bands, NODATA);
  const rest = {
    version: 'gwis-koeppen-2026.1',
    scale: 1 / STEPS,
    date: '2023-12-31',
    licence: 'CC BY 4.0',
    offset: 0,
    nodata: NODATA,
    interpolation: 'bilinear',
    returnPeriodYears: null,
  } as const;
  const byZone = {
    ...rest,
    unit: 'log10',
    source: 'Koeppen-Geiger classes 1986-2010 of Rubel et al. 2017, our values by class',
    file: 'fire-climate-zone.tif',
    resolutionM: Math.round(CLIMATE_GRID.step * METRES_PER_DEGREE),
  };
  return [
    {
      layer: 'fire-climate',
      ...rest,
      unit: 'log10 1/yr',
      source:
        'burned land of countries 2012-2023 (GWIS, Our World in Data) by Koeppen-Geiger class and people',
      file: 'fire-climate.tif',
      band: 0,
      resolutionM: Math.round(STEP * METRES_PER_DEGREE),
    },
    { layer: 'fire-climate-loss', ...byZone, band: 0 },
    { layer: 'fire-climate-severity', ...byZone, band: 1 },
  ];
}

/** Bilinear value of a field of CLIMATE_GRID at a cell of GRID; NaN without any neighbour with a value. */
function at(field: Float32Array, cell: number): number {
  const { width, height, north, west, step } = CLIMATE_GRID;
  const y = (north - (GRID.north - Math.floor(cell / GRID.width) * STEP)) / step;
  const x = (GRID.west + (cell % GRID.width) * STEP - west) / step;
  let [sum, weights] = [0, 0];
  for (const row of [Math.floor(y), Math.floor(y) + 1])
    for (const col of [Math.floor(x), Math.floor(x) + 1]) {
      const value = row < 0 || row >= height ? Number.NaN : field[row * width + ((col + width) % width)]!;
      if (Number.isNaN(value)) continue;
      const weight = (1 - Math.abs(y - row)) * (1 - Math.abs(x - col));
      sum += weight * value;
      weights += weight;
    }
  return weights > 0 ? sum / weights : Number.NaN;
}

/** Mean ratio of the buildings of a cell, which stand where its people live. */
function peopleRatio(people: Float32Array, cell: number, loss: number): number {
  const row = 2 * Math.floor(cell / GRID.width);
  const col = 2 * (cell % GRID.width);
  let [sum, weights] = [0, 0];
  for (const i of [0, 1])
    for (const k of [0, 1]) {
      const density = people[(row + i) * POPULATION_GRID.width + col + k]!;
      sum += (density + 1) * buildingRatio(density, loss);
      weights += density + 1;
    }
  return sum / weights;
}

function hasEucalypts(code: number, country: number): boolean {
  return country === AUSTRALIA && code >= TEMPERATE[0] && code <= TEMPERATE[1];
}

function tell({ zones, countries, spread }: BurnedShares): void {
  const rows = ZONES.map(({ name }, i) => `${name} ${(100 * zones[i + 1]!).toPrecision(2)} %`);
  const end = `${countries.size} countries, log spread ${spread.toFixed(2)}`;
  process.stdout.write(`${rows.join(', ')}; ${end}\n`);
}
