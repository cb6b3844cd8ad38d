import { isPresent, readRecords } from '../data-set.ts';
import { follow, type Claim } from '../engine.ts';
import { judged, share, told, type AccuracySet, type Figure } from '../figure.ts';
import { seriesStack } from '../series-stack.ts';

const SET = 'rondonia-landsat8-samples';
const PIXEL_AREA_M2 = 900; // Landsat, 30 m
const TARGETS: readonly (readonly [label: string, sign: 1 | -1, limit: number])[] = [
  ['Deforestation', 1, 0.6],
  ['Pasture', -1, 0.15],
  ['Forest', -1, 0.05],
]; // our target

function measure(): Figure[] {
  const samples = readRecords(SET, 'samples.csv');
  const rowsOf = Map.groupBy(readRecords(SET, 'series.csv'), (row) => row['id']!);
  const points = samples.map(({ id }) => {
    const rows = rowsOf.get(id!)!;
    const read = (name: string): number[] => rows.map((row) => Number(row[name]));
    const metrics = { ndvi: read('ndvi'), evi: read('evi') };
    return { timesMs: rows.map(({ date }) => Date.parse(date!)), metrics };
  });
  const stack = seriesStack(points, PIXEL_AREA_M2);
  const { claims } = follow(stack);
  const found = (label: string, keep: (claim: Claim) => boolean): readonly [number, number] => {
    const members = samples
      .map((sample, p) => ({ sample, p }))
      .filter(({ sample }) => sample['label'] === label);
    const hit = members.filter(({ p }) => claims.some((claim) => claim.pixel === p && keep(claim)));
    return [hit.length, members.length];
  };
  const isFlagged = ({ direction }: Claim): boolean => direction < 0;
  const isConfirmed = (claim: Claim): boolean => isFlagged(claim) && claim.confirmedMs !== null;
  return [
    ...TARGETS.map(([label, sign, limit]) => {
      const [part, whole] = found(label, isFlagged);
      const rate = part / whole;
      const holds = sign > 0 ? rate >= limit : rate <= limit;
      return judged(
        `${label}: ever flagged as a loss`,
        share(part, whole),
        `${sign > 0 ? 'at least' : 'at most'} ${limit}`,
        holds,
      );
    }),
    told('NatNonForest: ever flagged as a loss', share(...found('NatNonForest', isFlagged))),
    ...['Deforestation', 'Pasture', 'Forest', 'NatNonForest'].map((label) =>
      told(`${label}: confirmed, 90 days later at the earliest`, share(...found(label, isConfirmed))),
    ),
  ];
}

/** One Landsat 8 year of labelled samples: cleared, forest, pasture, open land. Clouds are filled with straight lines, which the engine must see through. */
export const RONDONIA: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
