import { isPresent } from '../data-set.ts';
import { followBy, TOGETHER } from '../detections/detection.ts';
import type { SampleStack } from '../engine.ts';
import type { ChangeObject } from '../../../src/change/object/objects.ts';
import { plainFigure, targetFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readMatoGrosso } from '../sources/mato-grosso.ts';
import { readSampleYears, SAMPLES_SET } from '../sources/samples.ts';
import { readSinop, SINOP_SET } from '../sources/sinop.ts';

const STACK = 'matogrosso-modis-stack';
const SETS = [STACK, SAMPLES_SET, SINOP_SET];
const MOST_SUSPICIONS = 10; // our target: suspicions and changes per 1,000 km2
const MOST_CONFIDENCE = 0.5; // our target: highest confidence of any of them
const CROP_YEAR = '-09-01'; // start of an agricultural year
const KM2 = 1e6; // a square kilometre [m2]
const LEAST_KM2 = 1000; // smallest area that has a target

/** A stack in the agricultural years that it holds, each as a stack of its own. */
export function cropYears(stack: SampleStack): SampleStack[] {
  const { timesMs, metrics, width, height } = stack;
  const [first, last] = [timesMs[0]!, timesMs.at(-1)!].map((ms) => new Date(ms).getUTCFullYear());
  const years = Array.from({ length: last! - first! }, (_, i) => first! + i);
  return years.map((year) => {
    const [fromMs, toMs] = [Date.parse(`${year}${CROP_YEAR}`), Date.parse(`${year + 1}${CROP_YEAR}`)];
    const from = timesMs.findIndex((ms) => ms >= fromMs);
    const until = timesMs.findLastIndex((ms) => ms < toMs) + 1;
    const cut = Object.entries(metrics).map(([metric, values]) => {
      const part = new Float32Array(width * height * (until - from));
      for (let p = 0; p < width * height; p++)
        part.set(values.subarray(p * timesMs.length + from, p * timesMs.length + until), p * (until - from));
      return [metric, part];
    });
    return { ...stack, timesMs: timesMs.slice(from, until), metrics: Object.fromEntries(cut) };
  });
}

/** Stacks of one kind, with what the monitor claims in them. */
interface FarmlandYears {
  readonly what: string;
  readonly km2: number;
  readonly objects: readonly ChangeObject[];
}

function follow(what: string, stacks: readonly SampleStack[]): FarmlandYears {
  const areaM2 = stacks.reduce(
    (sum, { width, height, pixelAreaM2 }) => sum + width * height * pixelAreaM2,
    0,
  );
  return { what, km2: areaM2 / KM2, objects: stacks.flatMap((stack) => followBy(stack, TOGETHER).objects) };
}

/** Claims that are open at the end of the year. The target is of areas that are large enough for one claim to pass. */
function figureOf({ what, km2, objects }: FarmlandYears): Figure {
  const open = objects.filter(({ status }) => status === 'suspected' || status === 'confirmed');
  const confirmed = objects.filter(({ confirmedMs }) => confirmedMs !== null);
  const most = open.reduce((highest, { confidence }) => Math.max(highest, confidence), 0);
  const rate = (1000 * open.length) / km2;
  const found =
    `${rate.toFixed(1)} (${open.length} in ${km2.toFixed(0)} km2; ${objects.length} at any time, ` +
    `${confirmed.length} confirmed), confidence up to ${most.toFixed(2)}`;
  const numbers = {
    perThousandKm2: rate,
    open: open.length,
    ever: objects.length,
    confirmed: confirmed.length,
    highestConfidence: most,
    km2,
  };
  const line = `${what}: claims per 1,000 km2 after a year`;
  const target = `at most ${MOST_SUSPICIONS}, none over ${MOST_CONFIDENCE}`;
  const holds = rate <= MOST_SUSPICIONS && most <= MOST_CONFIDENCE;
  const figure = km2 < LEAST_KM2 ? plainFigure(line, found) : targetFigure(line, found, target, holds);
  return { ...figure, numbers };
}

async function measure(): Promise<Figure[]> {
  const years = cropYears(await readMatoGrosso(STACK));
  const kinds = [
    follow('Sinop', [await readSinop()]),
    follow(`${years.length} years of double crops`, years),
    follow('labelled samples', readSampleYears()),
  ];
  const all = {
    what: 'all',
    km2: kinds.reduce((sum, { km2 }) => sum + km2, 0),
    objects: kinds.flatMap(({ objects }) => objects),
  };
  return [all, ...kinds].map(figureOf);
}

/** Records of one year over farmland, which cannot show a lasting change. */
export const FARMLAND_YEAR: AccuracySet = {
  name: 'farmland-year',
  isPresent: () => SETS.every(isPresent),
  measure,
};
