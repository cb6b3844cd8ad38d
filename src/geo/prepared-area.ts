import { type AreaGeometry, polygonsOf } from './polygon.ts';
import { type Bbox, bboxesOverlap, bboxOf } from './bbox.ts';
import { EdgeIndex } from './edge-index.ts';
import type { Position } from './position.ts';

/** An area indexed for repeated queries. Points on its edges are part of the area. */
export class PreparedArea {
  readonly bbox: Bbox;
  readonly #index: EdgeIndex;
  /** One vertex of each shell. */
  readonly #anchors: readonly Position[];

  constructor(area: AreaGeometry) {
    const polygons = polygonsOf(area);
    this.bbox = bboxOf(area);
    this.#index = new EdgeIndex(polygons.flat());
    this.#anchors = polygons.map(([shell]) => shell![0]!);
  }

  /**
   * Whether a position is in the area or on its edge. All longitudes at a pole are the same point, and longitudes 180
   * and -180 are the same meridian.
   */
  contains([lng, lat]: Position): boolean {
    if ((lat === 90 && this.#index.maxY === 90) || (lat === -90 && this.#index.minY === -90)) return true;
    if (this.#index.locate(lng, lat) >= 0) return true;
    return Math.abs(lng) === 180 && this.#index.locate(-lng, lat) >= 0;
  }

  /** Whether two areas share a point. A shared corner is enough; one area may lie inside the other. */
  intersects(other: PreparedArea): boolean {
    if (!bboxesOverlap(this.bbox, other.bbox)) return false;
    const [a, b] = [this.#index, other.#index];
    if ((a.maxY === 90 && b.maxY === 90) || (a.minY === -90 && b.minY === -90)) return true;
    if (other.#anchors.some((at) => this.contains(at)) || this.#anchors.some((at) => other.contains(at))) {
      return true;
    }
    const [few, many] = a.edgeCount < b.edgeCount ? [a, b] : [b, a];
    const { edges } = few;
    for (let e = 0; e < edges.length; e += 4) {
      const [x1, y1, x2, y2] = [edges[e]!, edges[e + 1]!, edges[e + 2]!, edges[e + 3]!];
      if (many.meets(x1, y1, x2, y2)) return true;
      if (x2 === 180 && many.minX === -180 && meetsAcross(many, x1, y1, x2, y2)) return true;
      if (x1 === -180 && many.maxX === 180 && meetsAcross(many, x2, y2, x1, y1)) return true;
    }
    return false;
  }
}

/**
 * Whether the part of a segment that is on the antimeridian (one end or the whole segment) meets edges on the other
 * side of the antimeridian.
 */
function meetsAcross(index: EdgeIndex, x1: number, y1: number, seamX: number, y2: number): boolean {
  return index.meets(-seamX, x1 === seamX ? y1 : y2, -seamX, y2);
}

/** Indexes an area for repeated queries. */
export function prepareArea(area: AreaGeometry): PreparedArea {
  return new PreparedArea(area);
}
