import { MODIS_PIXEL_AREA_M2 } from '../sources/mato-grosso.ts';
import { readLabelledYears } from '../sources/samples.ts';
import type { Random } from '../../calibration/simulated-case.ts';
import { parcelledLand, shuffled, type Ground, type Land, type Patch } from './ground.ts';

const SIDE = 20; // side of a piece of land [pixels]; small, as there are about a hundred samples of each label
const YEARS = 6; // length of the record: our choice
const IN_YEAR = 12; // dates per year: README
const FIRST_YEAR = 2007; // any year does, as samples of several years are mixed
// Dates of the samples, which differ by a day or two between the years.
const DATES = [
  '09-14',
  '10-16',
  '11-17',
  '12-19',
  '01-17',
  '02-18',
  '03-22',
  '04-23',
  '05-25',
  '06-26',
  '07-28',
  '08-29',
];
const ALIKE = 12; // number of most similar samples of which a pixel has its years, each once: our choice
const PATCH = 40; // number of most similar samples that a patch consists of: our choice
const CONVERTED_SHARE = 0.65; // share of the cover that is converted: our choice

type Year = readonly number[];

/**
 * Grounds from labelled years: each pixel is a sample, and its years are the most similar samples of the label. The
 * samples are of many places, so pixels do not share the weather.
 */
export function sampleGrounds(): Ground[] {
  const samplesOf = Map.groupBy(readLabelledYears(), ({ label }) => label);
  const years = (label: string): Year[] => samplesOf.get(label)!.map(({ ndvi }) => ndvi);
  const timesMs = Float64Array.from({ length: YEARS * IN_YEAR }, (_, t) => {
    const date = DATES[t % IN_YEAR]!;
    const year = FIRST_YEAR + Math.floor(t / IN_YEAR) + (date < DATES[0]! ? 1 : 0);
    return Date.parse(`${year}-${date}`);
  });
  const ground = (name: string, from: string, to: string, beside: string): Ground => ({
    name,
    pixelAreaM2: MODIS_PIXEL_AREA_M2,
    timesMs,
    land: (random): Land => {
      const cover = (label: string): (() => Patch) => sampleCover(years(label), random);
      const rest = (1 - CONVERTED_SHARE) / 2;
      const covers = [
        { share: CONVERTED_SHARE, isConvertible: true, patch: cover(from) },
        { share: rest, isConvertible: false, patch: cover(to) },
        { share: rest, isConvertible: false, patch: cover(beside) },
      ];
      return { ...parcelledLand(SIDE, covers, random), convertedTo: cover(to) };
    },
  });
  return [
    ground('savanna to crops', 'Cerrado', 'Soy_Corn', 'Pasture'),
    ground('forest to pasture, monthly', 'Forest', 'Pasture', 'Soy_Corn'),
  ];
}

function sampleCover(samples: readonly Year[], random: Random): () => Patch {
  const alikeOf = (year: Year): Year[] => {
    const distance = (other: Year): number =>
      other.reduce((sum, value, t) => sum + (value - year[t]!) ** 2, 0);
    return samples.toSorted((a, b) => distance(a) - distance(b));
  };
  return () => {
    const patch = alikeOf(random.pick(samples)).slice(0, PATCH);
    return () => {
      const years = shuffled(alikeOf(random.pick(patch)).slice(0, ALIKE), random).slice(0, YEARS);
      return { ndvi: Float32Array.from(years.flat()) };
    };
  };
}
