import { isPresent } from '../data-set.ts';
import { followBy, TOGETHER } from '../detections/detection.ts';
import type { SampleStack } from '../engine.ts';
import { plainFigure, targetFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readMatoGrosso } from '../sources/mato-grosso.ts';
import { readSampleYears, SAMPLES_SET } from '../sources/samples.ts';
import { readSinop, SINOP_SET } from '../sources/sinop.ts';

const STACK = 'matogrosso-modis-stack';
const SETS = [STACK, SAMPLES_SET, SINOP_SET];
const MOST_SUSPICIONS = 10; // our target: suspicions and changes per 1,000 km2
const MOST_CONFIDENCE = 0.5; // our target: highest confidence of any of them
const CROP_YEAR = '-09-01'; // start of an agricultural year
const AREA_M2 = 1e9; // 1,000 km2

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

function figuresOf(what: string, stacks: readonly SampleStack[], metric: string): Figure[] {
  const objects = stacks.flatMap((stack) => followBy(stack, metric).objects);
  const pixels = stacks.reduce((sum, { width, height }) => sum + width * height, 0);
  const area = (pixels * stacks[0]!.pixelAreaM2) / AREA_M2;
  const open = objects.filter(({ status }) => status === 'suspected' || status === 'confirmed');
  const confirmed = objects.filter(({ confirmedMs }) => confirmedMs !== null);
  const most = open.reduce((highest, { confidence }) => Math.max(highest, confidence), 0);
  const rate = open.length / area;
  const found =
    `${rate.toFixed(1)} (${open.length} in ${(1000 * area).toFixed(0)} km2), ${confirmed.length} confirmed, ` +
    `confidence up to ${most.toFixed(2)}`;
  const numbers = {
    perThousandKm2: rate,
    open: open.length,
    ever: objects.length,
    confirmed: confirmed.length,
    highestConfidence: most,
    km2: 1000 * area,
  };
  const target = `at most ${MOST_SUSPICIONS}, none over ${MOST_CONFIDENCE}`;
  const holds = rate <= MOST_SUSPICIONS && most <= MOST_CONFIDENCE;
  return [
    {
      ...targetFigure(`${what}: claims per 1,000 km2 after a year, ${metric}`, found, target, holds),
      numbers,
    },
    plainFigure(`${what}: claims at any time of the year, ${metric}`, String(objects.length)),
  ];
}

async function measure(): Promise<Figure[]> {
  const years = cropYears(await readMatoGrosso(STACK));
  return [
    ...figuresOf('Sinop', [await readSinop()], 'ndvi'),
    ...figuresOf(`${years.length} years of double crops`, years, 'ndvi'),
    ...figuresOf(`${years.length} years of double crops`, years, TOGETHER),
    ...figuresOf('labelled samples', readSampleYears(), 'ndvi'),
  ];
}

/** Records of one year over farmland, which cannot show a lasting change. */
export const FARMLAND_YEAR: AccuracySet = {
  name: 'farmland-year',
  isPresent: () => SETS.every(isPresent),
  measure,
};
