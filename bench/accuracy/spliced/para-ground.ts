import { median } from '../median.ts';
import { MODIS_PIXEL_AREA_M2 } from '../sources/mato-grosso.ts';
import { readPara, type ParaPixel, type ParaSet } from '../sources/para.ts';
import type { Random } from '../../calibration/simulated-case.ts';
import { CompositeYears, valuesAt } from './composite-years.ts';
import { parcelledLand, shuffled, type Ground, type Land, type Patch, type PixelSeries } from './ground.ts';

/** Set that this ground is made of. */
export const PARA_SET = 'para-modis-deforestation';

const SIDE = 30; // side of a piece of land [pixels]
const FOREST_SHARE = 0.75; // share of forest of a piece of land; the rest is pasture: our choice
const FOREST_YEARS = 8; // 2005 to 2012: all pixels were forest, as no cut is earlier than PRODES year 2014
const RECORD_YEARS = 6; // length of the record of a piece of land: our choice
const CUT_BY_YEAR = 2014; // the year 2015 of a cut of this PRODES year is pasture from its first day
const PASTURE_YEAR = 10; // the year 2015, counted from 2005
const NEAREST = 12; // number of pasture pixels whose years are mixed in one patch: our choice
const LEAST_NDVI_FALL = 0.1; // falls of a cut that the README counts as visible
const LEAST_MOISTURE_FALL = 0.15;

/** Forest that becomes pasture, with both as context and the real cloud gaps. */
export function paraGround(): Ground {
  const para = readPara();
  const years = new CompositeYears(para.startsMs);
  const timesMs = para.timesMs.filter((_, t) => years.yearOf(t) < RECORD_YEARS);
  const pasture = para.pixels.filter((pixel) => pixel.lastYear === CUT_BY_YEAR && isVisible(para, pixel));
  return {
    name: 'forest to pasture',
    pixelAreaM2: MODIS_PIXEL_AREA_M2,
    timesMs,
    land: (random): Land => {
      const shift = Math.floor(random.uniform() * FOREST_YEARS);
      const forestPatch = forestCover(para, years, timesMs.length, shift, random);
      const pasturePatch = pastureCover(pasture, years, timesMs.length, random);
      const covers = [
        { share: FOREST_SHARE, isConvertible: true, patch: forestPatch },
        { share: 1 - FOREST_SHARE, isConvertible: false, patch: pasturePatch },
      ];
      return { ...parcelledLand(SIDE, covers, random), convertedTo: pasturePatch };
    },
  };
}

/**
 * Whether the cut shows: the lower quartile of June to October 2015 is below the median of 2009 to mid-2013 by more
 * than the README's falls. Many cuts are much smaller than their pixel.
 */
function isVisible({ timesMs }: ParaSet, { ndvi, moisture }: ParaPixel): boolean {
  const fall = (series: Float32Array): number => {
    const between = (from: string, to: string): number[] =>
      [...series].filter(
        (value, t) => timesMs[t]! >= Date.parse(from) && timesMs[t]! < Date.parse(to) && !Number.isNaN(value),
      );
    const dry = between('2015-06-01', '2015-11-01').toSorted((a, b) => a - b);
    return median(between('2009-01-01', '2013-07-01')) - dry[Math.floor(dry.length / 4)]!;
  };
  return fall(ndvi) > LEAST_NDVI_FALL || fall(moisture) > LEAST_MOISTURE_FALL;
}

/** Forest: all pixels in the same year as the scene, then in other years. */
function forestCover(
  { pixels }: ParaSet,
  years: CompositeYears,
  times: number,
  shift: number,
  random: Random,
): () => Patch {
  const order = shuffled(pixels, random);
  let next = 0;
  return () => () => {
    const pixel = order[next % order.length]!;
    const by = shift + Math.floor(next++ / order.length);
    const index = (t: number): number => years.inYear(t, (years.yearOf(t) + by) % FOREST_YEARS);
    return {
      ndvi: valuesAt(pixel.ndvi, times, index),
      moisture: valuesAt(pixel.moisture, times, index),
    };
  };
}

/** Pasture: the first full year after the cut; each year of a pixel is that of another of a few alike pixels. */
function pastureCover(
  pasture: readonly ParaPixel[],
  years: CompositeYears,
  times: number,
  random: Random,
): () => Patch {
  const level = ({ ndvi }: ParaPixel): number =>
    median(
      [...valuesAt(ndvi, ndvi.length, (t) => (years.yearOf(t) === PASTURE_YEAR ? t : -1))].filter(isSeen),
    );
  const byLevel = pasture.toSorted((a, b) => level(a) - level(b));
  return () => {
    const first = Math.floor(random.uniform() * Math.max(1, byLevel.length - NEAREST));
    const alike = byLevel.slice(first, first + NEAREST);
    return (): PixelSeries => {
      const ofYear = Array.from({ length: RECORD_YEARS }, () => random.pick(alike));
      const take = (metric: 'ndvi' | 'moisture'): Float32Array =>
        Float32Array.from({ length: times }, (_, t) => {
          const index = years.inYear(t, PASTURE_YEAR);
          return index < 0 ? Number.NaN : ofYear[years.yearOf(t)]![metric][index]!;
        });
      return { ndvi: take('ndvi'), moisture: take('moisture') };
    };
  };
}

function isSeen(value: number): boolean {
  return !Number.isNaN(value);
}
