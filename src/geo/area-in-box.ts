import { type Bbox, splitBbox } from './bbox.ts';
import { type AreaGeometry, polygonsOf, type Ring } from './polygon.ts';

/** Whether an area shares a point with a box: an edge or a corner is enough. The box may have no width or height. */
export function meetsBox(area: AreaGeometry, bounds: Bbox): boolean {
  return splitBbox(bounds).some((box) => polygonsOf(area).some((rings) => polygonMeets(rings, box)));
}

function polygonMeets(rings: readonly Ring[], box: Bbox): boolean {
  if (rings.some((ring) => ring.some((end, i) => i > 0 && edgeMeets(ring[i - 1]!, end, box)))) return true;
  // No edge reaches into the box, so it lies wholly inside of each ring or wholly outside.
  return rings.filter((ring) => encloses(ring, box[0], box[1])).length % 2 === 1;
}

/** Whether a segment shares a point with a box. Clips the segment to the box (Liang and Barsky 1984). */
function edgeMeets(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  [west, south, east, north]: Bbox,
): boolean {
  let [from, to] = [0, 1];
  for (const [step, room] of [
    [x1 - x2, x1 - west],
    [x2 - x1, east - x1],
    [y1 - y2, y1 - south],
    [y2 - y1, north - y1],
  ] as const) {
    if (step === 0) {
      if (room < 0) return false;
      continue;
    }
    const at = room / step;
    if (step < 0) from = Math.max(from, at);
    else to = Math.min(to, at);
    if (from > to) return false;
  }
  return true;
}

/** Whether a position lies inside a ring, by the number of edges that a ray to the east crosses. */
function encloses(ring: Ring, x: number, y: number): boolean {
  let isInside = false;
  for (let i = 1; i < ring.length; i++) {
    const [[x1, y1], [x2, y2]] = [ring[i - 1]!, ring[i]!];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) isInside = !isInside;
  }
  return isInside;
}
