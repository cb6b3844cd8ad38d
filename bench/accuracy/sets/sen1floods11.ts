import { isOpenWater } from '../open-water.ts';
import { isPresent, readBands } from '../data-set.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure } from '../figure.ts';

const SET = 'sen1floods11-spain-west';
const FULL_REFLECTANCE = 10_000; // reflectance 1 in stored units: README
const LEAST_IOU = 0.6; // our target for the intersection over union; the best single rule in the README gives 0.54
const LAND = 0;
const WATER = 1; // LAND and WATER are codes in the label: README

/** Agreement of a water map with the label: intersection over union, user's and producer's accuracy. */
function agreement(label: ArrayLike<number>, isWater: (pixel: number) => boolean): [number, number, number] {
  let [both, ours, theirs] = [0, 0, 0];
  for (let i = 0; i < label.length; i++) {
    if (label[i] !== LAND && label[i] !== WATER) continue;
    const [said, is] = [isWater(i), label[i] === WATER];
    if (said) ours++;
    if (is) theirs++;
    if (said && is) both++;
  }
  return [both / (ours + theirs - both), both / ours, both / theirs];
}

async function measure(): Promise<Figure[]> {
  const [label] = (await readBands(SET, 'label.tif')).bands;
  const scene = (await readBands(SET, 's2_l1c.tif')).bands;
  const [blue, green, red, nir, swir1] = scene.map((band) =>
    Float64Array.from(band, (v) => v / FULL_REFLECTANCE),
  );
  const [iou, users, producers] = agreement(
    label!,
    (i) =>
      isOpenWater({ blue: blue![i]!, green: green![i]!, red: red![i]!, nir: nir![i]!, swir1: swir1![i]! }) ===
      true,
  );
  const [plain] = agreement(label!, (i) => green![i]! > swir1![i]!);
  return [
    targetFigure(
      'water against the hand label',
      `IoU ${iou.toFixed(3)}, UA ${users.toFixed(3)}, PA ${producers.toFixed(3)}`,
      `IoU at least ${LEAST_IOU}`,
      iou >= LEAST_IOU,
    ),
    plainFigure('MNDWI above 0, for comparison', `IoU ${plain.toFixed(3)}`),
  ];
}

/** A flood in Spain, labelled by hand. */
export const SEN1FLOODS11: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
