import { StructuralBreaks } from '../../../src/change/structural-breaks.ts';
import { isPresent, readBands, type Bands } from '../data-set.ts';
import { follow, type Claim, type SampleStack } from '../engine.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readNdviStack } from '../sources/ndvi-stack.ts';

/** Name of the set. */
export const TURA_SET = 'tura-landsat-ndvi';
const PIXEL_AREA_M2 = 900; // Landsat, 30 m
const FROM_MS = Date.parse('2009-01-01'); // start of the monitoring period of bfastmonitor: README
const LEAST_ACCURACY = 0.85; // our target for user's and producer's accuracy
const SIZES = [0, 0.025, 0.05, 0.075, 0.1]; // classes of breaks: minimum absolute median departure [NDVI]
// Length of the last part of the record [years], in which a break may stay unconfirmed. A break is confirmed when
// departures over at least 90 days have been observed; with few clear scenes that can take this long.
const RECENT_YEARS = 0.75;

function agreement(ours: ReadonlySet<number>, theirs: ReadonlySet<number>): readonly [number, number] {
  const both = [...ours].filter((pixel) => theirs.has(pixel)).length;
  return [both / ours.size, both / theirs.size];
}

/** Pixels with a break whose median departure is below `below`; with NaN, all pixels with a break. */
function breaks({ bands }: Bands, below: number): Set<number> {
  const pixels = new Set<number>();
  for (let p = 0; p < bands[0]!.length; p++) {
    if (Number.isNaN(bands[0]![p]!)) continue;
    if (Number.isNaN(below) || bands[1]![p]! < below) pixels.add(p);
  }
  return pixels;
}

/**
 * For each minimum size of a break: the share of breaks that the monitor confirmed, the share that it ever confirmed
 * or suspected, and the share that it missed near the end of the record.
 */
function bySize(
  { bands }: Bands,
  endYear: number,
  confirmed: ReadonlySet<number>,
  known: ReadonlySet<number>,
): Figure[] {
  const [dates, sizes] = bands as [ArrayLike<number>, ArrayLike<number>];
  const all = [...breaks({ width: 0, height: 0, bands }, Number.NaN)];
  return SIZES.map((size) => {
    const members = all.filter((pixel) => Math.abs(sizes[pixel]!) >= size);
    const part = (keep: (pixel: number) => boolean): string =>
      (members.filter(keep).length / members.length).toFixed(2);
    return plainFigure(
      `the ${members.length} breaks of ${size} NDVI or more`,
      `PA ${part((pixel) => confirmed.has(pixel))}; ${part((pixel) => known.has(pixel))} ever confirmed or suspected; ` +
        `${part((pixel) => !known.has(pixel) && dates[pixel]! > endYear - RECENT_YEARS)} not, and of the last nine months`,
    );
  });
}

/** Pixels in which the reference method of `backtest` finds a break from 2009 on. */
function crossings({ width, height, timesMs, metrics }: SampleStack): Set<number> {
  const crossed = new StructuralBreaks([...timesMs], FROM_MS, width * height).of(metrics['ndvi']!);
  return new Set([...crossed.keys()].filter((pixel) => !Number.isNaN(crossed[pixel]!)));
}

/** Decimal year as in the R package bfast: every year has length 1. */
function decimalYear(ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  const [start, end] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)];
  return year + (ms - start) / (end - start);
}

/** Reads the NDVI of the set. */
export function readTura(): Promise<SampleStack> {
  return readNdviStack(TURA_SET, 'tura_south_ndvi.tif', PIXEL_AREA_M2);
}

async function measure(): Promise<Figure[]> {
  const stack = await readTura();
  const { claims } = follow(stack);
  const reference = await readBands(TURA_SET, 'bfastmonitor_2009.tif');
  const any = breaks(reference, Number.NaN);
  const strong = breaks(reference, -0.1);
  const pixels = (keep: (claim: Claim) => boolean): Set<number> =>
    new Set(claims.filter(keep).map(({ pixel }) => pixel));
  const confirmed = pixels(({ confirmedMs }) => confirmedMs !== null && confirmedMs >= FROM_MS);
  const flagged = pixels(({ flaggedMs }) => flaggedMs >= FROM_MS);
  const losses = pixels(
    ({ confirmedMs, direction }) => direction < 0 && confirmedMs !== null && confirmedMs >= FROM_MS,
  );
  const line = (what: string, ours: ReadonlySet<number>, aim: boolean): Figure => {
    const [users, producers] = agreement(ours, any);
    const found = `UA ${users.toFixed(3)}, PA ${producers.toFixed(3)} (${ours.size} pixels)`;
    if (!aim) return plainFigure(what, found);
    const holds = users >= LEAST_ACCURACY && producers >= LEAST_ACCURACY;
    return targetFigure(what, found, `both at least ${LEAST_ACCURACY}`, holds);
  };
  return [
    line('MOSUM of the kernel from 2009, against any bfastmonitor break', crossings(stack), true),
    line('changes confirmed from 2009, against any bfastmonitor break', confirmed, true),
    line('losses confirmed from 2009, against any break', losses, false),
    line('flagged from 2009, against any break', flagged, false),
    plainFigure(
      `of the ${strong.size} strong breaks (below -.1)`,
      `${[...strong].filter((pixel) => losses.has(pixel)).length} confirmed losses`,
    ),
    ...bySize(
      reference,
      decimalYear(stack.timesMs.at(-1)!),
      confirmed,
      pixels(({ status }) => status !== 'rejected'),
    ),
    plainFigure('pixels', `${reference.width * reference.height}, ${any.size} with any break`),
  ];
}

/** A moist forest in Ethiopia, compared with the breaks of the R package bfast (bfastmonitor). */
export const TURA: AccuracySet = { name: TURA_SET, isPresent: () => isPresent(TURA_SET), measure };
