import { isPresent, readRecords } from '../data-set.ts';
import { follow, followAll, type Claim, type Finding } from '../engine.ts';
import { targetFigure, share, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { seriesStack, type PointSeries } from '../series-stack.ts';

export const SET = 'rondonia-landsat8-samples';
export const PIXEL_AREA_M2 = 900; // Landsat, 30 m
export const LABELS = ['Deforestation', 'Pasture', 'Forest', 'NatNonForest'];
export const TARGETS: readonly (readonly [label: string, sign: 1 | -1, limit: number])[] = [
  ['Deforestation', 1, 0.6],
  ['Pasture', -1, 0.15],
  ['Forest', -1, 0.05],
]; // our targets: share of samples flagged as a loss at least (1) or at most (-1) the limit

/** A labelled sample. */
export interface Sample extends PointSeries {
  readonly label: string;
}

/** Reads the samples, in the order of the set. */
export function readSamples(): Sample[] {
  const rowsOf = Map.groupBy(readRecords(SET, 'series.csv'), (row) => row['id']!);
  return readRecords(SET, 'samples.csv').map(({ id, label }) => {
    const rows = rowsOf.get(id!)!;
    const read = (name: string): number[] => rows.map((row) => Number(row[name]));
    const timesMs = rows.map(({ date }) => Date.parse(date!));
    return { label: label!, timesMs, metrics: { ndvi: read('ndvi'), evi: read('evi') } };
  });
}

/** Whether a claim reports a loss, whatever its status. */
export function isFlagged({ direction }: Claim): boolean {
  return direction < 0;
}

/** Number of samples of a label with a claim for which `keep` is true, and number of all samples of the label. */
export function found(
  samples: readonly Sample[],
  { claims }: Finding,
  label: string,
  keep: (claim: Claim) => boolean,
): readonly [number, number] {
  const members = [...samples.keys()].filter((p) => samples[p]!.label === label);
  const hit = members.filter((p) => claims.some((claim) => claim.pixel === p && keep(claim)));
  return [hit.length, members.length];
}

function measure(): Figure[] {
  const samples = readSamples();
  const stack = seriesStack(samples, PIXEL_AREA_M2);
  const [both, alone] = [followAll(stack), follow(stack)];
  const isConfirmed = (claim: Claim): boolean => isFlagged(claim) && claim.confirmedMs !== null;
  const protocols = [
    ['both indices together', both],
    ['NDVI alone', alone],
  ] as const;
  return [
    ...protocols.flatMap(([how, finding]) =>
      TARGETS.map(([label, sign, limit]) => {
        const [part, whole] = found(samples, finding, label, isFlagged);
        const rate = part / whole;
        const holds = sign > 0 ? rate >= limit : rate <= limit;
        return targetFigure(
          `${label}: ever flagged as a loss, ${how}`,
          share(part, whole),
          `${sign > 0 ? 'at least' : 'at most'} ${limit}`,
          holds,
        );
      }),
    ),
    ...protocols.map(([how, finding]) =>
      plainFigure(
        `NatNonForest: likewise, ${how}`,
        share(...found(samples, finding, 'NatNonForest', isFlagged)),
      ),
    ),
    ...LABELS.map((label) =>
      plainFigure(
        `${label}: confirmed, 90 days later at the earliest`,
        share(...found(samples, both, label, isConfirmed)),
      ),
    ),
  ];
}

/**
 * One Landsat 8 year of labelled samples: cleared, forest, pasture, open land. Cloudy values are filled by linear
 * interpolation; the monitor must recognise the filled values.
 */
export const RONDONIA: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
