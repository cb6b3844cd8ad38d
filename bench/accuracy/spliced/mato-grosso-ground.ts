import { readRecords } from '../data-set.ts';
import { median } from '../median.ts';
import type { SampleStack } from '../engine.ts';
import {
  drySeasons,
  MODIS_PIXEL_AREA_M2,
  openLand,
  readMatoGrosso,
  stableForest,
} from '../sources/mato-grosso.ts';
import type { Random } from '../../calibration/simulated-case.ts';
import { CompositeYears } from './composite-years.ts';
import { parcelledLand, shuffled, type Ground, type Land, type Patch, type PixelSeries } from './ground.ts';

const FIELDS = 'matogrosso-modis-stack';
const FOREST = 'matogrosso-modis-conversion';
/** Sets that these grounds are made of. */
export const MATO_GROSSO_SETS = [FIELDS, FOREST];

const SIDE = 26; // side of a piece of land [pixels]: small enough that few forest pixels are used twice
const FOREST_SHARE = 0.6; // share of forest where forest is converted, and of fields where fields are: our choice

type Metrics = Readonly<Record<string, Float32Array>>;

/** All real series of one cover, `values[pixel * times + t]`, with the places of the pixels. */
interface Source {
  readonly pixels: readonly number[];
  readonly metrics: Metrics;
}

/** Forest that becomes fields with one or two crops a year, and fields that become forest, with both as context. */
export async function matoGrossoGrounds(): Promise<Ground[]> {
  const [stack, other] = await Promise.all([readMatoGrosso(FIELDS), readMatoGrosso(FOREST)]);
  const startsMs = readRecords(FIELDS, 'dates.csv').map(({ date }) => Date.parse(date!));
  const years = new CompositeYears(startsMs);
  const times = stack.timesMs.length;
  const forest = [stack, other].map((piece): Source => ({
    pixels: stableForest(drySeasons(piece)),
    metrics: piece.metrics as Metrics,
  }));
  const weather = commonCourse(forest, times);
  const fields: Source = { pixels: openLand(drySeasons(stack)), metrics: stack.metrics as Metrics };
  const ground = (name: string, isForestConverted: boolean): Ground => ({
    name,
    pixelAreaM2: MODIS_PIXEL_AREA_M2,
    timesMs: stack.timesMs,
    land: (random): Land => {
      const shift = Math.floor(random.uniform() * years.years);
      const forestPatch = forestCover(forest, weather, years, shift, random);
      const fieldPatch = fieldCover(fields, stack, years, shift, random);
      const forestShare = isForestConverted ? FOREST_SHARE : 1 - FOREST_SHARE;
      const covers = [
        { share: forestShare, isConvertible: isForestConverted, patch: forestPatch },
        { share: 1 - forestShare, isConvertible: !isForestConverted, patch: fieldPatch },
      ];
      return {
        ...parcelledLand(SIDE, covers, random),
        convertedTo: isForestConverted ? fieldPatch : forestPatch,
      };
    },
  });
  return [ground('forest to crops', true), ground('crops to forest', false)];
}

/** Median of the forest pixels in each scene: what weather and haze do to all of them. */
function commonCourse(forest: readonly Source[], times: number): Metrics {
  return Object.fromEntries(
    Object.keys(forest[0]!.metrics).map((metric) => [
      metric,
      Float32Array.from({ length: times }, (_, t) =>
        median(
          forest
            .flatMap(({ pixels, metrics }) => pixels.map((p) => metrics[metric]![p * times + t]!))
            .filter((value) => !Number.isNaN(value)),
        ),
      ),
    ]),
  );
}

/**
 * Forest: the course that all forest pixels share in a scene, plus the departure of one real pixel from it in another
 * year. There are fewer forest pixels than a piece of land needs; a pair of pixel and year is used once per piece
 * while there are unused ones.
 */
function forestCover(
  forest: readonly Source[],
  weather: Metrics,
  years: CompositeYears,
  shift: number,
  random: Random,
): () => Patch {
  const pairs = shuffled(
    forest.flatMap(({ pixels, metrics }) =>
      pixels.flatMap((p) => Array.from({ length: years.years }, (_, by) => ({ p, metrics, by }))),
    ),
    random,
  );
  let next = 0;
  return () => () => {
    const { p, metrics, by } = pairs[next++ % pairs.length]!;
    return Object.fromEntries(
      Object.entries(weather).map(([metric, course]) => [
        metric,
        course.map((_, t) => {
          const [scene, own] = [years.shifted(t, shift), years.shifted(t, shift + by)];
          const value = course[scene]! + metrics[metric]![p * course.length + own]! - course[own]!;
          return scene < 0 || own < 0 ? Number.NaN : Math.max(-1, Math.min(1, value));
        }),
      ]),
    );
  };
}

/** Fields: the real pixels nearest to a random one, all in the same year as the scene. */
function fieldCover(
  { pixels, metrics }: Source,
  { width, timesMs }: SampleStack,
  years: CompositeYears,
  shift: number,
  random: Random,
): () => Patch {
  return () => {
    const start = random.pick(pixels);
    const [row, col] = [Math.floor(start / width), start % width];
    const distance = (p: number): number => (Math.floor(p / width) - row) ** 2 + ((p % width) - col) ** 2;
    const near = pixels.toSorted((a, b) => distance(a) - distance(b));
    let next = 0;
    return (): PixelSeries => {
      const p = near[next++ % near.length]!;
      return Object.fromEntries(
        Object.entries(metrics).map(([metric, values]) => [
          metric,
          Float32Array.from(timesMs, (_, t) => {
            const scene = years.shifted(t, shift);
            return scene < 0 ? Number.NaN : values[p * timesMs.length + scene]!;
          }),
        ]),
      );
    };
  };
}
